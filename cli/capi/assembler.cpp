// SPDX-License-Identifier: MIT
// lockstep_assemble*: text to code objects, code, or one instruction.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>

#include "asm/assemble.h"
#include "asm/source.h"
#include "cli/capi/boundary.h"

namespace lockstep::capi {
namespace {

struct Options {
  lockstep_assemble_options given = {};
  asm_::SourceOptions source;
};

/// Checks the options; 0 or an error.
int read_options(const char* target, const lockstep_assemble_options* given, Options& out) {
  const auto bad = [](const std::string& message) {
    return fail(LOCKSTEP_ERROR_ARGUMENT, message);
  };
  if (given) {
    if (given->struct_size != sizeof *given)
      return bad(fmt::format("struct_size is {}, not sizeof(lockstep_assemble_options) ({})",
                             given->struct_size, sizeof *given));
    out.given = *given;
  }
  if (out.given.output > LOCKSTEP_ASSEMBLE_CODE)
    return bad(fmt::format("output is {}: no such output", out.given.output));
  if (out.given.real_true16 > 1)
    return bad(fmt::format("real_true16 is {}; give 0 or 1", out.given.real_true16));
  if (target) {
    if (const auto arch = find_arch(target)) out.source.target = arch->target;
    if (!out.source.target || std::strchr(target, ':')) {
      if (auto good = asm_::apply_target_id(target, out.source); !good)
        return bad("target: " + good.error());
    }
  }
  const uint32_t wave = out.given.wave_size;
  if (wave != 0 && wave != 32 && wave != 64)
    return bad(fmt::format("wave_size is {}; give 32, 64 or 0", wave));
  if (wave == 32 && out.source.target && !isa::target_info(*out.source.target).has_wave32)
    return bad(fmt::format("{} has no wave size 32", target));
  out.source.wave_size = wave;
  if (out.given.real_true16) out.source.real_true16 = true;
  return LOCKSTEP_OK;
}

/// .text, if it is complete in itself.
Result<std::vector<uint8_t>> code_of_object(const asm_::Object& object) {
  for (const asm_::ObjectSection& s : object.sections) {
    if (s.name != ".text") continue;
    if (s.relocations.empty()) return s.bytes;
    const asm_::ObjectRelocation& r = s.relocations.front();
    return Error{
        fmt::format("at .text+{:#x}: \"{}\" has no address in code alone; make a code "
                    "object of it (LOCKSTEP_ASSEMBLE_SHARED)",
                    r.offset, object.symbols[r.symbol].name)};
  }
  return std::vector<uint8_t>();
}

int give(std::span<const uint8_t> result, void** bytes, size_t* size) {
  // malloc(0) may be NULL, which would look like a failure.
  void* copy = std::malloc(std::max<size_t>(result.size(), 1));
  if (!copy) return fail(LOCKSTEP_ERROR_INTERNAL, "out of memory");
  std::copy(result.begin(), result.end(), static_cast<uint8_t*>(copy));
  *bytes = copy;
  *size = result.size();
  return LOCKSTEP_OK;
}

int assemble(const char* target, const char* text, size_t text_size,
             const lockstep_assemble_options* given, void** bytes, size_t* size) {
  if (!bytes || !size) return fail(LOCKSTEP_ERROR_ARGUMENT, "bytes or size is NULL");
  *bytes = nullptr;
  *size = 0;
  if (!text && text_size != 0) return fail(LOCKSTEP_ERROR_ARGUMENT, "text is NULL");
  Options options;
  if (const int bad = read_options(target, given, options)) return bad;
  const std::string name = options.given.name ? options.given.name : "<text>";
  const asm_::AssembledSource source =
      asm_::assemble_source({text ? text : "", text_size}, name, options.source);
  std::string errors;
  for (const asm_::Diagnostic& d : source.diagnostics) {
    const std::string message = asm_::to_text(d);
    if (options.given.on_message) options.given.on_message(options.given.context, message.c_str());
    if (d.severity != asm_::Severity::kWarning) errors += message;
  }
  if (!source.ok) return fail(LOCKSTEP_ERROR_INPUT, errors);
  if (options.given.output == LOCKSTEP_ASSEMBLE_RELOCATABLE)
    return give(asm_::write_relocatable(source.object), bytes, size);
  const auto result = options.given.output == LOCKSTEP_ASSEMBLE_CODE
                          ? code_of_object(source.object)
                          : asm_::link_shared(source.object);
  if (!result) return fail(LOCKSTEP_ERROR_INPUT, fmt::format("{}: {}", name, result.error()));
  return give(*result, bytes, size);
}

int assemble_one(const char* target, const char* text, const lockstep_assemble_options* given,
                 uint8_t* bytes, uint32_t* size) {
  if (!target || !text || !bytes || !size)
    return fail(LOCKSTEP_ERROR_ARGUMENT, "target, text, bytes or size is NULL");
  *size = 0;
  Options options;
  if (const int bad = read_options(target, given, options)) return bad;
  const isa::TargetInfo& info = isa::target_info(*options.source.target);
  asm_::AsmOptions line;
  line.isa = info.isa;
  line.wave_size = options.source.wave_size ? options.source.wave_size : info.has_wave32 ? 32 : 64;
  line.real_true16 = options.given.real_true16 == 1;
  const asm_::AsmResult result = asm_::assemble_line(text, line);
  if (!result)
    return fail(LOCKSTEP_ERROR_INPUT,
                fmt::format("column {}: {}", result.error().column + 1, result.error().message));
  const isa::Inst& inst = result.inst();
  std::memcpy(bytes, inst.words, inst.size);
  *size = inst.size;
  return LOCKSTEP_OK;
}

}  // namespace
}  // namespace lockstep::capi

extern "C" {

int lockstep_assemble(const char* target, const char* text, size_t text_size,
                      const lockstep_assemble_options* options, void** bytes, size_t* size) {
  return lockstep::capi::guarded(
      [&] { return lockstep::capi::assemble(target, text, text_size, options, bytes, size); });
}

void lockstep_free(void* bytes) { std::free(bytes); }

int lockstep_assemble_line(const char* target, const char* text,
                           const lockstep_assemble_options* options,
                           uint8_t bytes[LOCKSTEP_INSN_BYTES], uint32_t* size) {
  return lockstep::capi::guarded(
      [&] { return lockstep::capi::assemble_one(target, text, options, bytes, size); });
}

}  // extern "C"
