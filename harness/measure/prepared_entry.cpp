#include "harness/measure/prepared_entry.h"

#include <chrono>
#include <stdexcept>

namespace tally {
namespace {

/// Comparing the inputs costs a copy to the host; beyond this the check of smaller sizes must do.
constexpr std::int64_t largest_compared_input = 16 << 20;

std::string joined(const std::vector<std::string>& findings) {
  // One finding is what a person acts on; a kernel that races at every step finds thousands.
  if (findings.size() == 1) return findings.front();
  return findings.front() + " (and " + std::to_string(findings.size() - 1) + " more)";
}

}  // namespace

PreparedEntry::PreparedEntry(const Entry& entry, const Tuning& tuning, const Problem& problem,
                             ProblemArrays& arrays)
    : entry_(entry),
      tuning_(tuning),
      problem_(problem),
      arrays_(arrays),
      scratch_(std::make_unique<GuardedScratch>(arrays.device(), entry.full_name())) {
  const Implementation* implementation = entry.implementation_for(arrays.device().facts().kind, problem);
  if (implementation == nullptr) {
    throw std::logic_error(entry.full_name() + " has no implementation for " + problem.key().id() + " on " +
                           std::string(name_of(arrays.device().facts().kind)));
  }
  prepared_ = implementation->prepare(problem, arrays.buffers(), tuning, *scratch_);
}

Device::Work PreparedEntry::work(Clock clock) const {
  if (clock == Clock::device || entry_.answers_on_host) return prepared_.call;
  const std::vector<BufferSpec> specs = problem_.buffers();
  std::size_t first_output = 0;
  while (specs.at(first_output).role == BufferSpec::Role::input) ++first_output;
  const auto bytes = static_cast<std::size_t>(specs[first_output].bytes());
  return [call = prepared_.call, source = arrays_.buffers().arrays[first_output],
          target = arrays_.buffers().answer_on_host, bytes](DeviceQueue& queue) {
    call(queue);
    queue.copy_to_host(target, source, bytes);
    queue.synchronize();
  };
}

std::map<std::string, double> PreparedEntry::counters() const {
  return prepared_.counters ? prepared_.counters() : std::map<std::string, double>{};
}

std::string PreparedEntry::reason_of(const CheckResult& figures) const {
  std::string text = "n = " + std::to_string(problem_.key().n) + ", " +
                     std::string(name_of(problem_.key().distribution)) + ": ";
  if (!figures.where.empty()) text += figures.where + ": ";
  return text + "expected " + figures.expected + ", got " + figures.got;
}

CheckedCall PreparedEntry::check() {
  Device& device = arrays_.device();
  arrays_.fill_inputs(problem_);
  arrays_.poison_outputs();
  scratch_->poison();
  device.take_findings();

  const auto start = std::chrono::steady_clock::now();
  device.run(prepared_.call);
  CheckedCall outcome;
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  outcome.figures = compared();
  outcome.hash = arrays_.hash_of_outputs();

  // The worst first: what damages memory or races also explains a wrong answer.
  const auto found = [&outcome](std::string reason) {
    if (outcome.right) outcome.reason = std::move(reason);
    outcome.right = false;
  };
  if (auto damaged = damage()) found(std::move(*damaged));
  if (auto findings = device.take_findings(); !findings.empty()) found(joined(findings));
  if (!outcome.figures.right) found(reason_of(outcome.figures));
  if (!entry_.destroys_input && arrays_.input_bytes() <= largest_compared_input) {
    if (auto changed = arrays_.changed_input()) found(std::move(*changed));
  }
  return outcome;
}

std::uint64_t PreparedEntry::hash_of_one_call() {
  Device& device = arrays_.device();
  const Device::Work bring_back = restore();
  arrays_.poison_outputs();
  device.run([&](DeviceQueue& queue) {
    if (bring_back) bring_back(queue);
    prepared_.call(queue);
  });
  arrays_.outputs(entry_.answers_on_host);
  return arrays_.hash_of_outputs();
}

std::optional<std::string> PreparedEntry::fault_of_answer() {
  const CheckResult figures = compared();
  return figures.right ? std::nullopt : std::optional(reason_of(figures));
}

CheckResult PreparedEntry::compared() {
  const std::vector<const void*> outputs = arrays_.outputs(entry_.answers_on_host);
  const auto additions =
      entry_.additions ? std::optional(entry_.additions(problem_.key(), tuning_)) : std::nullopt;
  return problem_.check(outputs, additions);
}

std::optional<std::string> PreparedEntry::damage() const {
  if (auto found = scratch_->damage()) return found;
  return arrays_.damage();
}

}  // namespace tally
