// SPDX-License-Identifier: MIT
// Names of host code from its guest instructions, and who is told them.
#include "emu/jit/observe.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>

#include "emu/jit/unit.h"

// The interface that gdb documents ("JIT Compilation Interface"): it sets a breakpoint on the
// function and reads the list. Both names are fixed.
extern "C" {
struct jit_code_entry {
  jit_code_entry *next, *previous;
  const char* symbol_file;
  uint64_t symbol_file_size;
};
struct jit_descriptor {
  uint32_t version, action;
  jit_code_entry *relevant, *first;
};
__attribute__((used)) jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};
__attribute__((noinline, used)) void __jit_debug_register_code() { asm volatile("" ::: "memory"); }
}

namespace lockstep::emu::jit {
namespace {

constexpr uint32_t kRegister = 1, kUnregister = 2;

std::string place(const std::string& kernel, uint64_t entry, uint64_t pc) {
  if (pc < entry) return fmt::format("{}-{:#x}", kernel, entry - pc);
  return fmt::format("{}+{:#x}", kernel, pc - entry);
}

/// End of the host code of line i.
size_t end_of(const Unit& unit, size_t i) {
  return i + 1 < unit.lines.size() ? unit.lines[i + 1].host_offset : unit.tail;
}

std::string cached_text(const VectorRegisters::Picture& p) {
  std::string text;
  for (int i = 0; i < 32; ++i) {
    if (p.place[i].vgpr < 0) continue;
    text += fmt::format(" zmm{}=v{}", i, p.place[i].vgpr);
    if (p.place[i].slice) text += fmt::format(".{}", p.place[i].slice);
    if (p.dirty >> i & 1) text += '*';
  }
  return text;
}

std::string hex_of(const uint8_t* bytes, size_t size) {
  constexpr size_t kPerLine = 24;
  std::string text;
  for (size_t at = 0; at < size; at += kPerLine) {
    text += "        ";
    for (size_t i = at; i < std::min(size, at + kPerLine); ++i)
      text += fmt::format("{:02x}", bytes[i]);
    text += '\n';
  }
  return text;
}

/// Appends; complains once a file.
void append(const std::string& file, const std::string& text) {
  static std::mutex mutex;
  static std::map<std::string, bool> failed;
  const std::lock_guard lock(mutex);
  if (file == "-") {
    std::fputs(text.c_str(), stderr);
    return;
  }
  if (failed[file]) return;
  FILE* out = std::fopen(file.c_str(), "ae");
  bool good = out && std::fputs(text.c_str(), out) >= 0;
  if (out) good &= std::fclose(out) == 0;
  if (good) return;
  failed[file] = true;
  fmt::print(stderr, "lockstep: {} cannot be written; it will lack compiled code\n", file);
}

std::mutex g_gdb_mutex;
/// What gdb was told, by unit. The entries must stay where they are.
struct Told {
  jit_code_entry entry;
  std::vector<uint8_t> file;
};
std::map<const Unit*, std::unique_ptr<Told>>& told() {
  static auto* all = new std::map<const Unit*, std::unique_ptr<Told>>;  // outlives every thread
  return *all;
}

void tell_gdb(const Unit& unit, const std::vector<Symbol>& symbols) {
  auto told_now = std::make_unique<Told>();
  told_now->file = symbol_file(symbols);
  const std::lock_guard lock(g_gdb_mutex);
  jit_code_entry& e = told_now->entry;
  e = {__jit_debug_descriptor.first, nullptr, reinterpret_cast<const char*>(told_now->file.data()),
       told_now->file.size()};
  if (e.next) e.next->previous = &e;
  __jit_debug_descriptor.first = __jit_debug_descriptor.relevant = &e;
  __jit_debug_descriptor.action = kRegister;
  __jit_debug_register_code();
  told()[&unit] = std::move(told_now);
}

}  // namespace

std::vector<Symbol> symbols_of(const Unit& unit, const std::string& kernel, uint64_t entry) {
  std::vector<Symbol> symbols;
  const auto add = [&](std::string name, size_t from, size_t to) {
    if (to > from) symbols.push_back({std::move(name), unit.code + from, to - from});
  };
  const size_t first = unit.lines.empty() ? unit.tail : unit.lines.front().host_offset;
  add(place(kernel, entry, unit.first) + " start", 0, first);
  for (size_t i = 0; i < unit.lines.size(); ++i)
    add(place(kernel, entry, unit.lines[i].pc) + ' ' + unit.lines[i].text,
        unit.lines[i].host_offset, end_of(unit, i));
  add(place(kernel, entry, unit.first) + " slow paths and ways in", unit.tail, unit.host_bytes);
  return symbols;
}

std::string listing_of(const Unit& unit, const std::string& kernel, uint64_t entry) {
  std::string text = fmt::format(
      "; {}: {} guest instructions, {} of them called, in {} host bytes for {} at {}\n"
      "; cached registers: zmm3=v7.1 is lanes 16 to 31 of v7; * has to be written back\n",
      place(kernel, entry, unit.first), unit.instructions, unit.called, unit.host_bytes,
      tier_name(unit.mode.tier), fmt::ptr(unit.code));
  for (size_t i = 0; i < unit.lines.size(); ++i) {
    const Line& l = unit.lines[i];
    const std::string cached = cached_text(l.cached);
    text += fmt::format("{:<24}{}{}\n", place(kernel, entry, l.pc), l.text,
                        l.called ? "    ; call of the interpreter" : "");
    if (!cached.empty()) text += "    ;" + cached + '\n';
    text += hex_of(unit.code + l.host_offset, end_of(unit, i) - l.host_offset);
  }
  text +=
      fmt::format("; slow paths, constants and ways in: {} bytes\n\n", unit.host_bytes - unit.tail);
  return text;
}

void announce(const Unit& unit, const DispatchRequest& request, const JitObservers& observers) {
  if (!observers.any()) return;
  const std::string kernel = request.kernel_name.empty() ? "kernel" : request.kernel_name;
  if (!observers.dump_file.empty())
    append(observers.dump_file, listing_of(unit, kernel, request.entry));
  if (!observers.perf_map && !observers.gdb) return;
  const std::vector<Symbol> symbols = symbols_of(unit, kernel, request.entry);
  if (observers.perf_map) {
    std::string lines;
    for (const Symbol& s : symbols)
      lines += fmt::format("{:x} {:x} {}\n", reinterpret_cast<uint64_t>(s.start), s.size, s.name);
    append(fmt::format("/tmp/perf-{}.map", getpid()), lines);
  }
  if (observers.gdb) tell_gdb(unit, symbols);
}

void withdraw(const Unit& unit) {
  const std::lock_guard lock(g_gdb_mutex);
  const auto it = told().find(&unit);
  if (it == told().end()) return;
  jit_code_entry& e = it->second->entry;
  (e.previous ? e.previous->next : __jit_debug_descriptor.first) = e.next;
  if (e.next) e.next->previous = e.previous;
  __jit_debug_descriptor.relevant = &e;
  __jit_debug_descriptor.action = kUnregister;
  __jit_debug_register_code();
  told().erase(it);
}

}  // namespace lockstep::emu::jit
