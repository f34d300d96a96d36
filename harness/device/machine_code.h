#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tally {

/// What the compiler made of one kernel for one GPU architecture. All of it stands in the program itself, so
/// that it is known of the very code that runs.
struct KernelCode {
  std::string file;              ///< that was compiled: "variants/<family>/<series>.cu"
  std::string kernel;            ///< as C++ writes it, with its template arguments and parameters
  int architecture = 0;          ///< 90 for sm_90
  int registers = 0;             ///< of a thread
  std::int64_t stack_bytes = 0;  ///< of a thread in local memory: spilled registers and indexed arrays
  int local_loads = 0;           ///< instructions that read local memory
  int local_stores = 0;          ///< instructions that write it
  std::int64_t static_shared_bytes = 0;  ///< of a block, without what the system keeps for itself
  int barriers = 0;                      ///< of a block, of the 16 that it may have
  std::int64_t code_bytes = 0;           ///< of machine code
  std::uint64_t code_hash = 0;           ///< FNV-1a of the machine code
};

/// The kernels of this project's own namespace in `image`, an ELF executable or object as nvcc makes it, in
/// the order of files, kernels and architectures. Libraries' kernels are left out: no edit here changes them.
/// Empty where there is no GPU code; compressed code (nvcc --compress-mode=size) is passed over. Throws
/// std::runtime_error where the image is not whole.
std::vector<KernelCode> kernels_in(std::string_view image);

/// kernels_in() the program that is running.
std::vector<KernelCode> kernels_in_this_program();

}  // namespace tally
