// SPDX-License-Identifier: MIT
// Dispatcher: workers take workgroups by ticket; a group that only yields is parked so that another
// can run.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <thread>

#include "emu/dispatch.h"
#include "emu/host_fault.h"
#include "emu/workgroup.h"

namespace lockstep::emu {
namespace {

constexpr uint64_t kSlice =
    1 << 16;  ///< instructions a wave runs before the next wave of its group
constexpr uint64_t kShuffledSlice =
    64;  ///< with --schedule-seed: short and random, to meet other interleavings
constexpr size_t kMaxParked = 256;  ///< groups in flight a worker: the modelled occupancy
constexpr uint64_t kGroupsWorthAThread = 8;

/// One dispatch in progress.
struct Job {
  const LaunchPlan* plan = nullptr;
  std::atomic<uint64_t> next_ticket{0};
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> instructions{0}, waves{0};
  InstructionBudget budget;
  uint64_t seed = 0;
  bool alone = true;  ///< no other thread takes tickets
  std::mutex fault_mutex;
  bool faulted = false;
  Fault fault;
  int helpers = 0;  ///< pool threads inside; guarded by the pool's mutex

  explicit Job(uint64_t limit) : budget(limit) {}
  bool has_tickets() const {
    return !alone && !stop && next_ticket.load(std::memory_order_relaxed) < plan->total_groups;
  }
  void report(const Fault& f) {
    const std::lock_guard lock(fault_mutex);
    if (!faulted) fault = f;
    faulted = true;
    stop = true;
  }
};

/// What a thread keeps between dispatches.
struct Worker {
  Worker(const DispatcherOptions& options, std::shared_ptr<jit::UnitCaches> units)
      : runner(options.engine, std::move(units), options.row_counts, false) {}
  WaveRunner runner;
};

void work_on(Job& job, Worker& worker, uint64_t worker_index) {
  const LaunchPlan& plan = *job.plan;
  worker.runner.begin(plan.key);
  MemoryView memory(*plan.request->memory);
  std::mt19937_64 random(job.seed + worker_index);
  std::mt19937_64* shuffle = job.seed ? &random : nullptr;
  std::deque<std::unique_ptr<Workgroup>> active;
  std::unique_ptr<Workgroup> spare;
  // Counted here, added up at the end: an atomic operation a workgroup costs as much as a short
  // kernel.
  uint64_t waves = 0, instructions = 0;
  auto start_next = [&]() -> bool {
    uint64_t ticket = job.next_ticket.load(std::memory_order_relaxed);
    if (job.alone)
      job.next_ticket.store(ticket + 1, std::memory_order_relaxed);
    else
      ticket = job.next_ticket.fetch_add(1, std::memory_order_relaxed);
    if (ticket >= plan.total_groups) return false;
    auto group = spare ? std::move(spare) : std::make_unique<Workgroup>(plan, memory);
    group->start(ticket, false);
    waves += group->waves_started();
    active.push_back(std::move(group));
    return true;
  };
  while (!job.stop) {
    if (active.empty() && !start_next()) break;
    std::unique_ptr<Workgroup> group = std::move(active.front());
    active.pop_front();
    const Workgroup::State state =
        group->run_round(worker.runner, job.budget, shuffle ? kShuffledSlice : kSlice, shuffle);
    if (state == Workgroup::State::kFault) {
      instructions += group->executed();
      job.report(group->fault());
      break;
    }
    if (state == Workgroup::State::kDone) {
      instructions += group->executed();
      spare = std::move(group);
      continue;
    }
    // A group that makes progress goes on at once; one that only yields lets others run, new ones
    // too.
    if (!group->only_yielded()) {
      active.push_front(std::move(group));
      continue;
    }
    active.push_back(std::move(group));
    // The grid of a cooperative launch is resident as a whole.
    if (active.size() < kMaxParked || plan.request->wave_sync) start_next();
  }
  for (const auto& group : active) instructions += group->executed();
  worker.runner.end();
  job.waves += waves;
  job.instructions += instructions;
}

}  // namespace

Engine default_engine() { return jit::supported() ? Engine::kJit : Engine::kInterp; }

std::optional<Engine> find_engine(std::string_view name) {
  if (name == "interp") return Engine::kInterp;
  if (name == "jit") return Engine::kJit;
  if (name == "verify") return Engine::kVerify;
  return std::nullopt;
}

Result<void> check_engine(Engine engine) {
  const Result<jit::Tier> tier = jit::choose_tier();
  if (!tier) return Error{tier.error()};
  if (engine != Engine::kInterp && *tier == jit::Tier::kNone)
    return Error{
        fmt::format("the engines jit and verify need a processor with {}, and LOCKSTEP_JIT_HOST "
                    "not to be none; "
                    "use --engine=interp",
                    jit::kHostNeeds)};
  return {};
}

struct Dispatcher::Impl {
  DispatcherOptions options;
  std::shared_ptr<jit::UnitCaches> units;  ///< null: the interpreter runs everything
  std::mutex mutex;
  std::condition_variable wake, finished;
  std::list<Job*> jobs;
  std::vector<std::unique_ptr<Worker>> idle_workers;
  std::vector<std::thread> threads;
  bool shutting_down = false;

  std::unique_ptr<Worker> take_worker() {
    const std::lock_guard lock(mutex);
    if (idle_workers.empty()) return std::make_unique<Worker>(options, units);
    auto w = std::move(idle_workers.back());
    idle_workers.pop_back();
    return w;
  }
  void give_worker(std::unique_ptr<Worker> w) {
    const std::lock_guard lock(mutex);
    idle_workers.push_back(std::move(w));
  }
  Job* job_with_work() {
    for (Job* j : jobs)
      if (j->has_tickets()) return j;
    return nullptr;
  }
  void help(uint64_t index) {
    Worker worker(options, units);
    std::unique_lock lock(mutex);
    for (;;) {
      Job* job = nullptr;
      wake.wait(lock, [&] { return shutting_down || (job = job_with_work()) != nullptr; });
      if (shutting_down) return;
      ++job->helpers;
      lock.unlock();
      work_on(*job, worker, index);
      lock.lock();
      if (--job->helpers == 0) finished.notify_all();
    }
  }
  void start_threads() {
    const std::lock_guard lock(mutex);
    const int wanted = options.threads > 0
                           ? options.threads
                           : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    while (static_cast<int>(threads.size()) + 1 < wanted)
      threads.emplace_back([this, i = threads.size() + 1] { help(i); });
  }
};

Dispatcher::Dispatcher(DispatcherOptions options) : impl_(std::make_unique<Impl>()) {
  impl_->options = options;
  watch_host_faults();
  if (options.engine != Engine::kInterp)
    impl_->units = std::make_shared<jit::UnitCaches>(options.observers, options.tier);
}

Dispatcher::~Dispatcher() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->shutting_down = true;
    for (Job* j : impl_->jobs) j->stop = true;
  }
  impl_->wake.notify_all();
  for (std::thread& t : impl_->threads) t.join();
}

void Dispatcher::cancel() {
  const std::lock_guard lock(impl_->mutex);
  for (Job* j : impl_->jobs) j->stop = true;
}

DispatchResult Dispatcher::run(const DispatchRequest& request) {
  const auto begin = std::chrono::steady_clock::now();
  DispatchResult result;
  const Result<LaunchPlan> plan = plan_launch(request);
  if (!plan) {
    result.ok = false;
    result.fault.kind = FaultKind::kBadDispatch;
    result.fault.kernel = request.kernel_name;
    result.fault.detail = plan.error();
    return result;
  }
  Job job(impl_->options.max_instructions);
  job.plan = &*plan;
  job.seed = impl_->options.schedule_seed;
  const bool parallel = impl_->options.threads != 1 && plan->total_groups >= kGroupsWorthAThread;
  job.alone = !parallel;
  if (parallel) impl_->start_threads();
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->jobs.push_back(&job);
  }
  if (parallel) impl_->wake.notify_all();
  auto worker = impl_->take_worker();
  work_on(job, *worker, 0);
  impl_->give_worker(std::move(worker));
  {
    std::unique_lock lock(impl_->mutex);
    impl_->jobs.remove(&job);
    impl_->finished.wait(lock, [&] { return job.helpers == 0; });
  }
  result.ok = !job.faulted;
  result.fault = job.fault;
  if (result.ok && job.stop) {
    result.ok = false;
    result.fault.kind = FaultKind::kNone;
    result.fault.kernel = request.kernel_name;
    result.fault.detail = "the dispatch was cancelled";
  }
  result.stats.workgroups = plan->total_groups;
  result.stats.waves = job.waves;
  result.stats.wave_instructions = job.instructions;
  result.stats.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace lockstep::emu
