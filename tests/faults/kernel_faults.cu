/// Kernels that go wrong in every way in which a kernel can, and one that is right: what the harness must
/// survive on a GPU and on the CPU executor, each at the cost of its own rows. Linked into harness_faults
/// only.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/reduce.h"

namespace tally {
namespace {

enum class Fault { none, wrong, out_of_bounds, illegal_address, trap, endless_loop };

/// One thread adds up; then comes the fault.
template <Fault fault>
__global__ void planted(float* out, const float* x, std::int64_t n, Sum<float> op, volatile int* never) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]);
  out[0] = op.finish(static_cast<float>(sum));
  if constexpr (fault == Fault::wrong) out[0] += 1 + out[0];
  if constexpr (fault == Fault::out_of_bounds) out[1] = 7;
  if constexpr (fault == Fault::illegal_address) *reinterpret_cast<float*>(8) = 7;
  if constexpr (fault == Fault::trap) __trap();
  if constexpr (fault == Fault::endless_loop) {
    while (*never == 0) {
    }
  }
}

template <Fault fault>
auto one_thread(std::int64_t shared_bytes = 0) {
  return [shared_bytes]<typename T>(Reduce<T, Sum<T>> problem, const Tuning&, Scratch& scratch) {
    int* never = scratch.zeroed_array<int>(1);
    return [=](Queue& q) {
      q.launch(planted<fault>, {1, 1, shared_bytes}, problem.out, problem.x, problem.n, problem.op, never);
    };
  };
}

TALLY_VARIANT(Reduce, planted_kernels, right)
    .lesson("Right, so that others' rows can be seen to be there.")
    .types<float>()
    .prepare(one_thread<Fault::none>());

TALLY_VARIANT(Reduce, planted_kernels, wrong)
    .lesson("Answers wrongly.")
    .types<float>()
    .prepare(one_thread<Fault::wrong>());

TALLY_VARIANT(Reduce, planted_kernels, out_of_bounds)
    .lesson("Writes past the end of its output.")
    .types<float>()
    .prepare(one_thread<Fault::out_of_bounds>());

TALLY_VARIANT(Reduce, planted_kernels, illegal_address)
    .lesson("Writes to an address that is not there.")
    .types<float>()
    .prepare(one_thread<Fault::illegal_address>());

TALLY_VARIANT(Reduce, planted_kernels, trap)
    .lesson("Ends by a trap.")
    .types<float>()
    .prepare(one_thread<Fault::trap>());

TALLY_VARIANT(Reduce, planted_kernels, endless_loop)
    .lesson("Waits for what never comes.")
    .types<float>()
    .prepare(one_thread<Fault::endless_loop>());

TALLY_VARIANT(Reduce, planted_kernels, too_much_shared)
    .lesson("Asks for more shared memory than a block can have.")
    .types<float>()
    .prepare(one_thread<Fault::none>(1 << 20));

TALLY_VARIANT(Reduce, planted_kernels, known_wrong)
    .lesson("Answers wrongly, as is known.")
    .types<float>()
    .known_wrong("adds itself once more")
    .prepare(one_thread<Fault::wrong>());

}  // namespace
}  // namespace tally
