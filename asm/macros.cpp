// SPDX-License-Identifier: MIT
// Macros, repetitions and includes: text that makes text.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "asm/directives.h"

namespace lockstep::asm_ {
namespace {

bool is_name_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '$';
}
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
  return s;
}

std::string lower(std::string_view s) {
  std::string out(s);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

std::string_view first_word(std::string_view line) {
  line = trimmed(line);
  size_t n = 0;
  while (n < line.size() && is_name_part(line[n])) ++n;
  return line.substr(0, n);
}

std::string_view without_comment(std::string_view line) {
  bool in_string = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && in_string)
      ++i;
    else if (line[i] == '"')
      in_string = !in_string;
    else if (!in_string && (line[i] == ';' || line.substr(i, 2) == "//"))
      return line.substr(0, i);
  }
  return line;
}

/// The lines up to the matching end; nothing (and an error) if there is none.
std::optional<std::string> read_body(Arguments& a, bool macro) {
  std::string body, line_text;
  std::string_view line;
  Location where;
  int depth = 1;
  while (a.assembly.input.next_raw(line, where)) {
    const std::string word = lower(first_word(line));
    const bool opens = macro
                           ? word == ".macro"
                           : word == ".rept" || word == ".rep" || word == ".irp" || word == ".irpc";
    const bool closes = macro ? word == ".endm" || word == ".endmacro" : word == ".endr";
    depth += opens - closes;
    if (depth == 0) return body;
    body.append(line).push_back('\n');
  }
  a.assembly.error(a.directive, macro ? "no matching '.endmacro' in definition"
                                      : "no matching '.endr' in definition");
  return std::nullopt;
}

struct Replacement {
  std::string_view name, text;
};

std::string substitute(std::string_view body, const std::vector<Replacement>& replacements,
                       uint64_t count) {
  std::string out;
  out.reserve(body.size() * 2);
  for (size_t i = 0; i < body.size();) {
    if (body[i] != '\\' || i + 1 == body.size()) {
      out += body[i++];
      continue;
    }
    const char c = body[i + 1];
    if (c == '@') {
      out += fmt::format("{}", count);
      i += 2;
      continue;
    }
    if (c == '(' && i + 2 < body.size() && body[i + 2] == ')') {  // \() ends a name
      i += 3;
      continue;
    }
    size_t n = i + 1;
    while (n < body.size() && is_name_part(body[n])) ++n;
    const std::string_view whole = body.substr(i + 1, n - i - 1);
    // A dot may end the name: \x.y means x followed by ".y" where there is no x.y.
    const Replacement* best = nullptr;
    for (const Replacement& r : replacements)
      if (whole == r.name || (whole.starts_with(r.name) && whole[r.name.size()] == '.' &&
                              (!best || r.name.size() > best->name.size())))
        best = &r;
    if (best) {
      out += best->text;
      i += 1 + best->name.size();
    } else {
      out += body[i++];
    }
  }
  return out;
}

/// Splits at commas; blanks also part arguments, unless they stand beside an operator.
std::vector<std::string_view> split_arguments(std::string_view text, size_t most) {
  std::vector<std::string_view> list;
  text = trimmed(without_comment(text));
  size_t start = 0, i = 0;
  int depth = 0;
  bool in_string = false;
  const auto is_operator = [](char c) {
    return std::string_view("+-*/%&|^~<>=!").find(c) != std::string_view::npos;
  };
  while (i < text.size()) {
    if (list.size() + 1 == most) break;  // the rest belongs to a :vararg
    const char c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      depth -= depth > 0;
    } else if (depth == 0 && c == ',') {
      list.push_back(trimmed(text.substr(start, i - start)));
      start = i + 1;
      while (start < text.size() && is_blank(text[start])) ++start;
      i = start;
      continue;
    } else if (depth == 0 && is_blank(c) && i > start) {
      size_t next = i;
      while (next < text.size() && is_blank(text[next])) ++next;
      if (next < text.size() && text[next] != ',' && !is_operator(text[next]) &&
          !is_operator(text[i - 1])) {
        list.push_back(trimmed(text.substr(start, i - start)));
        i = start = next;
        continue;
      }
      i = next;
      continue;
    }
    ++i;
  }
  if (start < text.size() || (!list.empty() && !text.empty() && text.back() == ','))
    list.push_back(trimmed(text.substr(std::min(start, text.size()))));
  return list;
}

/// A string in quotes stands for its contents.
std::string_view unquoted(std::string_view s) {
  if (s.size() >= 2 && s.front() == '"' && s.back() == '"') return s.substr(1, s.size() - 2);
  return s;
}

void expand(Assembly& assembly, Input::Kind kind, std::string text, Location where) {
  if (assembly.input.push(kind, "<instantiation>", std::move(text), where)) return;
  assembly.error(where, assembly.input.full()
                            ? "macros and repetitions make too much text"
                            : "macros cannot be nested more than 200 levels deep");
  if (assembly.input.full()) assembly.input.stop();
}

}  // namespace

void directive_macro(Arguments& a, int) {
  const Location where = a.here();
  const auto name = a.name("identifier in '.macro' directive");
  Macro macro;
  a.take(",");
  while (name && !a.done() && !a.failed()) {
    MacroParameter p;
    p.name = a.name("identifier in '.macro' directive").value_or("");
    if (std::any_of(macro.parameters.begin(), macro.parameters.end(),
                    [&](const MacroParameter& q) { return q.name == p.name; }))
      a.error(fmt::format("macro '{}' has multiple parameters named '{}'", *name, p.name));
    if (a.take(":")) {
      const std::string qualifier = a.name("a qualifier").value_or("");
      p.required = qualifier == "req";
      p.rest = qualifier == "vararg";
      if (!p.required && !p.rest)
        a.error(fmt::format("{} is not a valid parameter qualifier for '{}' in macro '{}'",
                            qualifier, p.name, *name));
    }
    if (a.take("=")) {
      const std::string_view text = trimmed(without_comment(a.rest()));
      // The value ends at a comma, or at a blank that no operator follows.
      const auto list = split_arguments(text, 2);
      p.default_value = list.empty() ? "" : std::string(unquoted(list[0]));
      const char* end = list.empty() ? text.data() : list[0].data() + list[0].size();
      while (!a.done() && a.rest().data() < end) a.advance();
    }
    macro.parameters.push_back(std::move(p));
    a.take(",");
  }
  const auto body = read_body(a, true);
  if (!body || a.failed()) return;
  macro.name = *name;
  macro.body = *body;
  if (!a.assembly.macros.emplace(lower(*name), std::move(macro)).second)
    a.assembly.error(where, fmt::format("macro '{}' is already defined", *name));
}

void directive_purge(Arguments& a, int) {
  do {
    const auto name = a.name("identifier in '.purgem' directive");
    if (!name) return;
    if (a.assembly.macros.erase(lower(*name)) == 0)
      a.error(fmt::format("macro '{}' is not defined", *name));
  } while (a.take(","));
}

void directive_exit_macro(Arguments& a, int) {
  if (!a.assembly.input.leave_macro())
    a.assembly.error(a.directive, "unexpected '.exitm' in file, no current macro definition");
}

void directive_stray_end(Arguments& a, int) {
  a.assembly.error(a.directive, "unexpected end of a macro or repetition: none is open");
}

void run_macro(Assembly& assembly, const Macro& macro, std::string_view rest, Location rest_at,
               Location word_at) {
  const auto& parameters = macro.parameters;
  const bool has_rest = !parameters.empty() && parameters.back().rest;
  const auto given = split_arguments(rest, has_rest ? parameters.size() : SIZE_MAX);
  std::vector<std::string> values(parameters.size());
  std::vector<bool> set(parameters.size());
  size_t position = 0;
  bool named = false;
  for (const std::string_view argument : given) {
    size_t index = position;
    std::string_view value = argument;
    const size_t equals = argument.find('=');
    if (equals != std::string_view::npos && argument.substr(equals, 2) != "==") {
      const std::string_view name = trimmed(argument.substr(0, equals));
      const auto p = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const MacroParameter& q) { return q.name == name; });
      if (p != parameters.end()) {
        index = static_cast<size_t>(p - parameters.begin());
        value = trimmed(argument.substr(equals + 1));
        named = true;
      }
    }
    const Location at = rest_at + static_cast<size_t>(argument.data() - rest.data());
    if (index == position && named && value.data() == argument.data()) {
      assembly.error(at, "cannot mix positional and keyword arguments");
      return;
    }
    if (index >= parameters.size()) {
      assembly.error(at, "too many positional arguments");
      return;
    }
    ++position;
    if (value.empty()) continue;
    values[index] = parameters[index].rest ? value : unquoted(value);
    set[index] = true;
  }
  std::vector<Replacement> replacements;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!set[i] && parameters[i].required) {
      assembly.error(word_at, fmt::format("missing value for required parameter '{}' in macro '{}'",
                                          parameters[i].name, macro.name));
      return;
    }
    if (!set[i]) values[i] = parameters[i].default_value;
    replacements.push_back({parameters[i].name, values[i]});
  }
  std::string text = substitute(macro.body, replacements, assembly.macro_count++);
  expand(assembly, Input::Kind::kMacro, std::move(text), word_at);
}

void directive_repeat(Arguments& a, int) {
  const Location where = a.here();
  const auto count = a.absolute();
  const auto body = read_body(a, false);
  if (!count || !body) return;
  constexpr size_t kMostBytes = size_t{1} << 28;
  if (*count < 0) {
    a.assembly.error(where, "Count is negative");
    return;
  }
  if (static_cast<uint64_t>(*count) > kMostBytes / (body->size() + 1)) {
    a.assembly.error(where, "the repetition makes too much text");
    return;
  }
  std::string text;
  for (int64_t i = 0; i < *count; ++i)
    text += body->find('\\') == std::string::npos ? *body
                                                  : substitute(*body, {}, a.assembly.macro_count);
  expand(a.assembly, Input::Kind::kRepeat, std::move(text), a.directive);
}

void directive_for_each(Arguments& a, int characters) {
  const auto name = a.name("identifier in '.irp' directive");
  if (name && !a.done()) a.expect(",");
  const std::string_view values = trimmed(without_comment(a.rest()));
  a.skip_rest();
  const auto body = read_body(a, false);
  if (!name || !body || a.failed()) return;
  std::vector<std::string_view> list;
  if (characters) {
    const std::string_view text = unquoted(values);
    for (size_t i = 0; i < text.size(); ++i) list.push_back(text.substr(i, 1));
  } else {
    list = split_arguments(values, SIZE_MAX);
    if (list.empty()) list.emplace_back();
  }
  std::string text;
  for (const std::string_view value : list)
    text +=
        substitute(*body, {{*name, characters ? value : unquoted(value)}}, a.assembly.macro_count);
  expand(a.assembly, Input::Kind::kRepeat, std::move(text), a.directive);
}

std::optional<std::string> read_beside(const Assembly& assembly, const std::string& name,
                                       std::string& path) {
  std::vector<std::string> folders = {""};
  const std::string& first = assembly.input.name(0);
  const size_t slash = first.find_last_of('/');
  if (slash != std::string::npos) folders.push_back(first.substr(0, slash + 1));
  for (const std::string& folder : assembly.options.include_paths) folders.push_back(folder + "/");
  for (const std::string& folder : folders) {
    path = name.starts_with("/") ? name : folder + name;
    std::ifstream in(path, std::ios::binary);
    if (in) return std::string(std::istreambuf_iterator<char>(in), {});
  }
  return std::nullopt;
}

void directive_include(Arguments& a, int) {
  const Location where = a.here();
  const auto name = a.string();
  if (!name) return;
  std::string path;
  auto contents = read_beside(a.assembly, *name, path);
  if (!contents) {
    a.assembly.error(where, fmt::format("Could not find include file '{}'", *name));
    return;
  }
  if (!a.assembly.input.push(Input::Kind::kFile, path, std::move(*contents), a.directive))
    a.assembly.error(where, "includes are nested too deep");
}

}  // namespace lockstep::asm_
