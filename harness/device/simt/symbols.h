/// \file
/// Names for addresses of the running program: functions and shared arrays from its symbol table, source
/// lines from its debug information (through llvm-symbolizer or addr2line). What cannot be found out stays
/// unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tally::simt {

struct GridLaunch;

struct SourceLine {
  std::string file;  ///< relative to the working directory where it lies below it; empty: unknown
  int line = 0;

  bool known() const { return !file.empty(); }
  std::string text() const { return known() ? file + ":" + std::to_string(line) : "unknown line"; }
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
  friend auto operator<=>(const SourceLine&, const SourceLine&) = default;
};

/// The lines of the calls that return to `places`; of inlined code the innermost line that is not the
/// executor's own. Runs the symbolizer once for all that are not known yet.
std::vector<SourceLine> source_lines(std::span<const void* const> places);
SourceLine source_line(const void* place);

/// The demangled function that begins at `function`, without its parameters and unnamed namespaces; empty if
/// unknown.
std::string function_name(const void* function);
std::string kernel_name(const GridLaunch& launch);

/// A `__shared__` array as the program's symbol table has it.
struct SharedArray {
  std::size_t offset, bytes;  ///< in the module's thread-local block
  std::string name;           ///< "sdata"
  std::string function;       ///< the function that declares it, as function_name() writes it
  bool in_kernel = false;     ///< that function is known to be a kernel
};

/// The thread-local block of a module as the calling thread sees it, and the shared arrays in it, by rising
/// offset.
struct SharedArrays {
  std::uintptr_t begin = 0, end = 0;
  const std::vector<SharedArray>* arrays = nullptr;
};

/// Bytes of the arrays that the kernel itself declares, as far as the symbol table tells.
std::size_t static_shared_bytes(const void* kernel);

/// For the module that `function` is in.
SharedArrays shared_arrays_of(const void* function);

}  // namespace tally::simt
