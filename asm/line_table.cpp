// SPDX-License-Identifier: MIT
// Line tables in DWARF's form, with the same choices of opcodes as LLVM.
#include "asm/line_table.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <filesystem>
#include <map>

#include "asm/debug_bytes.h"

namespace lockstep::asm_ {
namespace {

// DWARF's numbers: opcodes of line programs, contents of entries, forms.
enum : uint8_t {
  DW_LNS_copy = 1,
  DW_LNS_advance_pc = 2,
  DW_LNS_advance_line = 3,
  DW_LNS_set_file = 4,
  DW_LNS_set_column = 5,
  DW_LNS_negate_stmt = 6,
  DW_LNS_set_basic_block = 7,
  DW_LNS_const_add_pc = 8,
  DW_LNS_set_prologue_end = 10,
  DW_LNS_set_epilogue_begin = 11,
  DW_LNS_set_isa = 12,
  DW_LNE_end_sequence = 1,
  DW_LNE_set_address = 2,
  DW_LNE_set_discriminator = 4,
  DW_LNCT_path = 1,
  DW_LNCT_directory_index = 2,
  DW_LNCT_MD5 = 5,
  DW_FORM_udata = 0x0f,
  DW_FORM_data16 = 0x1e,
  DW_FORM_line_strp = 0x1f,
};
constexpr uint64_t kLlvmSource = 0x2001;  // contents of an entry, LLVM's own

constexpr int64_t kLineBase = -5;
constexpr int64_t kLineRange = 14;
constexpr int64_t kOpcodeBase = 13;
constexpr int64_t kMostAdvance = (255 - kOpcodeBase) / kLineRange;  // of DW_LNS_const_add_pc
constexpr int64_t kEnd = INT64_MAX;                                 // in place of a step of lines

}  // namespace

void LineTable::set_root(SourceFile file) {
  compilation_directory_ = file.directory;
  count_sum(file.md5.has_value());
  root_ = File{file.name, 0, file.md5, file.contents};
}

std::string LineTable::add(uint32_t number, SourceFile file) {
  if (file.directory == compilation_directory_) file.directory.clear();
  if (file.name.empty()) {
    file.name = "<stdin>";
    file.directory.clear();
  }
  // What is compiled, said again: LLVM compares no directories and drops the number.
  if (root_ && root_->name == file.name && root_->md5 == file.md5) return {};
  if (number >= files_.size()) files_.resize(number + size_t{1});
  File& known = files_[number];
  if (!known.name.empty()) return "file number already allocated";
  if (file.directory.empty()) {
    const size_t slash = file.name.rfind('/');
    if (slash != std::string::npos && slash + 1 != file.name.size()) {
      file.directory = file.name.substr(0, std::max<size_t>(slash, 1));
      file.name.erase(0, slash + 1);
    }
  }
  known = {file.name, 0, file.md5, file.contents};
  if (!file.directory.empty()) {
    auto it = std::find(directories_.begin(), directories_.end(), file.directory);
    if (it == directories_.end()) it = directories_.insert(it, file.directory);
    known.directory = static_cast<uint64_t>(it - directories_.begin()) + 1;
  }
  count_sum(file.md5.has_value());
  return {};
}

void LineTable::count_sum(bool has_sum) {
  any_sum_ |= has_sum;
  all_sums_ &= has_sum;
}

bool LineTable::has(uint32_t number) const {
  if (number == 0) return root_.has_value();
  return number < files_.size() && !files_[number].name.empty();
}

void LineTable::locate(const SourceLine& line, const Section& section) {
  mark(section);
  line_ = line;
  pending_ = true;
}

void LineTable::add_row(const Section& section) {
  pending_ = false;
  auto it = std::find_if(rows_.begin(), rows_.end(),
                         [&](const auto& rows) { return rows.first == section.index; });
  if (it == rows_.end()) it = rows_.insert(it, {section.index, {}});
  it->second.push_back({section.size(), line_});
}

class LineTable::Writer {
 public:
  Writer(const LineTable& table, Assembly& assembly)
      : table_(table),
        assembly_(assembly),
        out_(assembly, debug_section(assembly, ".debug_line")) {}

  void run() {
    const size_t unit = out_.open_length();
    out_.number(static_cast<uint64_t>(table_.version()), 2);
    if (table_.root_) {
      out_.number(sizeof(uint64_t), 1);  // of an address
      out_.number(0, 1);                 // of a segment
    }
    const size_t header = out_.open_length();
    out_.number(kInstructionSize, 1);
    for (const int64_t n : {int64_t{1}, int64_t{1}, kLineBase, kLineRange, kOpcodeBase})
      out_.number(static_cast<uint64_t>(n), 1);
    for (const uint8_t operands : {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}) out_.number(operands, 1);
    table_.root_ ? files_of_5() : files_of_4();
    out_.close_length(header);
    for (const auto& [section, rows] : table_.rows_) sequence(section, rows);
    out_.close_length(unit);
    if (!table_.root_) return;
    Section& strings = debug_section(assembly_, ".debug_line_str", SHF_MERGE | SHF_STRINGS, 1);
    strings.bytes.insert(strings.bytes.end(), strings_.begin(), strings_.end());
  }

 private:
  void files_of_4() {
    for (const std::string& d : table_.directories_) out_.string(d);
    out_.number(0, 1);
    for (size_t i = 1; i < table_.files_.size(); ++i) {
      out_.string(table_.files_[i].name);
      out_.uleb(table_.files_[i].directory);
      out_.uleb(0);  // time
      out_.uleb(0);  // size
    }
    out_.number(0, 1);
  }

  void files_of_5() {
    const auto has_contents = [](const File& f) { return f.contents.has_value(); };
    const bool contents = has_contents(*table_.root_) ||
                          std::any_of(table_.files_.begin(), table_.files_.end(), has_contents);
    out_.number(1, 1);
    out_.uleb(DW_LNCT_path);
    out_.uleb(DW_FORM_line_strp);
    out_.uleb(table_.directories_.size() + 1);
    reference(table_.compilation_directory_.empty() ? std::filesystem::current_path().string()
                                                    : table_.compilation_directory_);
    for (const std::string& d : table_.directories_) reference(d);
    out_.number(2u + table_.all_sums_ + contents, 1);
    out_.uleb(DW_LNCT_path);
    out_.uleb(DW_FORM_line_strp);
    out_.uleb(DW_LNCT_directory_index);
    out_.uleb(DW_FORM_udata);
    if (table_.all_sums_) {
      out_.uleb(DW_LNCT_MD5);
      out_.uleb(DW_FORM_data16);
    }
    if (contents) {
      out_.uleb(kLlvmSource);
      out_.uleb(DW_FORM_line_strp);
    }
    out_.uleb(std::max<size_t>(table_.files_.size(), 1));
    file_of_5(*table_.root_, contents);
    for (size_t i = 1; i < table_.files_.size(); ++i) file_of_5(table_.files_[i], contents);
  }

  void file_of_5(const File& f, bool contents) {
    reference(f.name);
    out_.uleb(f.directory);
    if (table_.all_sums_)
      for (const uint8_t byte : f.md5.value_or(Md5{})) out_.number(byte, 1);
    if (!contents) return;
    // No text at all means that it is not known; an empty file is one empty line.
    reference(f.contents && f.contents->empty() ? "\n" : f.contents.value_or(""));
  }

  /// To a text in .debug_line_str.
  void reference(const std::string& text) {
    const auto [it, is_new] = string_offsets_.emplace(text, strings_.size());
    if (is_new) strings_.append(text).push_back('\0');
    Section& strings = debug_section(assembly_, ".debug_line_str", SHF_MERGE | SHF_STRINGS, 1);
    out_.address(strings, strings.bytes.size() + it->second, FixupKind::kData4);
  }

  void sequence(uint32_t section_number, const std::vector<Row>& rows) {
    Section& section = assembly_.sections()[section_number];
    SourceLine now;
    now.line = 1;
    std::optional<uint64_t> at;
    for (const Row& row : rows) {
      const SourceLine& to = row.line;
      const auto set = [&](uint32_t& value, uint32_t wanted, uint8_t opcode) {
        if (value == wanted) return;
        value = wanted;
        out_.number(opcode, 1);
        out_.uleb(wanted);
      };
      set(now.file, to.file, DW_LNS_set_file);
      set(now.column, to.column, DW_LNS_set_column);
      if (to.discriminator != 0) {
        out_.extended(DW_LNE_set_discriminator, uleb_size(to.discriminator));
        out_.uleb(to.discriminator);
      }
      set(now.isa, to.isa, DW_LNS_set_isa);
      if (now.is_statement != to.is_statement) out_.number(DW_LNS_negate_stmt, 1);
      now.is_statement = to.is_statement;
      if (to.basic_block) out_.number(DW_LNS_set_basic_block, 1);
      if (to.prologue_end) out_.number(DW_LNS_set_prologue_end, 1);
      if (to.epilogue_begin) out_.number(DW_LNS_set_epilogue_begin, 1);
      if (!at) {
        out_.extended(DW_LNE_set_address, sizeof(uint64_t));
        out_.address(section, row.offset, FixupKind::kData8);
      }
      advance(int64_t{to.line} - now.line, row.offset - at.value_or(row.offset));
      now.line = to.line;
      at = row.offset;
    }
    advance(kEnd, section.size() - at.value_or(section.size()));
  }

  /// One row further, or (kEnd) the end of the sequence.
  void advance(int64_t lines, uint64_t bytes) {
    const auto steps = static_cast<int64_t>(bytes / kInstructionSize);
    if (lines == kEnd) {
      if (steps == kMostAdvance)
        out_.number(DW_LNS_const_add_pc, 1);
      else if (steps != 0)
        advance_address(steps);
      out_.extended(DW_LNE_end_sequence, 0);
      return;
    }
    bool copy = false;
    if (lines < kLineBase || lines >= kLineBase + kLineRange) {
      out_.number(DW_LNS_advance_line, 1);
      out_.sleb(lines);
      lines = 0;
      copy = true;
    }
    if (lines == 0 && steps == 0) {
      out_.number(DW_LNS_copy, 1);
      return;
    }
    const int64_t special = lines - kLineBase + kOpcodeBase;
    const auto fits = [&](int64_t s) { return s >= 0 && special + s * kLineRange <= UINT8_MAX; };
    if (fits(steps)) {
      out_.number(static_cast<uint64_t>(special + steps * kLineRange), 1);
    } else if (fits(steps - kMostAdvance)) {
      out_.number(DW_LNS_const_add_pc, 1);
      out_.number(static_cast<uint64_t>(special + (steps - kMostAdvance) * kLineRange), 1);
    } else {
      advance_address(steps);
      out_.number(copy ? uint64_t{DW_LNS_copy} : static_cast<uint64_t>(special), 1);
    }
  }

  void advance_address(int64_t steps) {
    out_.number(DW_LNS_advance_pc, 1);
    out_.uleb(static_cast<uint64_t>(steps));
  }

  const LineTable& table_;
  Assembly& assembly_;
  DebugBytes out_;
  std::string strings_;
  std::map<std::string, size_t> string_offsets_;
};

void LineTable::write(Assembly& assembly) const {
  if (!root_ && files_.empty()) return;
  for (size_t i = 1; i < files_.size(); ++i)
    if (files_[i].name.empty()) {
      assembly.error({}, fmt::format("unassigned file number: {} for .file directives", i));
      return;
    }
  Writer(*this, assembly).run();
}

}  // namespace lockstep::asm_
