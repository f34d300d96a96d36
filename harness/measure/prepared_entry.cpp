#include "harness/measure/prepared_entry.h"

#include <chrono>
#include <stdexcept>

namespace tally {
namespace {

std::string joined(const std::vector<std::string>& findings) {
  // One finding is what a person acts on; a kernel that races at every step finds thousands.
  if (findings.size() == 1) return findings.front();
  return findings.front() + " (and " + std::to_string(findings.size() - 1) + " more)";
}

}  // namespace

PreparedEntry::PreparedEntry(const Entry& entry, const Tuning& tuning, const Problem& problem,
                             ProblemArrays& arrays, RightAnswers* right_answers)
    : entry_(entry),
      tuning_(tuning),
      problem_(problem),
      arrays_(arrays),
      right_answers_(right_answers),
      scratch_(std::make_unique<GuardedScratch>(arrays.device(), entry.full_name())) {
  const Implementation* implementation = entry.implementation_for(arrays.device().facts().kind, problem);
  if (implementation == nullptr) {
    throw std::logic_error(entry.full_name() + " has no implementation for " + problem.key().id() + " on " +
                           std::string(name_of(arrays.device().facts().kind)));
  }
  prepared_ = implementation->prepare(problem, arrays.buffers(), tuning, *scratch_);
}

Device::Work PreparedEntry::work(Clock clock) const {
  if (clock != Clock::end_to_end || entry_.answers_on_host) return prepared_.call;
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

void PreparedEntry::restore_inputs() {
  if (entry_.destroys_input) device().run(restore());
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

/// The answer held against the exact one, unless the same bits were found right before.
CheckResult PreparedEntry::figures_of(std::uint64_t hash) {
  const auto additions =
      entry_.additions ? std::optional(entry_.additions(problem_.key(), tuning_)) : std::nullopt;
  if (right_answers_ != nullptr) {
    if (const auto known = right_answers_->find(problem_, additions, hash)) return *known;
  }
  CheckResult figures = problem_.check(arrays_.outputs(entry_.answers_on_host), additions);
  if (right_answers_ != nullptr) right_answers_->add(problem_, additions, hash, figures);
  return figures;
}

CheckedCall PreparedEntry::check() {
  Device& device = arrays_.device();
  arrays_.fill_inputs(problem_);
  arrays_.poison_outputs();
  scratch_->poison();
  const std::uint64_t inputs_before = arrays_.hash_of_inputs();
  device.take_findings();

  const auto start = std::chrono::steady_clock::now();
  device.run(prepared_.call);
  CheckedCall outcome;
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  outcome.hash = arrays_.hash_of_outputs(entry_.answers_on_host);
  outcome.figures = figures_of(outcome.hash);

  // The worst first: what damages memory or races also explains a wrong answer.
  const auto found = [&outcome](std::string reason) {
    if (outcome.right) outcome.reason = std::move(reason);
    outcome.right = false;
  };
  if (auto damaged = damage()) found(std::move(*damaged));
  if (auto findings = device.take_findings(); !findings.empty()) found(joined(findings));
  if (!outcome.figures.right) found(reason_of(outcome.figures));
  if (!entry_.destroys_input && arrays_.hash_of_inputs() != inputs_before) {
    found(arrays_.changed_input().value_or("wrote over its input, and it does not declare destroys_input()"));
  }
  restore_inputs();
  return outcome;
}

std::uint64_t PreparedEntry::hash_of_one_call() { return hash_after(prepared_.call); }

Device::Work PreparedEntry::recorded() {
  Device::Work replay = device().recorded(prepared_.call);
  // Twice: what a call leaves in its scratch memory is what the next replay finds.
  for (int again = 0; again < 2; ++again) {
    if (const auto fault = fault_of_answer(hash_after(replay)))
      throw DeviceError("replayed as a graph: " + *fault);
  }
  return replay;
}

/// Of the answer of one more call, with poisoned outputs.
std::uint64_t PreparedEntry::hash_after(const Device::Work& call) {
  Device& device = arrays_.device();
  const Device::Work bring_back = restore();
  arrays_.poison_outputs();
  device.run([&](DeviceQueue& queue) {
    if (bring_back) bring_back(queue);
    call(queue);
  });
  return arrays_.hash_of_outputs(entry_.answers_on_host);
}

std::optional<std::string> PreparedEntry::fault_of_answer(std::uint64_t hash) {
  const CheckResult figures = figures_of(hash);
  return figures.right ? std::nullopt : std::optional(reason_of(figures));
}

std::optional<std::string> PreparedEntry::damage() const {
  if (auto found = scratch_->damage()) return found;
  return arrays_.damage();
}

}  // namespace tally
