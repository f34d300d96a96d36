/// The C++ standard library on the CPU.
#include <execution>
#include <numeric>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/scan.h"

namespace tally {
namespace {

template <typename T, typename Policy>
auto scanned_with(const Policy& policy, Scan<T> p) {
  return [=](Queue&) {
    if (p.inclusive) {
      std::inclusive_scan(policy, p.x, p.x + p.n, p.out, WrappingPlus<T>());
    } else {
      std::exclusive_scan(policy, p.x, p.x + p.n, p.out, T(0), WrappingPlus<T>());
    }
  };
}

TALLY_BASELINE(Scan, std, scan)
    .lesson("std::inclusive_scan or std::exclusive_scan on one core.")
    .source("C++ standard library")
    .types<float, double, std::int32_t, std::int64_t>()
    .prepare([]<typename T>(Scan<T> problem, const Tuning&, Scratch&) {
      return scanned_with(std::execution::seq, problem);
    });

TALLY_BASELINE(Scan, std, scan_par)
    .lesson(
        "std::inclusive_scan or std::exclusive_scan with std::execution::par: all cores, every element read "
        "twice.")
    .source("C++ standard library")
    .types<float, double, std::int32_t, std::int64_t>()
    .not_deterministic("the order of additions follows how the cores share the work")
    .prepare([]<typename T>(Scan<T> problem, const Tuning&, Scratch&) {
      return scanned_with(std::execution::par, problem);
    });

}  // namespace
}  // namespace tally
