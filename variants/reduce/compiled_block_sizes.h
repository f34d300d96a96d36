#pragma once

#include <cstdint>
#include <type_traits>

#include "harness/catalog/tuning.h"

namespace tally {

/// The block sizes that kernels with the size as a template argument are compiled for: one list for the rule
/// of a tunable and for the choice of the instantiation.
template <unsigned first, unsigned... others>
struct CompiledBlockSizes {
  static Rule rule() { return rules::one_of({first, others...}); }

  /// kernels(size) of the size that is `threads`, before the timed call; `size` is an integral_constant.
  template <typename Kernels>
  static auto kernel_for(std::int64_t threads, Kernels kernels) {
    auto chosen = kernels(std::integral_constant<unsigned, first>{});
    ((threads == others ? void(chosen = kernels(std::integral_constant<unsigned, others>{})) : void()), ...);
    return chosen;
  }
};

}  // namespace tally
