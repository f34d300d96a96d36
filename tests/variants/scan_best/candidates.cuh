#pragma once

#include <cub/device/device_scan.cuh>
#include <functional>
#include <string>
#include <vector>

#include "values.cuh"
#include "variants/scan/best.cuh"

/// What a sweep compares: every kernel in every shape, CUB's scan and a copy of the same bytes.
namespace tune {

template <typename T>
struct Question {
  const T* x;
  T* out;
  std::int64_t n;
  void* storage;
  std::size_t storage_bytes;
};

struct Candidate {
  std::string name;
  std::function<cudaError_t(cudaStream_t)> call;
};

/// One block for each tile is no way to start more blocks than this.
inline constexpr std::int64_t most_tiles = 1 << 20;

template <tally_scan::Kernel kernel, typename T>
void add_kernel(std::vector<Candidate>& all, const Question<T>& q) {
  const std::int64_t tiles = tally_scan::detail::tiles_of<T>(kernel, q.n);
  if (tiles > most_tiles) return;
  constexpr const char* ways[] = {"registers", "bulk"};
  const std::string name = std::string(ways[static_cast<int>(kernel.way)]) + " " +
                           std::to_string(kernel.threads) + "x" + std::to_string(kernel.words) + " near " +
                           std::to_string(kernel.near);
  all.push_back({name, [=](cudaStream_t stream) {
                   using tally_scan::detail::Slot;
                   return tally_scan::detail::launch_kernel<T, true, kernel>(
                       {q.x, q.out, q.n, static_cast<Slot*>(q.storage), stream});
                 }});
}

template <int threads, int words, typename T>
void add_registers(std::vector<Candidate>& all, const Question<T>& q) {
  using tally_scan::Kernel;
  using tally_scan::Way;
  if (q.n * static_cast<std::int64_t>(sizeof(T)) > 64 * tally_scan::megabytes) return;
  add_kernel<Kernel{Way::registers, threads, words, 4}>(all, q);
  add_kernel<Kernel{Way::registers, threads, words, 8}>(all, q);
}

template <int threads, int words, int near, typename T>
void add_bulk(std::vector<Candidate>& all, const Question<T>& q) {
  using tally_scan::Kernel;
  using tally_scan::Way;
  if (q.n * static_cast<std::int64_t>(sizeof(T)) < 2 * tally_scan::megabytes) return;
  add_kernel<Kernel{Way::bulk, threads, words, near}>(all, q);
}

template <typename T>
std::vector<Candidate> candidates_of(const Question<T>& q) {
  std::vector<Candidate> all;
  all.push_back({"cub", [=](cudaStream_t stream) {
                   std::size_t bytes = q.storage_bytes;
                   return cub::DeviceScan::InclusiveSum(q.storage, bytes, q.x, q.out, q.n, stream);
                 }});
  all.push_back({"best", [=](cudaStream_t stream) {
                   std::size_t bytes = q.storage_bytes;
                   return tally_scan::inclusive_sum(q.storage, bytes, q.x, q.out, q.n, stream);
                 }});
  add_registers<256, 1>(all, q);
  add_registers<512, 1>(all, q);
  add_registers<1024, 1>(all, q);
  add_registers<256, 2>(all, q);
  add_registers<512, 2>(all, q);
  add_registers<256, 4>(all, q);
  add_registers<512, 4>(all, q);
  add_registers<256, 8>(all, q);
  add_bulk<128, 7, 8>(all, q);
  add_bulk<128, 11, 2>(all, q);
  add_bulk<128, 11, 4>(all, q);
  add_bulk<128, 11, 8>(all, q);
  add_bulk<256, 7, 4>(all, q);
  add_bulk<256, 7, 8>(all, q);
  add_bulk<256, 11, 2>(all, q);
  add_bulk<256, 11, 4>(all, q);
  add_bulk<256, 11, 8>(all, q);
  add_bulk<512, 9, 2>(all, q);
  add_bulk<512, 9, 4>(all, q);
  return all;
}

}  // namespace tune
