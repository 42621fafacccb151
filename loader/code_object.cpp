// SPDX-License-Identifier: MIT
// Code-object parsing: target, notes, kernels. The image itself is built in image.cpp.
#include "loader/code_object.h"

#include <algorithm>

#include "loader/elf_file.h"
#include "loader/image.h"

namespace lockstep::loader {
namespace {

constexpr uint8_t kOsAbiAmdgpuHsa = 64;
constexpr uint32_t kNoteMetadata = 32;  // NT_AMDGPU_METADATA
constexpr std::string_view kNoteVendor = "AMDGPU";

/// e_flags machine numbers that Lockstep does not run, for the error message.
struct OtherMachine {
  uint8_t mach;
  std::string_view name;
};
constexpr OtherMachine kOtherMachines[] = {
    {0x2c, "gfx900"},        {0x2f, "gfx906"},         {0x30, "gfx908"},
    {0x32, "gfx90c"},        {0x36, "gfx1030"},        {0x40, "gfx940"},
    {0x4b, "gfx941"},        {0x49, "gfx1250"},        {0x55, "gfx1152"},
    {0x58, "gfx1153"},       {0x51, "gfx9-generic"},   {0x54, "gfx11-generic"},
    {0x59, "gfx12-generic"}, {0x5f, "gfx9-4-generic"},
};

std::string supported_targets() {
  std::string list;
  for (const isa::TargetInfo& t : isa::all_targets()) {
    if (!list.empty()) list += ' ';
    list += t.name;
  }
  return list;
}

class Parser {
 public:
  explicit Parser(ByteSpan bytes) : bytes_(bytes) {}

  Result<CodeObject> run() {
    auto elf = parse_elf(bytes_);
    if (!elf) return Error{"code object: " + elf.error()};
    elf_ = std::move(*elf);
    if (!read_identity() || !read_target() || !build_image() || !read_notes() || !find_kernels())
      return Error{"code object: " + error_};
    return std::move(object_);
  }

 private:
  bool fail(std::string message) {
    error_ = std::move(message);
    return false;
  }

  bool read_identity() {
    const Elf64_Ehdr& h = elf_.header;
    if (h.e_machine != EM_AMDGPU)
      return fail(fmt::format("ELF header: e_machine (offset 0x12) is {}, not EM_AMDGPU (224)",
                              h.e_machine));
    if (h.e_ident[EI_OSABI] != kOsAbiAmdgpuHsa)
      return fail(fmt::format(
          "ELF header: EI_OSABI (offset 7) is {}, not AMDGPU_HSA (64); build for amdgcn-amd-amdhsa",
          h.e_ident[EI_OSABI]));
    if (h.e_type != ET_DYN && h.e_type != ET_REL)
      return fail(fmt::format(
          "ELF header: e_type (offset 0x10) is {}, neither ET_DYN (3) nor ET_REL (1)", h.e_type));
    const int abi = h.e_ident[EI_ABIVERSION];
    if (abi == 0)
      return fail(
          "ELF header: EI_ABIVERSION (offset 8) is 0: code object V2 is not supported (V3 to V6 "
          "are)");
    if (abi > 4)
      return fail(fmt::format(
          "ELF header: EI_ABIVERSION (offset 8) is {}; 1 to 4 (V3 to V6) are known", abi));
    object_.version = abi + 2;
    object_.relocatable = h.e_type == ET_REL;
    object_.e_flags = h.e_flags;
    return true;
  }

  bool read_target() {
    const uint32_t flags = object_.e_flags;
    const uint8_t mach = flags & 0xff;
    const auto target = isa::find_target_by_mach(mach);
    const uint32_t generic_version = object_.version >= 6 ? flags >> 24 : 0;
    if (!target || generic_version != 0) {
      std::string name = "unknown";
      for (const OtherMachine& other : kOtherMachines)
        if (other.mach == mach) name = other.name;
      const bool generic = name.ends_with("-generic") || generic_version != 0;
      return fail(
          fmt::format("ELF header: e_flags {:#x} (offset 0x30) names machine {:#x} ({}{}), which "
                      "is not supported; build for one of: {}",
                      flags, mach, generic ? "generic target " : "", name, supported_targets()));
    }
    object_.target = *target;
    const bool has_features = isa::target_info(*target).generation == isa::Generation::kGfx9;
    if (object_.version == 3) {  // one bit each: on, or else off
      const auto setting = [&](uint32_t bit) {
        return flags & bit    ? FeatureSetting::kOn
               : has_features ? FeatureSetting::kOff
                              : FeatureSetting::kUnsupported;
      };
      object_.xnack = setting(0x100);
      object_.sramecc = setting(0x200);
    } else {
      object_.xnack = static_cast<FeatureSetting>((flags >> 8) & 3);
      object_.sramecc = static_cast<FeatureSetting>((flags >> 10) & 3);
    }
    return true;
  }

  bool build_image() {
    auto built = object_.relocatable ? build_relocatable_image(elf_, object_)
                                     : build_linked_image(elf_, object_);
    return built ? true : fail(built.error());
  }

  bool read_notes() {
    for (size_t i = 0; i < elf_.sections.size(); ++i)
      if (elf_.sections[i].header.sh_type == SHT_NOTE &&
          !read_note_table(elf_.sections[i].bytes, elf_.describe_section(i)))
        return false;
    if (object_.metadata) return true;
    for (size_t i = 0; i < elf_.segments.size(); ++i) {
      const Elf64_Phdr& p = elf_.segments[i];
      if (p.p_type == PT_NOTE && !read_note_table(elf_.bytes.subspan(p.p_offset, p.p_filesz),
                                                  fmt::format("program header {}", i)))
        return false;
    }
    return true;
  }

  bool read_note_table(ByteSpan table, const std::string& where) {
    uint64_t offset = 0;
    while (offset < table.size() && !object_.metadata) {
      if (!in_bounds(offset, sizeof(Elf64_Nhdr), table.size()))
        return fail(past_end("note in " + where, "offset", offset, "header", sizeof(Elf64_Nhdr),
                             where, table.size()));
      const auto note = load_struct<Elf64_Nhdr>(table, offset);
      const uint64_t name = offset + sizeof(Elf64_Nhdr);
      if (!in_bounds(name, note.n_namesz, table.size()))
        return fail(past_end("note in " + where, "name at", name, "n_namesz", note.n_namesz, where,
                             table.size()));
      const uint64_t description = name + ((note.n_namesz + uint64_t{3}) & ~uint64_t{3});
      if (!in_bounds(description, note.n_descsz, table.size()))
        return fail(past_end("note in " + where, "description at", description, "n_descsz",
                             note.n_descsz, where, table.size()));
      const std::string_view vendor(reinterpret_cast<const char*>(table.data()) + name,
                                    note.n_namesz);
      if (note.n_type == kNoteMetadata && vendor.substr(0, vendor.find('\0')) == kNoteVendor) {
        auto metadata = parse_metadata(table.subspan(description, note.n_descsz));
        if (!metadata) return fail(metadata.error());
        object_.metadata = std::move(*metadata);
      }
      offset = description + ((note.n_descsz + uint64_t{3}) & ~uint64_t{3});
    }
    return true;
  }

  /// Descriptors are `*.kd` symbols; the metadata, where there is any, says more about them.
  bool find_kernels() {
    for (const Symbol& symbol : object_.symbols) by_name_.push_back(&symbol);
    std::ranges::stable_sort(by_name_, {},
                             [](const Symbol* s) { return std::tie(s->name, s->value); });
    std::vector<std::string_view> described;
    if (object_.metadata) {
      for (const KernelMetadata& m : object_.metadata->kernels) {
        const Symbol* symbol =
            find_symbol(m.symbol, [](const Symbol& s) { return s.defined && !s.absolute; });
        if (!symbol)
          return fail(fmt::format(
              "metadata note: kernel {}: .symbol names {}, which is not a defined symbol", m.name,
              m.symbol));
        if (!add_kernel(m.name.empty() ? std::string(kernel_name(m.symbol)) : m.name, *symbol, &m))
          return false;
        described.push_back(m.symbol);
      }
    }
    std::ranges::sort(described);
    const std::string* last = nullptr;
    for (const Symbol* symbol : by_name_) {
      const bool is_descriptor =
          symbol->defined && !symbol->absolute && symbol->name.ends_with(".kd") &&
          (symbol->kind == SymbolKind::kObject || symbol->kind == SymbolKind::kNone);
      if (!is_descriptor || (last && *last == symbol->name) ||
          std::ranges::binary_search(described, symbol->name))
        continue;
      last = &symbol->name;
      if (!add_kernel(std::string(kernel_name(symbol->name)), *symbol, nullptr)) return false;
    }
    return true;
  }

  static std::string_view kernel_name(std::string_view symbol) {
    return symbol.ends_with(".kd") ? symbol.substr(0, symbol.size() - 3) : symbol;
  }

  template <class Filter>
  const Symbol* find_symbol(std::string_view name, Filter filter) const {
    auto range = std::ranges::equal_range(
        by_name_, name, {}, [](const Symbol* s) -> std::string_view { return s->name; });
    for (const Symbol* symbol : range)
      if (filter(*symbol)) return symbol;
    return nullptr;
  }

  bool add_kernel(std::string name, const Symbol& symbol, const KernelMetadata* metadata) {
    Kernel kernel;
    kernel.descriptor_address = symbol.value;
    const ByteSpan bytes = object_.bytes_at(symbol.value, kKernelDescriptorSize);
    if (bytes.empty())
      return fail(
          fmt::format("kernel {}: its descriptor at {:#x} (64 bytes, symbol {}) is not in the "
                      "contents of a segment",
                      name, symbol.value, symbol.name));
    kernel.descriptor = parse_kernel_descriptor(bytes.first<kKernelDescriptorSize>());
    kernel.entry =
        symbol.value + static_cast<uint64_t>(kernel.descriptor.kernel_code_entry_byte_offset);
    const auto segment = std::ranges::find_if(object_.segments, [&](const Segment& s) {
      return s.executable && kernel.entry >= s.address &&
             in_bounds(kernel.entry - s.address, 4, s.bytes.size());
    });
    if (segment == object_.segments.end())
      return fail(fmt::format(
          "kernel {}: KERNEL_CODE_ENTRY_BYTE_OFFSET {:#x} of the descriptor at {:#x} gives the "
          "entry {:#x}, which is not in an executable segment",
          name, kernel.descriptor.kernel_code_entry_byte_offset, symbol.value, kernel.entry));
    if (const Symbol* code = find_symbol(kernel_name(symbol.name), [&](const Symbol& s) {
          return s.kind == SymbolKind::kFunction && s.value == kernel.entry;
        }))
      kernel.code_size = code->size;
    kernel.name = std::move(name);
    if (metadata) kernel.metadata = *metadata;
    object_.kernels.push_back(std::move(kernel));
    return true;
  }

  ByteSpan bytes_;
  ElfFile elf_;
  CodeObject object_;
  std::vector<const Symbol*> by_name_;
  std::string error_;
};

const char* suffix(FeatureSetting setting) {
  return setting == FeatureSetting::kOn ? "+" : setting == FeatureSetting::kOff ? "-" : nullptr;
}

}  // namespace

const Kernel* CodeObject::find_kernel(std::string_view name) const {
  const auto it = std::ranges::find(kernels, name, &Kernel::name);
  return it == kernels.end() ? nullptr : &*it;
}

const Section* CodeObject::find_section(std::string_view name) const {
  const auto it = std::ranges::find(sections, name, &Section::name);
  return it == sections.end() ? nullptr : &*it;
}

const Section* CodeObject::text() const {
  if (const Section* section = find_section(".text")) return section;
  const auto it = std::ranges::find_if(sections, &Section::executable);
  return it == sections.end() ? nullptr : &*it;
}

const Symbol* CodeObject::find_function(uint64_t address) const {
  const auto section = std::ranges::find_if(sections, [&](const Section& s) {
    return s.executable && address >= s.address && address - s.address < s.size;
  });
  if (section == sections.end()) return nullptr;
  const Symbol* nearest = nullptr;
  for (auto it = std::ranges::upper_bound(symbols, address, {}, &Symbol::value);
       it != symbols.begin();) {
    const Symbol& symbol = *--it;
    if (symbol.value < section->address) break;
    if (symbol.kind != SymbolKind::kFunction || !symbol.defined || symbol.absolute) continue;
    if (address - symbol.value < symbol.size) return &symbol;
    if (!nearest) nearest = &symbol;
  }
  return nearest;
}

std::span<const uint8_t> CodeObject::bytes_at(uint64_t address, uint64_t size) const {
  for (const Segment& s : segments)
    if (address >= s.address && in_bounds(address - s.address, size, s.bytes.size()))
      return std::span(s.bytes).subspan(address - s.address, size);
  return {};
}

std::string CodeObject::target_id() const {
  std::string id(isa::target_info(target).name);
  if (const char* s = suffix(sramecc)) id += std::string(":sramecc") + s;
  if (const char* s = suffix(xnack)) id += std::string(":xnack") + s;
  return id;
}

bool is_code_object(std::span<const uint8_t> bytes) {
  return is_elf64(bytes) && bytes.size() >= sizeof(Elf64_Ehdr) &&
         load_struct<Elf64_Ehdr>(bytes, 0).e_machine == EM_AMDGPU;
}

Result<CodeObject> parse_code_object(std::span<const uint8_t> bytes) { return Parser(bytes).run(); }

}  // namespace lockstep::loader
