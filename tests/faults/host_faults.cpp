/// Library code that goes wrong in every way in which a process can, and one that is right: what the harness
/// must survive, each at the cost of its own rows. Linked into harness_faults only.
#include <chrono>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <thread>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/reduce.h"

namespace tally {
namespace {

void right_sum(const Reduce<float, Sum<float>>& problem) {
  double sum = 0;
  for (std::int64_t i = 0; i < problem.n; ++i) sum += static_cast<double>(problem.x[i]);
  *problem.out = problem.op.finish(static_cast<float>(sum));
}

/// A right sum, and then the fault.
template <typename Fault>
auto sum_with(Fault fault) {
  return [fault](Reduce<float, Sum<float>> problem, const Tuning&, Scratch&) {
    return [problem, fault](Queue&) {
      right_sum(problem);
      fault(problem);
    };
  };
}

/// EntryBuilder asks for templates over the types; all of these are for float sums.
template <typename Fault>
auto planted(Fault fault) {
  return [fault]<typename T>(Reduce<T, Sum<T>> problem, const Tuning& t, Scratch& scratch) {
    return sum_with(fault)(problem, t, scratch);
  };
}

using FloatSum = const Reduce<float, Sum<float>>&;

TALLY_BASELINE(Reduce, planted, right)
    .lesson("Right, so that others' rows can be seen to be there.")
    .types<float>()
    .prepare(planted([](FloatSum) {}));

TALLY_BASELINE(Reduce, planted, right_too)
    .lesson("Right as well.")
    .types<float>()
    .prepare(planted([](FloatSum) {}));

TALLY_BASELINE(Reduce, planted, wrong)
    .lesson("Answers wrongly.")
    .types<float>()
    .prepare(planted([](FloatSum problem) { *problem.out += 1 + *problem.out; }));

TALLY_BASELINE(Reduce, planted, segfault)
    .lesson("Writes to an address that is not there.")
    .types<float>()
    .prepare(planted([](FloatSum) { *reinterpret_cast<volatile int*>(8) = 1; }));

TALLY_BASELINE(Reduce, planted, segfault_when_large)
    .lesson("Writes to an address that is not there, at sizes that only a measurement has.")
    .types<float>()
    .prepare(planted([](FloatSum problem) {
      if (problem.n >= 64 && problem.n != 1000) *reinterpret_cast<volatile int*>(8) = 1;
    }));

TALLY_BASELINE(Reduce, planted, abort)
    .lesson("Ends its process by SIGABRT.")
    .types<float>()
    .prepare(planted([](FloatSum) { std::abort(); }));

TALLY_BASELINE(Reduce, planted, exit)
    .lesson("Ends its process as if all were well.")
    .types<float>()
    .prepare(planted([](FloatSum) { std::exit(0); }));

TALLY_BASELINE(Reduce, planted, hang)
    .lesson("Does not come back.")
    .types<float>()
    .prepare(planted([](FloatSum) {
      while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
    }));

TALLY_BASELINE(Reduce, planted, leak)
    .lesson("Leaves a megabyte behind at each call.")
    .types<float>()
    .prepare(planted([](FloatSum problem) {
      auto* const lost = new char[1 << 20];
      lost[problem.n % 7] = 1;
      asm volatile("" : : "r"(lost) : "memory");
    }));

TALLY_BASELINE(Reduce, planted, out_of_bounds)
    .lesson("Writes past the end of its output.")
    .types<float>()
    .prepare(planted([](FloatSum problem) { problem.out[1] = 7; }));

TALLY_BASELINE(Reduce, planted, throws).lesson("Throws.").types<float>().prepare(planted([](FloatSum) {
  throw std::runtime_error("a planted exception");
}));

TALLY_BASELINE(Reduce, planted, out_of_memory)
    .lesson("Takes memory until there is none.")
    .types<float>()
    .prepare(planted([](FloatSum) {
      while (true) {
        auto* const taken = new char[std::size_t{1} << 30];
        asm volatile("" : : "r"(taken) : "memory");
      }
    }));

}  // namespace
}  // namespace tally
