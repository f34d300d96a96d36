#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace tally::cuda {

/// Adds hash_of_bits(array, bytes) to *hash; array and hash are device memory, the array aligned to 8 bytes.
void add_hash(const void* array, std::int64_t bytes, unsigned long long* hash, cudaStream_t stream);

}  // namespace tally::cuda
