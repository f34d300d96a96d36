#include "harness/device/machine_code.h"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <tuple>

#include "harness/sources/source_path.h"

namespace tally {
namespace {

std::string_view part(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) {
    throw std::runtime_error("GPU code that ends before its end: the program's file is not whole");
  }
  return bytes.substr(offset, size);
}

template <typename T>
T read(std::string_view bytes, std::uint64_t offset) {
  T value;
  std::memcpy(&value, part(bytes, offset, sizeof value).data(), sizeof value);
  return value;
}

std::string_view text_at(std::string_view bytes, std::uint64_t offset) {
  const std::string_view rest =
      part(bytes, offset, bytes.size() - std::min<std::uint64_t>(offset, bytes.size()));
  return rest.substr(0, rest.find('\0'));
}

struct Section {
  std::string_view name;
  std::string_view content;  ///< empty for a section that only claims memory
  std::uint64_t size;
  std::uint32_t info;
};

/// The sections of an ELF file, of a CPU's code or a GPU's.
std::vector<Section> sections_of(std::string_view image) {
  const auto header = read<Elf64_Ehdr>(image, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return {};
  const auto described = [&](std::uint64_t index) {
    return read<Elf64_Shdr>(image, header.e_shoff + index * sizeof(Elf64_Shdr));
  };
  const Elf64_Shdr names = described(header.e_shstrndx);
  std::vector<Section> sections;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr one = described(i);
    const bool in_file = one.sh_type != SHT_NOBITS && one.sh_type != SHT_NULL;
    sections.push_back({text_at(image, names.sh_offset + one.sh_name),
                        in_file ? part(image, one.sh_offset, one.sh_size) : std::string_view(), one.sh_size,
                        one.sh_info});
  }
  return sections;
}

/// .nv.info and .nv.info.<kernel>: records of a format, an attribute, and a value of two bytes or of a length
/// of two bytes. The attributes' numbers are those that `cuobjdump --dump-elf` names.
enum Attribute : std::uint8_t { frame_size = 0x11, register_count = 0x2f, barrier_count = 0x4c };

template <typename Use>
void for_each_attribute(std::string_view records, Use use) {
  constexpr std::uint8_t with_length = 4;
  for (std::uint64_t at = 0; at + 4 <= records.size();) {
    const auto format = read<std::uint8_t>(records, at);
    const auto attribute = read<std::uint8_t>(records, at + 1);
    const auto short_value = read<std::uint16_t>(records, at + 2);
    const std::uint64_t length = format == with_length ? short_value : 0;
    use(attribute, short_value, part(records, at + 4, length));
    at += 4 + length;
  }
}

std::string as_written(std::string_view symbol) {
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(std::string(symbol).c_str(), nullptr, nullptr, nullptr), std::free);
  return text ? text.get() : std::string(symbol);
}

std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char byte : bytes) hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3u;
  return hash;
}

/// An instruction is 16 bytes since sm_70, and its lowest 12 bits say which it is.
int count_instructions(std::string_view code, unsigned which) {
  int count = 0;
  for (std::uint64_t at = 0; at + 16 <= code.size(); at += 16) {
    count += (read<std::uint16_t>(code, at) & 0xfffu) == which;
  }
  return count;
}

/// One translation unit for one architecture.
void append_kernels(std::string_view cubin, const std::string& file, int architecture,
                    std::vector<KernelCode>& kernels) {
  constexpr unsigned load_local = 0x983;
  constexpr unsigned store_local = 0x387;
  constexpr std::int64_t kept_by_system = 1024;
  const std::vector<Section> sections = sections_of(cubin);
  std::map<std::string_view, const Section*> by_name;
  for (const Section& section : sections) by_name[section.name] = &section;
  const auto named = [&](const std::string& name) {
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : found->second;
  };
  std::map<std::uint32_t, std::map<std::uint8_t, std::uint32_t>> of_symbol;
  if (const Section* const shared_by_all = named(".nv.info")) {
    for_each_attribute(
        shared_by_all->content, [&](std::uint8_t attribute, std::uint16_t, std::string_view value) {
          if (value.size() == 8)
            of_symbol[read<std::uint32_t>(value, 0)][attribute] = read<std::uint32_t>(value, 4);
        });
  }
  for (const Section& code : sections) {
    constexpr std::string_view prefix = ".text.";
    if (!code.name.starts_with(prefix)) continue;
    const std::string symbol(code.name.substr(prefix.size()));
    const Section* const of_kernel = named(".nv.info." + symbol);
    KernelCode kernel{.file = file, .kernel = as_written(symbol), .architecture = architecture};
    const bool ours = kernel.kernel.starts_with("tally::") || kernel.kernel.starts_with("void tally::");
    if (!ours || of_kernel == nullptr) continue;  // a library's, or a function that kernels call
    // The upper byte is the register count up to sm_89.
    std::map<std::uint8_t, std::uint32_t>& facts = of_symbol[code.info & 0xffffffu];
    kernel.registers = static_cast<int>(facts[register_count]);
    kernel.stack_bytes = facts[frame_size];
    kernel.local_loads = count_instructions(code.content, load_local);
    kernel.local_stores = count_instructions(code.content, store_local);
    for_each_attribute(of_kernel->content,
                       [&](std::uint8_t attribute, std::uint16_t value, std::string_view) {
                         if (attribute == barrier_count) kernel.barriers = value & 0xff;
                       });
    if (const Section* const shared = named(".nv.shared." + symbol)) {
      const bool with_system = named(".nv.shared.reserved.0") != nullptr;
      kernel.static_shared_bytes =
          static_cast<std::int64_t>(shared->size) - (with_system ? kept_by_system : 0);
    }
    kernel.code_bytes = static_cast<std::int64_t>(code.content.size());
    kernel.code_hash = hash_of(code.content);
    kernels.push_back(std::move(kernel));
  }
}

/// The head of one element (PTX, or machine code for one architecture) of a fat binary; nvcc's file name
/// follows it.
struct FatElement {
  std::uint16_t kind;
  std::uint16_t version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;
  std::uint64_t options;
  std::uint16_t minor, major;
  std::uint32_t architecture;
  std::uint32_t name_offset, name_bytes;
};
static_assert(sizeof(FatElement) == 40);

struct FatHeader {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t bytes;
};
static_assert(sizeof(FatHeader) == 16);

void append_fat_binaries(std::string_view content, std::vector<KernelCode>& kernels) {
  constexpr std::uint32_t magic = 0xba55ed50;
  constexpr std::uint16_t machine_code = 2;
  for (std::uint64_t at = 0; at + sizeof(FatHeader) <= content.size();) {
    const auto header = read<FatHeader>(content, at);
    if (header.magic != magic) {
      at += 8;  // each begins at a multiple of 8
      continue;
    }
    const std::uint64_t end = at + header.header_bytes + header.bytes;
    for (at += header.header_bytes; at + sizeof(FatElement) <= end;) {
      const auto element = read<FatElement>(content, at);
      const std::string_view bytes = part(content, at + element.header_bytes, element.bytes);
      if (element.kind == machine_code && bytes.starts_with(ELFMAG)) {
        const std::string_view name = part(content, at + element.name_offset, element.name_bytes);
        append_kernels(bytes, path_in_repository(name), static_cast<int>(element.architecture), kernels);
      }
      at += element.header_bytes + element.bytes;
    }
    at = end;
  }
}

}  // namespace

std::vector<KernelCode> kernels_in(std::string_view image) {
  std::vector<KernelCode> kernels;
  for (const Section& section : sections_of(image)) {
    if (section.name == ".nv_fatbin") append_fat_binaries(section.content, kernels);
  }
  const auto place = [](const KernelCode& one) { return std::tie(one.file, one.kernel, one.architecture); };
  std::sort(kernels.begin(), kernels.end(),
            [&](const KernelCode& a, const KernelCode& b) { return place(a) < place(b); });
  return kernels;
}

std::vector<KernelCode> kernels_in_this_program() {
  const int program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat about {};
  if (program < 0) return {};
  std::vector<KernelCode> kernels;
  if (fstat(program, &about) == 0 && about.st_size > 0) {
    // Mapped, not read: it is more than a hundred megabytes, of which a few are looked at.
    const auto bytes = static_cast<std::size_t>(about.st_size);
    void* const image = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, program, 0);
    if (image != MAP_FAILED) {
      kernels = kernels_in({static_cast<const char*>(image), bytes});
      munmap(image, bytes);
    }
  }
  close(program);
  return kernels;
}

}  // namespace tally
