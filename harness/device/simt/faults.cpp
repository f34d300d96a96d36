#include "harness/device/simt/faults.h"

#include <signal.h>
#include <ucontext.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>

#include "harness/device/simt/block.h"

namespace tally::simt {
namespace {

constexpr std::array signals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr std::size_t signal_stack_bytes = 64 * 1024;
std::array<struct sigaction, signals.size()> earlier;

/// The fault that the fiber of this thread is about to report.
struct Fault {
  int signal = 0;
  std::uintptr_t address = 0;
  const void* place = nullptr;
};
thread_local constinit Fault fault;

/// Where a faulting fiber goes on, on its own stack and outside the signal handler.
[[noreturn]] void report_fault() {
  Worker& worker = *here().worker;
  char address[32];
  std::snprintf(address, sizeof address, "0x%llx", static_cast<unsigned long long>(fault.address));
  const bool memory = fault.signal == SIGSEGV || fault.signal == SIGBUS;
  std::string message = memory ? std::string("illegal address ") + address
                        : fault.signal == SIGFPE
                            ? std::string("integer division by zero")
                            : std::string("trap instruction (an index outside its array?)");
  if (memory && worker.stacks().range().contains(reinterpret_cast<const void*>(fault.address))) {
    message =
        "local memory overflows: a thread has " + std::to_string(FiberStacks::stack_bytes / 1024) + " KiB";
  }
  worker.fail(memory ? FindingKind::out_of_bounds : FindingKind::fault, message, fault.place);
}

void on_signal(int signal, siginfo_t* info, void* context) {
  if (here().lane != nullptr && info->si_code > 0) {
    auto* machine = static_cast<ucontext_t*>(context);
    fault.signal = signal;
    fault.address = reinterpret_cast<std::uintptr_t>(info->si_addr);
#if defined(__x86_64__)
    auto& instruction = machine->uc_mcontext.gregs[REG_RIP];
    auto& stack = machine->uc_mcontext.gregs[REG_RSP];
    fault.place = reinterpret_cast<const void*>(instruction + 1);
    const void* top = here().worker->stacks().top(here().lane->thread);
    // A stack that is full is begun again; else what lies below the red zone is free. A call leaves it off by
    // eight.
    const auto limit =
        reinterpret_cast<std::uintptr_t>(top) - here().worker->stacks().usable_bytes(here().lane->thread);
    std::uintptr_t free_stack = static_cast<std::uintptr_t>(stack) - 256;
    if (free_stack < limit + 32 * 1024) free_stack = reinterpret_cast<std::uintptr_t>(top) - 256;
    stack = static_cast<greg_t>((free_stack & ~std::uintptr_t{15}) - 8);
    instruction = reinterpret_cast<greg_t>(&report_fault);
    return;
#elif defined(__aarch64__)
    fault.place = reinterpret_cast<const void*>(machine->uc_mcontext.pc + 4);
    machine->uc_mcontext.sp =
        reinterpret_cast<std::uintptr_t>(here().worker->stacks().top(here().lane->thread)) - 256;
    machine->uc_mcontext.pc = reinterpret_cast<std::uintptr_t>(&report_fault);
    return;
#endif
  }
  // Not a kernel's: the handler of before takes it when the instruction is tried again.
  for (std::size_t i = 0; i < signals.size(); ++i) {
    if (signals[i] == signal) sigaction(signal, &earlier[i], nullptr);
  }
}

void install_handlers() {
  struct sigaction action {};
  action.sa_sigaction = &on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    struct sigaction now {};
    sigaction(signals[i], nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == &on_signal) continue;
    earlier[i] = now;
    sigaction(signals[i], &action, nullptr);
  }
}

}  // namespace

FaultGuard::FaultGuard() : signal_stack_(new char[signal_stack_bytes]), replaced_stack_(new stack_t) {
  static std::mutex mutex;
  {
    const std::lock_guard lock(mutex);
    install_handlers();  // each time: a test framework may have put its own in between
  }
  stack_t stack{};
  stack.ss_sp = signal_stack_;
  stack.ss_size = signal_stack_bytes;
  sigaltstack(&stack, static_cast<stack_t*>(replaced_stack_));
}

FaultGuard::~FaultGuard() {
  auto* replaced = static_cast<stack_t*>(replaced_stack_);
  sigaltstack(replaced, nullptr);
  delete replaced;
  delete[] static_cast<char*>(signal_stack_);
}

}  // namespace tally::simt
