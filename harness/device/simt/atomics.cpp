#include "harness/device/simt/atomics.h"

#include <atomic>
#include <cstring>

#include "harness/device/simt/block.h"
#include "harness/device/simt/memory.h"
#include "harness/device/simt/recorder.h"

namespace tally::simt {
namespace {

/// A lane whose atomics change nothing may only be looking.
void note_change(bool changed) { here().lane->changed |= changed; }

template <typename T, typename Change>
std::uint64_t update(void* address, Change change) {
  std::atomic_ref<T> word(*static_cast<T*>(address));
  T old = word.load();
  T next = change(old);
  while (!word.compare_exchange_weak(old, next)) next = change(old);
  note_change(next != old);
  return to_bits(old);
}

template <typename T>
std::uint64_t apply_to_integer(AtomicOperation operation, void* address, T operand) {
  return update<T>(address, [=](T old) {
    switch (operation) {
      case AtomicOperation::add:  // as a GPU does: without a sign, so that it may wrap around
        return static_cast<T>(to_bits(old) + to_bits(operand));
      case AtomicOperation::subtract:
        return static_cast<T>(to_bits(old) - to_bits(operand));
      case AtomicOperation::exchange:
        return operand;
      case AtomicOperation::bit_and:
        return static_cast<T>(old & operand);
      case AtomicOperation::bit_or:
        return static_cast<T>(old | operand);
      case AtomicOperation::bit_xor:
        return static_cast<T>(old ^ operand);
      case AtomicOperation::minimum:
        return operand < old ? operand : old;
      case AtomicOperation::maximum:
        return old < operand ? operand : old;
      case AtomicOperation::increment:
        return old >= operand ? T{0} : static_cast<T>(old + 1);
      default:
        return old == 0 || old > operand ? operand : static_cast<T>(old - 1);
    }
  });
}

/// Sums and exchanges of floating-point words, by comparing and swapping their bits.
template <typename Value, typename Word>
std::uint64_t apply_to_float(AtomicOperation operation, void* address, std::uint64_t operand) {
  return update<Word>(address, [=](Word old) {
    if (operation == AtomicOperation::exchange) return static_cast<Word>(operand);
    if constexpr (sizeof(Value) == sizeof(Word)) {
      const Value sum = from_bits<Value>(old) + from_bits<Value>(operand);
      return static_cast<Word>(to_bits(sum));
    } else {  // two halves of a word
      const Value low = from_bits<Value>(old & 0xffff) + from_bits<Value>(operand & 0xffff);
      const Value high = from_bits<Value>(old >> 16) + from_bits<Value>((operand >> 16) & 0xffff);
      return static_cast<Word>(to_bits(low) | (to_bits(high) << 16));
    }
  });
}

int bytes_of(AtomicType type) {
  switch (type) {
    case AtomicType::int64:
    case AtomicType::uint64:
    case AtomicType::float64:
      return 8;
    case AtomicType::half:
    case AtomicType::bfloat16:
      return 2;
    default:
      return 4;
  }
}

/// A lane that does nothing but atomics may be waiting for a lock.
void seen_atomic(void* address, int bytes, bool is_loop, const void* place) {
  Worker& worker = *here().worker;
  Lane& lane = *here().lane;
  if (reinterpret_cast<std::uintptr_t>(address) % static_cast<unsigned>(bytes) != 0) {
    worker.fail(FindingKind::misaligned_access,
                "misaligned address: an atomic of " + std::to_string(bytes) + " bytes", place);
  }
  if (++lane.atomics % 64 == 0) worker.give_way(LaneState::pausing, place);
  if (Recorder* recorder = worker.recorder()) {
    const AccessKind kind = is_loop ? AccessKind::atomic_loop : AccessKind::atomic;
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const bool allowed = bytes == 2   ? recorder->access<2>(at, kind, place)
                         : bytes == 4 ? recorder->access<4>(at, kind, place)
                                      : recorder->access<8>(at, kind, place);
    if (!allowed) {
      const std::string what = recorder->refused(kind, at, static_cast<unsigned>(bytes));
      worker.fail(FindingKind::out_of_bounds, "out of bounds: " + what, place, true);
    }
  } else {
    mark_stored(reinterpret_cast<std::uintptr_t>(address), static_cast<unsigned>(bytes));
  }
}

}  // namespace

std::uint64_t atomic_apply(AtomicOperation operation, AtomicType type, void* address, std::uint64_t operand) {
  const bool is_float = type >= AtomicType::float32 && operation != AtomicOperation::exchange;
  seen_atomic(address, bytes_of(type), is_float, __builtin_return_address(0));
  switch (type) {
    case AtomicType::int32:
      return apply_to_integer(operation, address, from_bits<std::int32_t>(operand));
    case AtomicType::uint32:
      return apply_to_integer(operation, address, from_bits<std::uint32_t>(operand));
    case AtomicType::int64:
      return apply_to_integer(operation, address, from_bits<std::int64_t>(operand));
    case AtomicType::uint64:
      return apply_to_integer(operation, address, from_bits<std::uint64_t>(operand));
    case AtomicType::float32:
      return apply_to_float<float, std::uint32_t>(operation, address, operand);
    case AtomicType::float64:
      return apply_to_float<double, std::uint64_t>(operation, address, operand);
    case AtomicType::half:
      return apply_to_float<__half, std::uint16_t>(operation, address, operand);
    case AtomicType::bfloat16:
      return apply_to_float<__nv_bfloat16, std::uint16_t>(operation, address, operand);
    case AtomicType::half2:
      return apply_to_float<__half, std::uint32_t>(operation, address, operand);
    default:
      return apply_to_float<__nv_bfloat16, std::uint32_t>(operation, address, operand);
  }
}

std::uint64_t atomic_compare_and_swap(void* address, std::uint64_t expected, std::uint64_t desired,
                                      int bytes) {
  seen_atomic(address, bytes, false, __builtin_return_address(0));
  const auto swap = [&]<typename T>(T) -> std::uint64_t {
    T old = static_cast<T>(expected);
    std::atomic_ref<T> word(*static_cast<T*>(address));
    note_change(word.compare_exchange_strong(old, static_cast<T>(desired)) && expected != desired);
    return old;
  };
  return bytes == 8 ? swap(std::uint64_t{}) : bytes == 4 ? swap(std::uint32_t{}) : swap(std::uint16_t{});
}

}  // namespace tally::simt
