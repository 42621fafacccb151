// SPDX-License-Identifier: MIT
// Writes the capture kernel in the spelling of each generation. It takes nothing away from the
// program but the seven VGPRs above the layout's: every SGPR, VCC, EXEC, M0, SCC and MODE are loaded
// last and saved first.
#include "diff/capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "asm/object.h"
#include "asm/source.h"

namespace lockstep::diff {
namespace {

using isa::Generation;

// VGPRs above the layout's.
enum Temporary : uint32_t { kLaneOffset, kOutLow, kOutHigh, kValue, kScalars = kValue };
constexpr uint32_t kTemporaries = kScalars + 4;
constexpr uint32_t kReach = 4096;  // of a global instruction's offset
constexpr uint32_t kScalarSaved = kMode + 1;

struct Names {
  const char *load, *store, *lds_load, *lds_store;
  const char* s_load[6];  ///< 1, 2, 4, 8, 16 dwords
  const char* group;      ///< where the workgroup's number is
  const char* wait;       ///< for all memory
  const char* settle;     ///< until results of any instruction can be read by any other
};

const Names& names_of(Generation generation) {
  static const Names gfx9{
      "global_load_dword",
      "global_store_dword",
      "ds_read_b32",
      "ds_write_b32",
      {"s_load_dword", "s_load_dwordx2", "s_load_dwordx4", "s_load_dwordx8", "s_load_dwordx16"},
      "s2",
      "s_waitcnt 0\n",
      "s_nop 15\ns_nop 15\n"};
  static const Names gfx11{
      "global_load_b32",
      "global_store_b32",
      "ds_load_b32",
      "ds_store_b32",
      {"s_load_b32", "s_load_b64", "s_load_b128", "s_load_b256", "s_load_b512"},
      "s2",
      "s_waitcnt 0\ns_waitcnt_vscnt null, 0\n",
      "s_waitcnt_depctr 0\ns_nop 15\n"};
  static const Names gfx12{
      "global_load_b32",
      "global_store_b32",
      "ds_load_b32",
      "ds_store_b32",
      {"s_load_b32", "s_load_b64", "s_load_b128", "s_load_b256", "s_load_b512"},
      "ttmp9",
      "s_wait_loadcnt 0\ns_wait_storecnt 0\ns_wait_dscnt 0\ns_wait_kmcnt 0\n",
      "s_wait_alu 0\ns_nop 15\n"};
  return generation == Generation::kGfx9 ? gfx9 : generation == Generation::kGfx11 ? gfx11 : gfx12;
}

class Writer {
 public:
  explicit Writer(const Layout& layout)
      : l_(layout),
        generation_(isa::target_info(layout.target).generation),
        names_(names_of(generation_)) {}

  std::string take() { return std::move(text_); }

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  void raw(const char* text) { text_ += text; }
  void wait() { raw(names_.wait); }
  void settle() { raw(names_.settle); }

  void load_state();
  void save_state();

 private:
  uint32_t temporary(uint32_t which) const { return l_.vgprs + which; }
  void s_load(uint32_t log2_count, uint32_t first, uint32_t base, uint32_t word) {
    const uint32_t last = first + (1u << log2_count) - 1;
    const std::string range =
        log2_count ? fmt::format("s[{}:{}]", first, last) : fmt::format("s{}", first);
    line("{} {}, s[{}:{}], {:#x}", names_.s_load[log2_count], range, base, base + 1, word * 4);
  }
  /// Offset of a word from the scalar pair, which is moved on where the offset would not fit.
  uint32_t reach(uint32_t pair, uint32_t word) {
    const uint32_t byte = word * 4;
    while (byte - moved_ >= kReach) {
      line("s_add_u32 s{0}, s{0}, {1:#x}\ns_addc_u32 s{2}, s{2}, 0", pair, kReach, pair + 1);
      moved_ += kReach;
    }
    return byte - moved_;
  }
  void load(uint32_t vgpr, uint32_t word) {
    const uint32_t offset = reach(10, word);
    line("{} v{}, v{}, s[10:11] offset:{}", names_.load, vgpr, temporary(kLaneOffset), offset);
  }
  void store(uint32_t vgpr, uint32_t word) {
    const uint32_t offset = reach(0, word);
    line("{} v{}, v{}, s[0:1] offset:{}", names_.store, temporary(kLaneOffset), vgpr, offset);
  }
  /// Moves a scalar into the lane that stands for its place.
  void save_scalar(const std::string& source, uint32_t word) {
    line("v_writelane_b32 v{}, {}, {}", temporary(kScalars + word / l_.wave_size), source,
         word % l_.wave_size);
  }
  uint32_t sgprs() const { return generation_ == Generation::kGfx9 ? 102 : 106; }

  const Layout& l_;
  const Generation generation_;
  const Names& names_;
  std::string text_;
  uint32_t moved_ = 0;  ///< bytes that the scalar pair has been moved on
};

void Writer::load_state() {
  line("s_mov_b32 s12, {}", names_.group);
  s_load(1, 4, 0, 0);
  s_load(1, 6, 0, 2);
  s_load(1, 8, 0, 4);
  wait();
  line("s_add_u32 s12, s12, s9\ns_mul_i32 s10, s12, s8\ns_mul_hi_u32 s11, s12, s8");
  for (const uint32_t pair : {4, 6})
    line("s_add_u32 s{0}, s{0}, s10\ns_addc_u32 s{1}, s{1}, s11", pair, pair + 1);
  const uint32_t lane = temporary(kLaneOffset);
  line("v_mbcnt_lo_u32_b32 v{}, -1, 0", lane);
  if (l_.wave_size == 64) line("v_mbcnt_hi_u32_b32 v{0}, -1, v{0}", lane);
  line("v_lshlrev_b32_e32 v{0}, 2, v{0}", lane);
  line("v_mov_b32_e32 v{}, s6\nv_mov_b32_e32 v{}, s7", temporary(kOutLow), temporary(kOutHigh));

  line("s_mov_b64 s[10:11], s[4:5]");
  moved_ = 0;
  for (uint32_t r = 0; r < l_.vgprs; ++r) load(r, l_.vgpr_at(r, 0));
  const uint32_t value = temporary(kValue);
  for (uint32_t r = 0; r < l_.agprs; ++r) {
    load(value, l_.agpr_at(r, 0));
    wait();
    line("v_accvgpr_write_b32 a{}, v{}", r, value);
  }
  for (uint32_t i = 0; i < l_.lds_bytes / 4; i += l_.wave_size) {
    load(value, l_.lds_at() + i);
    wait();
    line("{} v{}, v{} offset:{}", names_.lds_store, lane, value, i * 4);
  }
  s_load(2, 12, 4, kM0);  // m0, exec, scc
  s_load(0, 16, 4, kMode);
  s_load(1, 18, 4, kVccLo);
  wait();
  // Only the bits that a program may set; others switch traps and debugging on.
  line(
      "s_setreg_b32 hwreg(1, 0, {}), s16\ns_lshr_b32 s17, s16, 23\ns_setreg_b32 hwreg(1, 23, 1), "
      "s17",
      generation_ == Generation::kGfx12 ? 8 : 10);
  line("s_mov_b64 vcc, s[18:19]\ns_mov_b32 m0, s12\ns_cmp_lg_u32 s15, 0");
  line("s_mov_b32 exec_lo, s13\ns_mov_b32 exec_hi, s14\ns_mov_b64 s[0:1], s[4:5]");
  for (uint32_t first = 16; first < 96; first += 16) s_load(4, first, 0, first);
  s_load(2, 96, 0, 96);
  for (uint32_t first = 100; first < sgprs(); first += 2) s_load(1, first, 0, first);
  s_load(3, 8, 0, 8);
  s_load(2, 4, 0, 4);
  s_load(1, 2, 0, 2);
  wait();
  s_load(1, 0, 0, 0);
  wait();
  settle();
}

void Writer::save_state() {
  wait();
  settle();
  for (uint32_t i = 0; i < sgprs(); ++i) save_scalar(fmt::format("s{}", i), i);
  for (const auto& [name, word] : {std::pair{"vcc_lo", kVccLo},
                                   {"vcc_hi", kVccHi},
                                   {"m0", kM0},
                                   {"exec_lo", kExecLo},
                                   {"exec_hi", kExecHi}})
    save_scalar(name, word);
  line("s_cselect_b32 s0, 1, 0\ns_getreg_b32 s1, hwreg(1, 0, 32)");
  settle();
  save_scalar("s0", kScc);
  save_scalar("s1", kMode);
  line("s_mov_b64 exec, -1");
  settle();
  line("v_readfirstlane_b32 s0, v{}\nv_readfirstlane_b32 s1, v{}", temporary(kOutLow),
       temporary(kOutHigh));
  settle();
  moved_ = 0;
  for (uint32_t word = 0; word < kScalarWords; word += l_.wave_size)
    store(temporary(kScalars + word / l_.wave_size), word);
  for (uint32_t r = 0; r < l_.vgprs; ++r) store(r, l_.vgpr_at(r, 0));
  wait();
  const uint32_t value = temporary(kValue);
  for (uint32_t r = 0; r < l_.agprs; ++r) {
    line("v_accvgpr_read_b32 v{}, a{}", value, r);
    settle();
    store(value, l_.agpr_at(r, 0));
  }
  for (uint32_t i = 0; i < l_.lds_bytes / 4; i += l_.wave_size) {
    line("{} v{}, v{} offset:{}", names_.lds_load, value, temporary(kLaneOffset), i * 4);
    wait();
    store(value, l_.lds_at() + i);
  }
  line("s_endpgm");
}

}  // namespace

uint32_t state_stride(const Layout& layout) { return (layout.memory_at() * 4 + 63) / 64 * 64; }

std::string capture_source(const Program& program) {
  const Layout& l = program.layout;
  const isa::TargetInfo& info = isa::target_info(l.target);
  const bool gfx9 = info.generation == Generation::kGfx9;
  Writer w(l);
  w.line(
      ".amdgcn_target \"amdgcn-amd-amdhsa--{}\"\n.text\n.globl capture\n.p2align 8\n"
      ".type capture,@function\ncapture:",
      info.name);
  w.load_state();
  w.line("; the instructions under test:");
  std::string what = program.text();
  std::replace(what.begin(), what.end(), '\n', ';');
  w.line("; {}", what);
  for (size_t i = 0; i + 4 <= program.code.size(); i += 4) {
    uint32_t word;
    std::memcpy(&word, &program.code[i], 4);
    w.line(".long {:#010x}", word);
  }
  w.save_state();
  // Instructions are fetched ahead of their end.
  w.line(".fill 64, 4, {}", gfx9 ? "0xbf800000" : "0xbf9f0000");
  const uint32_t vgprs = l.vgprs + kTemporaries, first_agpr = (vgprs + 3) / 4 * 4;
  w.line(
      ".rodata\n.p2align 6\n.amdhsa_kernel capture\n.amdhsa_next_free_vgpr {}\n"
      ".amdhsa_next_free_sgpr {}\n.amdhsa_group_segment_fixed_size {}\n"
      ".amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_system_sgpr_workgroup_id_x 1",
      gfx9 ? first_agpr + l.agprs : vgprs, gfx9 ? 102 : 106, l.lds_bytes);
  if (gfx9) w.line(".amdhsa_accum_offset {}", first_agpr);
  if (info.has_wave32) w.line(".amdhsa_wavefront_size32 {}", l.wave_size == 32 ? 1 : 0);
  w.line(".end_amdhsa_kernel");
  return w.take();
}

Result<loader::CodeObject> capture_kernel(const Program& program) {
  asm_::SourceOptions options;
  options.target = program.layout.target;
  options.wave_size = program.layout.wave_size;
  options.max_errors = 3;
  const asm_::AssembledSource source =
      asm_::assemble_source(capture_source(program), "capture.s", options);
  std::string problems;
  for (const asm_::Diagnostic& d : source.diagnostics) problems += asm_::to_text(d);
  if (!source.ok)
    return Error{
        fmt::format("{}: the capture kernel does not assemble: {}", program.name, problems)};
  const auto file = asm_::link_shared(source.object);
  if (!file) return Error{file.error()};
  return loader::parse_code_object(*file);
}

PerBuffer<uint64_t> capture_addresses() {
  return {kCodeAddress, kInputAddress, kOutputAddress, memory_address({}, 0), kKernargAddress};
}

PerBuffer<size_t> capture_sizes(const Program& program, const loader::CodeObject& object) {
  const Layout& l = program.layout;
  const size_t inputs = program.inputs.size(), states = inputs * state_stride(l);
  // Some bytes of memory in any case: programs may have addresses and no memory.
  return {object.image_size, states, states, (l.slot + inputs) * l.memory_bytes + 256,
          sizeof(CaptureArguments)};
}

Result<const loader::Kernel*> prepare_capture(const Program& program, uint32_t first,
                                              uint32_t count, const loader::CodeObject& object,
                                              const PerBuffer<uint8_t*>& buffers) {
  if (auto done =
          loader::load_code_object(object, {buffers[kCode], object.image_size}, kCodeAddress);
      !done)
    return Error{done.error()};
  const Layout& l = program.layout;
  const uint32_t stride = state_stride(l);
  for (uint32_t i = first; i < first + count; ++i) {
    const State& state = program.inputs[i];
    std::memcpy(buffers[kInput] + size_t{i} * stride, state.data(), size_t{l.memory_at()} * 4);
    std::memcpy(buffers[kMemory] + size_t{l.slot + i} * l.memory_bytes,
                state.data() + l.memory_at(), l.memory_bytes);
  }
  const CaptureArguments arguments{kInputAddress, kOutputAddress, stride, first};
  std::memcpy(buffers[kKernarg], &arguments, sizeof arguments);
  const loader::Kernel* kernel = object.find_kernel("capture");
  if (!kernel) return Error{"the capture kernel has no descriptor"};
  return kernel;
}

std::vector<State> read_states(const Layout& l, uint32_t first, uint32_t count,
                               const PerBuffer<uint8_t*>& buffers) {
  std::vector<State> states;
  const size_t stride = state_stride(l);
  for (uint32_t i = first; i < first + count; ++i) {
    State state(l.words());
    std::memcpy(state.data(), buffers[kOutput] + i * stride, size_t{l.memory_at()} * 4);
    std::memcpy(state.data() + l.memory_at(),
                buffers[kMemory] + size_t{l.slot + i} * l.memory_bytes, l.memory_bytes);
    for (uint32_t word = 0; word < kScalarWords; ++word) state[word] &= l.compared_bits(word);
    states.push_back(std::move(state));
  }
  return states;
}

}  // namespace lockstep::diff
