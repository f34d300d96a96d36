/// \file
/// Where an address lies in the loaded program, for symbols.h.
#pragma once

#include <cstdint>
#include <string>

namespace tally::simt {

struct Module {
  std::string path;                             ///< empty: the address is in no module
  std::uintptr_t base = 0;                      ///< what its addresses in memory add to those in the file
  std::uintptr_t part_begin = 0, part_end = 0;  ///< the loaded part that holds the address
  std::uintptr_t tls_begin = 0;                 ///< the calling thread's copy of its thread-local block
  std::uintptr_t tls_bytes = 0;
};

Module module_of(const void* address);

}  // namespace tally::simt
