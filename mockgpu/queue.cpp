// SPDX-License-Identifier: MIT
// Serving loop of a queue, and the poller.
#include "mockgpu/queue.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>

namespace lockstep::mockgpu {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr unsigned kPacketsATurn = 64;
constexpr auto kSpin = microseconds(20);
constexpr auto kParkAfter = milliseconds(5);

// How long to sleep, from how long nothing has happened. A wake-up costs up to 20 us of CPU time
// (measured on a busy virtual machine), so that 1 % of a core is 500 of them a second.
microseconds nap(Clock::duration quiet) {
  if (quiet < milliseconds(20)) return microseconds(50);
  if (quiet < milliseconds(200)) return microseconds(200);
  if (quiet < milliseconds(1000)) return microseconds(1000);
  return microseconds(5000);
}

void pause_for(Clock::duration quiet) {
  if (quiet < kSpin) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(nap(quiet));
  }
}

// Signals of the program belong to its own threads; and a nap of 50 us must not be stretched to
// 100.
void prepare_thread(const char* name) {
  pthread_setname_np(pthread_self(), name);
  prctl(PR_SET_TIMERSLACK, 1000ul, 0, 0, 0);
}

std::thread start_thread(std::function<void()> body) {
  sigset_t all, old;
  sigfillset(&all);
  // Faults of the thread itself must still be delivered to it.
  for (const int fatal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
    sigdelset(&all, fatal);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  std::thread thread(std::move(body));
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  return thread;
}

}  // namespace

Queue::Queue(uint32_t id, QueueOwner& owner, const MakeProcessor& make)
    : id_(id), owner_(owner), processor_(make(*this)) {
  thread_ = start_thread([this] { loop(); });
}

Queue::~Queue() { stop(); }

emu::DispatchResult Queue::dispatch(emu::DispatchRequest& request) {
  request.wave_sync = has_wave_sync_ ? &owner_.wave_sync() : nullptr;
  request.interrupt = [this](uint32_t value) { owner_.wave_interrupt(value); };
  return owner_.run_dispatch(request);
}

bool Queue::wake_if_ready() {
  if (active() || failed() || paused() || stopping() || !processor_->has_work()) return false;
  const std::lock_guard lock(mutex_);
  active_.store(true, std::memory_order_release);
  wake_.notify_one();
  return true;
}

void Queue::stop() {
  if (!thread_.joinable()) return;
  {
    std::unique_lock lock(mutex_);
    stop_ = true;
    wake_.notify_one();
    while (!ended_.wait_for(lock, std::chrono::seconds(1), [this] { return finished_; })) {
      lock.unlock();
      owner_.cancel_dispatches();
      lock.lock();
    }
  }
  thread_.join();
}

void Queue::loop() {
  prepare_thread("lockstep-queue");
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || active_; });
    if (stop_) break;
    lock.unlock();
    serve();
    lock.lock();
    active_.store(false, std::memory_order_release);
  }
  finished_ = true;
  ended_.notify_all();
}

void Queue::serve() {
  auto last_progress = Clock::now();
  while (!stop_ && !paused()) {
    switch (processor_->run(kPacketsATurn)) {
      case Step::kProgress:
        last_progress = Clock::now();
        break;
      case Step::kFailed:
        failed_.store(true, std::memory_order_release);
        // A launch that was cancelled because the queue goes away is no news for anybody.
        if (!stop_) {
          owner_.queue_failed(id_, processor_->failure());
          processor_->report_error();
        }
        return;
      case Step::kIdle:
        if (Clock::now() - last_progress > kParkAfter) return;
        [[fallthrough]];
      case Step::kStalled:
        pause_for(Clock::now() - last_progress);
        break;
    }
  }
}

void QueuePoller::add(std::shared_ptr<Queue> queue) {
  const std::lock_guard lock(mutex_);
  queues_.push_back(std::move(queue));
  if (!thread_.joinable()) thread_ = start_thread([this] { loop(); });
}

void QueuePoller::remove(const Queue* queue) {
  const std::lock_guard lock(mutex_);
  std::erase_if(queues_, [&](const auto& entry) { return entry.get() == queue; });
}

void QueuePoller::stop() {
  if (!thread_.joinable()) return;
  stop_ = true;
  thread_.join();
  stop_ = false;
}

void QueuePoller::loop() {
  prepare_thread("lockstep-poll");
  auto last_work = Clock::now();
  while (!stop_) {
    bool any = false;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& queue : queues_) any |= queue->wake_if_ready() || queue->active();
    }
    const auto now = Clock::now();
    if (any) last_work = now;
    std::this_thread::sleep_for(nap(now - last_work));
  }
}

}  // namespace lockstep::mockgpu
