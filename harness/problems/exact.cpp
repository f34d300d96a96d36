#include "harness/problems/exact.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

namespace tally {
namespace {

constexpr std::int64_t smallest_part = 1 << 16;  // below this a thread costs more than it saves

auto key_of(const InputSpec& s) {
  return std::tuple(s.kind, s.distribution, s.seed, s.count, s.bound, s.exponent_range, s.window, s.distinct,
                    s.offset, s.period);
}

}  // namespace

void Moments::add(Int128 term) {
  sum += term;
  sum_of_magnitudes += term < 0 ? -term : term;
  smallest = std::min(smallest, static_cast<std::int64_t>(term));
  largest = std::max(largest, static_cast<std::int64_t>(term));
}

void Moments::add(const Moments& other) {
  sum += other.sum;
  sum_of_magnitudes += other.sum_of_magnitudes;
  smallest = std::min(smallest, other.smallest);
  largest = std::max(largest, other.largest);
}

void on_all_cores(std::int64_t count, const std::function<void(std::int64_t, std::int64_t)>& part) {
  const std::int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::int64_t parts = std::clamp<std::int64_t>(count / smallest_part, 1, cores);
  std::vector<std::jthread> threads;
  for (std::int64_t p = 1; p < parts; ++p) {
    threads.emplace_back([&part, count, parts, p] { part(count * p / parts, count * (p + 1) / parts); });
  }
  part(0, count / parts);
}

namespace detail {
void merge_moments(std::int64_t count, const std::function<Moments(std::int64_t, std::int64_t)>& part,
                   Moments& total) {
  std::mutex merging;
  on_all_cores(count, [&](std::int64_t first, std::int64_t last) {
    const Moments mine = part(first, last);
    const std::lock_guard lock(merging);
    total.add(mine);
  });
}
}  // namespace detail

namespace {

/// Answers that were asked for lately, by what they are the answer to. Safe to ask from several threads.
template <typename Key, typename Compute>
Moments remembered(const Key& key, Compute compute) {
  static std::mutex guard;
  static std::list<std::pair<Key, Moments>> answers;
  constexpr std::size_t capacity = 256;
  const std::lock_guard lock(guard);
  for (const auto& [known, moments] : answers) {
    if (known == key) return moments;
  }
  answers.emplace_front(key, compute());
  if (answers.size() > capacity) answers.pop_back();
  return answers.front().second;
}

}  // namespace

Moments input_moments(const InputSpec& spec) {
  return remembered(key_of(spec), [&] {
    return moments_of(spec.count, [&spec](std::int64_t i) { return integer_at(spec, i); });
  });
}

Moments square_moments(const InputSpec& spec) {
  return remembered(key_of(spec), [&] {
    return moments_of(spec.count, [&spec](std::int64_t i) {
      const Int128 value = integer_at(spec, i);
      return value * value;
    });
  });
}

Moments product_moments(const InputSpec& x, const InputSpec& y) {
  return remembered(std::pair(key_of(x), key_of(y)), [&] {
    return moments_of(x.count, [&](std::int64_t i) { return Int128{integer_at(x, i)} * integer_at(y, i); });
  });
}

double scaled(Int128 value, int fraction_bits) {
  // The conversion rounds once, from all 128 bits; the power of two is exact.
  return std::ldexp(static_cast<double>(value), -fraction_bits);
}

double distance(double answer, Int128 value, int fraction_bits) {
  // 64 significand bits of long double are more than any answer's; what they lose of `value` is far below one
  // ulp of the answer, and nothing is lost where the answer is right to the last bit of a 64-bit type.
  const long double exact = std::ldexp(static_cast<long double>(value), -fraction_bits);
  return static_cast<double>(std::fabs(static_cast<long double>(answer) - exact));
}

}  // namespace tally
