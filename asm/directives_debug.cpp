// SPDX-License-Identifier: MIT
// Directives of debug information: .file, .loc, .cfi_*.
#include <fmt/format.h>

#include "asm/directives.h"

namespace lockstep::asm_ {
namespace {

std::optional<SourceFile> read_file(Arguments& a) {
  SourceFile file;
  const auto first = a.string();
  if (!first) return std::nullopt;
  file.name = *first;
  if (a.peek().kind == TokenKind::kString) {
    file.directory = *first;
    const auto second = a.string();
    if (!second) return std::nullopt;
    file.name = *second;
  }
  while (!a.done()) {
    const auto word = a.name("'md5' or 'source'");
    if (!word) return std::nullopt;
    if (*word == "md5") {
      file.md5 = a.wide_number();
      if (!file.md5) return std::nullopt;
    } else if (*word == "source") {
      file.contents = a.string();
      if (!file.contents) return std::nullopt;
    } else {
      a.error(fmt::format("unexpected '{}': a file has 'md5' and 'source'", *word));
      return std::nullopt;
    }
  }
  return file;
}

std::optional<uint32_t> read_number(Arguments& a, std::string_view what) {
  const Location where = a.here();
  const auto value = a.absolute();
  if (!value) return std::nullopt;
  if (*value >= 0 && *value <= UINT32_MAX) return static_cast<uint32_t>(*value);
  a.assembly.error(where, fmt::format("{} must lie from 0 to 4294967295", what));
  a.skip_rest();
  return std::nullopt;
}

bool read_option(Arguments& a, SourceLine& line) {
  const auto word = a.name("an option of '.loc'");
  if (!word) return false;
  const auto value = [&](uint32_t& to) {
    const auto n = read_number(a, *word);
    to = n.value_or(0);
    return n.has_value();
  };
  if (*word == "basic_block") return line.basic_block = true;
  if (*word == "prologue_end") return line.prologue_end = true;
  if (*word == "epilogue_begin") return line.epilogue_begin = true;
  if (*word == "isa") return value(line.isa);
  if (*word == "discriminator") return value(line.discriminator);
  if (*word != "is_stmt") {
    a.error(fmt::format("unknown sub-directive '{}' in '.loc' directive", *word));
    return false;
  }
  uint32_t is_statement = 0;
  if (!value(is_statement)) return false;
  if (is_statement > 1) a.error("is_stmt value not 0 or 1");
  line.is_statement = is_statement != 0;
  return !a.failed();
}

}  // namespace

void directive_file(Arguments& a, int) {
  if (a.peek().kind != TokenKind::kInteger) {
    (void)a.string();  // as with LLVM, a name alone leaves no trace on this target
    if (!a.failed() && a.peek().kind == TokenKind::kString)
      a.error("explicit path specified, but no file number");
    return;
  }
  Assembly& as = a.assembly;
  const bool told = as.lines.sums_differ();
  const uint64_t number = a.peek().integer;
  const Location where = a.here();
  a.advance();
  auto file = read_file(a);
  if (!file) return;
  // A table has a row for each number up to the greatest.
  constexpr uint64_t kMostFiles = 1 << 20;
  if (number > kMostFiles) {
    as.error(where, fmt::format("file numbers are at most {}", kMostFiles));
    return;
  }
  if (number == 0) {
    as.lines.set_root(std::move(*file));
  } else if (const std::string problem =
                 as.lines.add(static_cast<uint32_t>(number), std::move(*file));
             !problem.empty()) {
    as.error(a.directive, problem);
    return;
  }
  if (as.lines.sums_differ() && !told)
    as.report(Severity::kWarning, a.directive, "inconsistent use of MD5 checksums");
}

void directive_loc(Arguments& a, int) {
  Assembly& as = a.assembly;
  const Location where = a.here();
  SourceLine line;
  line.is_statement = as.lines.line().is_statement;
  const auto file = read_number(a, "the file number");
  if (!file) return;
  line.file = *file;
  if (!as.lines.has(*file)) {
    as.error(where, *file == 0 && as.lines.version() < 5
                        ? "file number less than one in '.loc' directive"
                        : "unassigned file number in '.loc' directive");
    a.skip_rest();
    return;
  }
  for (uint32_t* to : {&line.line, &line.column}) {
    if (a.peek().kind != TokenKind::kInteger) break;
    const auto n = read_number(a, to == &line.line ? "the line" : "the column");
    if (!n) return;
    *to = *n;
  }
  while (!a.done())
    if (!read_option(a, line)) return;
  if (a.finish()) as.lines.locate(line, as.section());
}

void directive_cfi_sections(Arguments& a, int) {
  FrameTable& frames = a.assembly.frames;
  frames.wants_eh_frame = frames.wants_debug_frame = false;
  do {
    const auto name = a.name("'.eh_frame' or '.debug_frame'");
    if (!name) return;
    if (*name == ".eh_frame")
      frames.wants_eh_frame = true;
    else if (*name == ".debug_frame")
      frames.wants_debug_frame = true;
    else
      a.error("expected '.eh_frame' or '.debug_frame'");
  } while (!a.failed() && a.take(","));
}

void directive_cfi_procedure(Arguments& a, int is_end) {
  Assembly& as = a.assembly;
  const bool simple = !is_end && !a.done();
  if (simple && a.name("'simple'").value_or("") != "simple") a.error("expected 'simple'");
  if (a.failed()) return;
  if (is_end && !as.frames.open())
    a.error("this directive must appear between .cfi_startproc and .cfi_endproc directives");
  else if (!is_end && as.frames.open())
    a.error("starting new .cfi frame before finishing the previous one");
  else if (is_end)
    as.frames.end(as.section());
  else
    as.frames.start(as.section(), simple, a.directive);
}

void directive_cfi_rule(Arguments& a, int) {
  a.assembly.error(a.directive,
                   "rules for registers are not written into unwind tables: take the directive out "
                   "(compilers for this target write .cfi_startproc and .cfi_endproc only)");
  a.skip_rest();
}

}  // namespace lockstep::asm_
