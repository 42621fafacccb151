// SPDX-License-Identifier: MIT
// Splits texts into lines and finds places again.
#include "asm/input.h"

#include <algorithm>

namespace lockstep::asm_ {
namespace {

/// Whether a block comment is open at the end of the line.
bool ends_in_comment(std::string_view line) {
  bool in_string = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (in_string) {
      if (line[i] == '\\')
        ++i;
      else if (line[i] == '"')
        in_string = false;
    } else if (line[i] == '"') {
      in_string = true;
    } else if (line[i] == ';' || line.substr(i, 2) == "//") {
      return false;
    } else if (line.substr(i, 2) == "/*") {
      const size_t close = line.find("*/", i + 2);
      if (close == std::string_view::npos) return true;
      i = close + 1;
    }
  }
  return false;
}

}  // namespace

bool Input::push(Kind kind, std::string name, std::string contents, Location from) {
  constexpr size_t kMostNested = 200, kEach = 128;
  if (kind != Kind::kFile) expanded_ += contents.size() + kEach;
  if (full()) return false;
  if (frames_.size() >= kMostNested) return false;
  texts_.push_back({kind, std::move(name), std::move(contents), from});
  frames_.push_back({static_cast<uint32_t>(texts_.size() - 1)});
  return true;
}

bool Input::next_raw(std::string_view& line, Location& where) {
  if (frames_.empty()) return false;
  Frame& f = frames_.back();
  const std::string_view text = texts_[f.text].contents;
  if (f.position >= text.size()) return false;
  const size_t end = std::min(text.find('\n', f.position), text.size());
  line = text.substr(f.position, end - f.position);
  where = {f.text, static_cast<uint32_t>(f.position)};
  f.position = end + 1;
  return true;
}

bool Input::next(std::string_view& line, Location& where) {
  while (!frames_.empty()) {
    if (!next_raw(line, where)) {
      frames_.pop_back();
      continue;
    }
    while (line.find("/*") != std::string_view::npos && ends_in_comment(line)) {
      std::string_view more;
      Location ignored;
      if (!next_raw(more, ignored)) break;
      line = std::string_view(line.data(),
                              static_cast<size_t>(more.data() + more.size() - line.data()));
    }
    return true;
  }
  return false;
}

bool Input::leave_macro() {
  for (size_t i = frames_.size(); i-- > 0;) {
    const Kind kind = texts_[frames_[i].text].kind;
    if (kind == Kind::kFile) return false;
    if (kind == Kind::kMacro) {
      frames_.resize(i);
      return true;
    }
  }
  return false;
}

Diagnostic Input::place(Severity severity, Location where, std::string message) const {
  const Text& text = texts_[where.text];
  const std::string_view all = text.contents;
  const size_t at = std::min<size_t>(where.offset, all.size());
  const size_t before = all.substr(0, at).rfind('\n');
  const size_t start = before == std::string_view::npos ? 0 : before + 1;
  const size_t end = std::min(all.find('\n', at), all.size());
  Diagnostic d{severity,
               text.name,
               1,
               static_cast<unsigned>(at - start) + 1,
               std::move(message),
               std::string(all.substr(start, end - start))};
  d.line += static_cast<unsigned>(std::count(all.begin(), all.begin() + start, '\n'));
  if (d.source_line.ends_with('\r')) d.source_line.pop_back();
  return d;
}

std::vector<Diagnostic> Input::describe(Severity severity, Location where,
                                        std::string message) const {
  std::vector<Diagnostic> list;
  list.push_back(place(severity, where, std::move(message)));
  for (uint32_t text = where.text; text != 0;) {
    const Text& t = texts_[text];
    list.push_back(place(Severity::kNote, t.from,
                         t.kind == Kind::kFile ? "included here" : "while in macro instantiation"));
    text = t.from.text;
  }
  return list;
}

}  // namespace lockstep::asm_
