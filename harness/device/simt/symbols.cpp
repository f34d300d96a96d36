#include "harness/device/simt/symbols.h"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "harness/device/simt/executor.h"
#include "harness/device/simt/symbolizer.h"

namespace tally::simt {
namespace {

/// Function and thread-local symbols of one loaded program or library.
struct ModuleSymbols {
  std::map<std::uintptr_t, std::string> functions;  // by address in the file, mangled
  std::vector<SharedArray> shared;
  std::set<std::string> kernels;  // what language.h put into its section
};

std::string demangle(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : mangled;
}

void erase_all(std::string& text, const std::string& part) {
  for (std::size_t at; (at = text.find(part)) != std::string::npos;) text.erase(at, part.size());
}

/// "void (anonymous namespace)::reduce0<float>(float*, long)" -> "reduce0<float>"
std::string short_name(std::string text) {
  erase_all(text, "(anonymous namespace)::");
  erase_all(text, "tally::");
  int depth = 0;
  std::size_t end = text.size(), begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (c == ' ' && depth == 0) begin = i + 1;
    if (c == '(' && depth == 0) {
      end = i;
      break;
    }
  }
  return text.substr(begin, end - begin);
}

/// "reduce0(float*)::sdata" -> function and name.
SharedArray shared_array(const Elf64_Sym& symbol, const char* mangled) {
  SharedArray array{symbol.st_value, symbol.st_size, demangle(mangled), {}};
  erase_all(array.name, "(anonymous namespace)::");
  if (const std::size_t colons = array.name.rfind("::"); colons != std::string::npos) {
    array.function = short_name(array.name.substr(0, colons));
    array.name.erase(0, colons + 2);
  }
  return array;
}

void read_symbols(const char* bytes, std::size_t size, ModuleSymbols& symbols) {
  if (size < sizeof(Elf64_Ehdr) || std::memcmp(bytes, ELFMAG, SELFMAG) != 0 || bytes[EI_CLASS] != ELFCLASS64)
    return;
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(bytes);
  if (header->e_shoff == 0 || header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr) > size) return;
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(bytes + header->e_shoff);
  const char* section_names = bytes + sections[header->e_shstrndx].sh_offset;
  int kernel_section = -1;
  for (int s = 0; s < header->e_shnum; ++s) {
    if (std::strcmp(section_names + sections[s].sh_name, TALLY_SIMT_KERNEL_SECTION) == 0) kernel_section = s;
  }
  for (int s = 0; s < header->e_shnum; ++s) {
    if (sections[s].sh_type != SHT_SYMTAB && sections[s].sh_type != SHT_DYNSYM) continue;
    const auto* table = reinterpret_cast<const Elf64_Sym*>(bytes + sections[s].sh_offset);
    const char* names = bytes + sections[sections[s].sh_link].sh_offset;
    for (std::size_t i = 0; i < sections[s].sh_size / sizeof(Elf64_Sym); ++i) {
      const int type = ELF64_ST_TYPE(table[i].st_info);
      if (table[i].st_shndx == SHN_UNDEF) continue;
      const char* name = names + table[i].st_name;
      if (type == STT_FUNC) {
        symbols.functions.emplace(table[i].st_value, name);
        if (table[i].st_shndx == kernel_section) symbols.kernels.insert(short_name(demangle(name)));
      }
      // A local of a function has a mangled name that begins with _ZZ; other thread-locals are not a
      // kernel's.
      if (type == STT_TLS && std::strncmp(name, "_ZZ", 3) == 0 && sections[s].sh_type == SHT_SYMTAB) {
        symbols.shared.push_back(shared_array(table[i], name));
      }
    }
  }
  std::sort(symbols.shared.begin(), symbols.shared.end(),
            [](const SharedArray& a, const SharedArray& b) { return a.offset < b.offset; });
  for (SharedArray& array : symbols.shared) array.in_kernel = symbols.kernels.contains(array.function);
}

const ModuleSymbols& symbols_of(const std::string& path) {
  static std::mutex mutex;
  static auto* modules = new std::map<std::string, ModuleSymbols>;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = modules->try_emplace(path);
  if (!is_new) return found->second;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat facts {};
  if (file >= 0 && fstat(file, &facts) == 0 && facts.st_size > 0) {
    const auto size = static_cast<std::size_t>(facts.st_size);
    void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes != MAP_FAILED) {
      read_symbols(static_cast<const char*>(bytes), size, found->second);
      munmap(bytes, size);
    }
  }
  if (file >= 0) close(file);
  return found->second;
}

}  // namespace

Module module_of(const void* address) {
  struct Search {
    std::uintptr_t address;
    Module module;
  } search{reinterpret_cast<std::uintptr_t>(address), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        std::size_t tls_bytes = 0;
        bool inside = false;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& part = info->dlpi_phdr[i];
          const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
          if (part.p_type == PT_LOAD && wanted.address - begin < part.p_memsz) {
            inside = true;
            wanted.module.part_begin = begin;
            wanted.module.part_end = begin + part.p_memsz;
          }
          if (part.p_type == PT_TLS) tls_bytes = part.p_memsz;
        }
        if (!inside) return 0;
        const bool is_program = info->dlpi_name == nullptr || info->dlpi_name[0] == '\0';
        wanted.module.path = is_program ? "/proc/self/exe" : info->dlpi_name;
        wanted.module.base = info->dlpi_addr;
        wanted.module.tls_begin = reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data);
        wanted.module.tls_bytes = info->dlpi_tls_data == nullptr ? 0 : tls_bytes;
        return 1;
      },
      &search);
  return search.module;
}

std::string function_name(const void* function) {
  const Module module = module_of(function);
  if (module.path.empty()) return {};
  const ModuleSymbols& symbols = symbols_of(module.path);
  const auto found = symbols.functions.find(reinterpret_cast<std::uintptr_t>(function) - module.base);
  return found == symbols.functions.end() ? std::string() : short_name(demangle(found->second.c_str()));
}

std::string kernel_name(const GridLaunch& launch) {
  if (launch.name != nullptr && launch.name[0] != '\0') return launch.name;
  const std::string name = function_name(launch.kernel);
  return name.empty() ? "kernel" : name;
}

std::size_t static_shared_bytes(const void* kernel) {
  static std::mutex mutex;
  static auto* known = new std::map<const void*, std::size_t>;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = known->try_emplace(kernel, 0);
  if (!is_new) return found->second;
  const std::string name = function_name(kernel);
  const SharedArrays all = shared_arrays_of(kernel);
  if (name.empty() || all.arrays == nullptr) return 0;
  for (const SharedArray& array : *all.arrays) {
    if (array.function == name) found->second += array.bytes;
  }
  return found->second;
}

SharedArrays shared_arrays_of(const void* function) {
  const Module module = module_of(function);
  if (module.path.empty() || module.tls_bytes == 0) return {};
  return {module.tls_begin, module.tls_begin + module.tls_bytes, &symbols_of(module.path).shared};
}

}  // namespace tally::simt
