/// \file
/// Leaves one fiber and goes on in another, on the same core.
///
/// Lanes change places at every barrier and every shuffle, so this is written out where the machine is known:
/// inlined, with nothing saved that the caller need not keep. Boost's switch is a call that ends in a jump;
/// the processor's stack of predicted returns is then one off, and each return after it is mispredicted.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/device/simt/types.h"

#if !defined(__x86_64__)
#include <boost/context/detail/fcontext.hpp>
#endif

namespace tally::simt {

#if defined(__x86_64__)

/// Where a fiber goes on.
struct FiberContext {
  void* stack = nullptr;
  void* frame = nullptr;
  void* instruction = nullptr;

  bool exists() const { return stack != nullptr; }
};

/// A fiber that will begin with `entry`, which must not return. `top` is the high end of its stack.
template <void (*entry)()>
FiberContext new_fiber(void* top, std::size_t) {
  // As after a call: the stack's end is aligned below a return address, which is null for those who unwind.
  auto* const stack = reinterpret_cast<void**>(reinterpret_cast<std::uintptr_t>(top) / 16 * 16 - 8);
  *stack = nullptr;
  return {stack, nullptr, reinterpret_cast<void*>(entry)};
}

TALLY_SIMT_INLINE void switch_fiber(FiberContext& left, const FiberContext& entered) {
  const FiberContext* to = &entered;
  FiberContext* from = &left;
  __asm__ volatile(
      "leaq 1f(%%rip), %%rcx\n\t"
      "movq %%rsp, (%0)\n\t"
      "movq %%rbp, 8(%0)\n\t"
      "movq %%rcx, 16(%0)\n\t"
      "movq (%1), %%rsp\n\t"
      "movq 8(%1), %%rbp\n\t"
      "jmpq *16(%1)\n"
      "1:"
      : "+D"(from), "+S"(to)
      :
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1",
        "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
        "xmm14", "xmm15", "cc", "memory");
}

#else

struct FiberContext {
  void* stack = nullptr;

  bool exists() const { return stack != nullptr; }
};

/// Who was left behind is noted by who comes next.
inline void arrive(boost::context::detail::transfer_t transfer) {
  static_cast<FiberContext*>(transfer.data)->stack = transfer.fctx;
}

template <void (*entry)()>
FiberContext new_fiber(void* top, std::size_t bytes) {
  return {boost::context::detail::make_fcontext(top, bytes, [](boost::context::detail::transfer_t transfer) {
    arrive(transfer);
    entry();
  })};
}

inline void switch_fiber(FiberContext& left, const FiberContext& entered) {
  arrive(boost::context::detail::jump_fcontext(entered.stack, &left));
}

#endif

}  // namespace tally::simt
