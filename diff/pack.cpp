// SPDX-License-Identifier: MIT
// Reads and writes packs. States are runs of dwords that differ from what they build on: inputs from
// the background, results from their input.
#include "diff/pack.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <nlohmann/json.hpp>

#include "runtime/topology.h"

namespace lockstep::diff {
namespace {

using nlohmann::json;

constexpr size_t kMostLine = size_t{256} << 20;

gzFile file_of(void* file) { return static_cast<gzFile>(file); }

/// "12:0000000f00000010 40:ffffffff": dwords from word 12 on, and so on.
std::string write_runs(const State& base, const State& state) {
  std::string text;
  for (size_t i = 0; i < state.size();) {
    if (state[i] == base[i]) {
      ++i;
      continue;
    }
    text += fmt::format("{}{}:", text.empty() ? "" : " ", i);
    for (; i < state.size() && state[i] != base[i]; ++i) text += fmt::format("{:08x}", state[i]);
  }
  return text;
}

bool read_hex(std::string_view text, uint32_t& value) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

Result<State> read_runs(State state, std::string_view text) {
  while (!text.empty()) {
    const size_t colon = text.find(':');
    size_t at = 0;
    if (colon == std::string_view::npos || colon == 0 ||
        std::from_chars(text.data(), text.data() + colon, at).ptr != text.data() + colon)
      return Error{"a state has no word number where one must be"};
    text.remove_prefix(colon + 1);
    const size_t blank = std::min(text.find(' '), text.size());
    if (blank == 0 || blank % 8 || at > state.size() || blank / 8 > state.size() - at)
      return Error{fmt::format("a state has words beyond its {}", state.size())};
    for (size_t i = 0; i < blank; i += 8)
      if (!read_hex(text.substr(i, 8), state[at + i / 8]))
        return Error{"a state has something that is no hexadecimal number"};
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  return state;
}

Result<Recorded> read_program(const json& line, isa::Target target) {
  Recorded r;
  Program& p = r.program;
  Layout& l = p.layout;
  l.target = target;
  p.name = line.at("name").get<std::string>();
  l.wave_size = line.at("wave").get<uint32_t>();
  l.vgprs = line.at("vgprs").get<uint32_t>();
  l.agprs = line.at("agprs").get<uint32_t>();
  l.lds_bytes = line.at("lds").get<uint32_t>();
  l.memory_bytes = line.at("memory").get<uint32_t>();
  l.slot = line.at("slot").get<uint32_t>();
  if (auto good = check_layout(l); !good) return Error{good.error()};
  const auto code = line.at("code").get<std::string>();
  if (code.empty() || code.size() % 8) return Error{"the code is no whole number of dwords"};
  for (size_t i = 0; i < code.size(); i += 2) {
    uint32_t byte = 0;
    if (!read_hex(std::string_view(code).substr(i, 2), byte))
      return Error{"the code has something that is no hexadecimal number"};
    p.code.push_back(static_cast<uint8_t>(byte));
  }
  const json& waves = line.at("waves");
  if (!waves.is_array() || waves.empty() || waves.size() > kMostInputs)
    return Error{fmt::format("a program has 1 to {} waves", kMostInputs)};
  const State base = background(l);
  for (const json& wave : waves) {
    auto input = read_runs(base, wave.at("in").get<std::string>());
    if (!input) return Error{input.error()};
    Outcome outcome;
    outcome.state.resize(l.words());
    if (wave.contains("fault")) {
      outcome.fault = wave.at("fault").get<std::string>();
    } else {
      auto state = read_runs(*input, wave.at("out").get<std::string>());
      if (!state) return Error{state.error()};
      outcome.state = std::move(*state);
    }
    p.inputs.push_back(std::move(*input));
    r.outcomes.push_back(std::move(outcome));
  }
  return r;
}

}  // namespace

Result<std::unique_ptr<PackWriter>> PackWriter::open(const std::string& path,
                                                     const PackHeader& header) {
  std::unique_ptr<PackWriter> writer(new PackWriter);
  writer->path_ = path;
  errno = 0;
  writer->file_ = gzopen(path.c_str(), "wb");
  if (!writer->file_)
    return Error{fmt::format("cannot write {}: {}", path, errno ? strerror(errno) : "no memory")};
  const json first = {{"lockstep_pack", kPackVersion},
                      {"target", isa::target_info(header.target).name},
                      {"recorded_on", header.recorded_on},
                      {"facts", header.facts}};
  if (auto done = writer->line(first.dump(-1, ' ', false, json::error_handler_t::replace)); !done)
    return Error{done.error()};
  return writer;
}

PackWriter::~PackWriter() {
  if (file_) gzclose(file_of(file_));
}

Result<void> PackWriter::line(const std::string& text) {
  const std::string whole = text + "\n";
  if (gzfwrite(whole.data(), 1, whole.size(), file_of(file_)) == whole.size()) return {};
  return Error{fmt::format("cannot write {}", path_)};
}

Result<void> PackWriter::add(const Program& program, const std::vector<Outcome>& outcomes) {
  const Layout& l = program.layout;
  std::string code;
  for (const uint8_t byte : program.code) code += fmt::format("{:02x}", byte);
  json waves = json::array();
  const State base = background(l);
  for (size_t i = 0; i < outcomes.size(); ++i) {
    json wave = {{"in", write_runs(base, program.inputs[i])}};
    if (outcomes[i].fault.empty())
      wave["out"] = write_runs(program.inputs[i], outcomes[i].state);
    else
      wave["fault"] = outcomes[i].fault;
    waves.push_back(std::move(wave));
  }
  const json line_json = {{"name", program.name},
                          {"text", program.text()},
                          {"wave", l.wave_size},
                          {"vgprs", l.vgprs},
                          {"agprs", l.agprs},
                          {"lds", l.lds_bytes},
                          {"memory", l.memory_bytes},
                          {"slot", l.slot},
                          {"code", code},
                          {"waves", waves}};
  ++programs_;
  return line(line_json.dump(-1, ' ', false, json::error_handler_t::replace));
}

Result<void> PackWriter::finish() {
  if (auto done = line(json{{"end", programs_}}.dump()); !done) return done;
  const int status = gzclose(file_of(file_));
  file_ = nullptr;
  if (status != Z_OK) return Error{fmt::format("cannot write {}", path_)};
  return {};
}

Error PackReader::bad(const std::string& what) const {
  return Error{fmt::format("{}: line {}: {}", path_, line_, what)};
}

Result<std::unique_ptr<PackReader>> PackReader::open(const std::string& path) {
  std::unique_ptr<PackReader> reader(new PackReader);
  reader->path_ = path;
  errno = 0;
  reader->file_ = gzopen(path.c_str(), "rb");
  if (!reader->file_)
    return Error{fmt::format("cannot read {}: {}", path, errno ? strerror(errno) : "no memory")};
  const auto text = reader->line();
  if (!text) return Error{text.error()};
  const json first = json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!first.is_object() || !first.contains("lockstep_pack") ||
      !first["lockstep_pack"].is_number_integer())
    return Error{fmt::format("{} is no pack of `lockstep diff --record`", path)};
  if (const int version = first["lockstep_pack"]; version != kPackVersion)
    return Error{fmt::format("{} is of pack version {}; this Lockstep reads version {}", path,
                             version, kPackVersion)};
  try {
    const auto name = first.at("target").get<std::string>();
    const auto target = isa::find_target(name);
    if (!target) return reader->bad(fmt::format("there is no target {}", name));
    reader->header_.target = *target;
    reader->header_.recorded_on = first.at("recorded_on").get<std::string>();
    reader->header_.facts = first.at("facts").get<std::map<std::string, std::string>>();
  } catch (const json::exception& error) {
    return reader->bad(error.what());
  }
  return reader;
}

PackReader::~PackReader() {
  if (file_) gzclose(file_of(file_));
}

Result<std::string> PackReader::line() {
  std::string text;
  char buffer[65536];
  ++line_;
  while (gzgets(file_of(file_), buffer, sizeof buffer)) {
    text += buffer;
    if (text.ends_with('\n')) return text;
    if (text.size() > kMostLine) return bad("is too long");
  }
  int status = Z_OK;
  const char* what = gzerror(file_of(file_), &status);
  if (status != Z_OK && status != Z_STREAM_END)
    return bad(fmt::format("the file is damaged or cut off ({})", what));
  return bad("the file is cut off");
}

Result<std::optional<Recorded>> PackReader::next() {
  if (ended_) return std::optional<Recorded>{};
  const auto text = line();
  if (!text) return Error{text.error()};
  const json parsed = json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) return bad("is no JSON object");
  try {
    if (parsed.contains("end")) {
      if (parsed.at("end").get<uint64_t>() != programs_)
        return bad(
            fmt::format("counts {} programs, there were {}", parsed.at("end").dump(), programs_));
      // The checksum is behind the last line.
      char more[16];
      int status = Z_OK;
      const bool follows = gzgets(file_of(file_), more, sizeof more) != nullptr;
      gzerror(file_of(file_), &status);
      if (follows) return bad("something follows the end");
      if (status != Z_OK && status != Z_STREAM_END)
        return bad("the file is damaged or cut off at its end");
      ended_ = true;
      return std::optional<Recorded>{};
    }
    auto recorded = read_program(parsed, header_.target);
    if (!recorded) return bad(recorded.error());
    ++programs_;
    return std::optional<Recorded>(std::move(*recorded));
  } catch (const json::exception& error) {
    return bad(error.what());
  }
}

std::map<std::string, std::string> machine_facts(std::optional<size_t> index) {
  std::map<std::string, std::string> facts;
  utsname name{};
  if (uname(&name) == 0) facts["kernel"] = fmt::format("{} {}", name.sysname, name.release);
  char date[32];
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  if (gmtime_r(&now, &utc) && std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc))
    facts["recorded_at"] = date;
  if (!index) return facts;
  const auto gpus = runtime::list_gpus();
  if (!gpus || *index >= gpus->size()) return facts;
  const runtime::GpuNode& gpu = (*gpus)[*index];
  facts["gpu"] = gpu.describe();
  facts["device_id"] = fmt::format("{:#06x}", gpu.device_id);
  facts["firmware"] = fmt::format("{}", gpu.firmware_version);
  facts["xcc_count"] = fmt::format("{}", gpu.xcc_count);
  return facts;
}

}  // namespace lockstep::diff
