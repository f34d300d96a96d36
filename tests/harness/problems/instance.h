#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/problems/problem.h"
#include "tests/support/seed.h"

namespace tally::testing {

/// A problem in host memory: inputs filled, outputs poisoned, as a device would have them.
class Instance {
 public:
  explicit Instance(ProblemKey key) {
    for (const KnobSpec& knob : families().at(key.family).knobs)
      key.knobs.try_emplace(knob.name, knob.default_value);
    problem_ = make_problem(key);
    specs_ = problem_->buffers();
    for (const BufferSpec& spec : specs_) {
      auto& memory = arrays_.emplace_back(static_cast<std::size_t>(spec.bytes()), static_cast<char>(0xFB));
      if (spec.role != BufferSpec::Role::output) fill(spec.input, spec.type, memory.data());
    }
  }

  const Problem& problem() const { return *problem_; }
  const std::vector<BufferSpec>& specs() const { return specs_; }

  void* array(const std::string& name) { return arrays_.at(index_of(name)).data(); }

  double value(const std::string& name, std::int64_t index) {
    const std::size_t at = index_of(name);
    return load_as_double(arrays_[at].data(), specs_[at].type, index);
  }

  void store(const std::string& name, std::int64_t index, double value) {
    const std::size_t at = index_of(name);
    store_rounded(arrays_[at].data(), specs_[at].type, index, value);
  }

  CheckResult check(std::optional<double> additions = std::nullopt) const {
    std::vector<const void*> outputs;
    for (std::size_t at = 0; at < specs_.size(); ++at) {
      if (specs_[at].role != BufferSpec::Role::input) outputs.push_back(arrays_[at].data());
    }
    return problem_->check(outputs, additions);
  }

 private:
  std::size_t index_of(const std::string& name) const {
    for (std::size_t at = 0; at < specs_.size(); ++at) {
      if (specs_[at].name == name) return at;
    }
    throw std::out_of_range("no array " + name);
  }

  std::unique_ptr<Problem> problem_;
  std::vector<BufferSpec> specs_;
  std::vector<std::vector<char>> arrays_;
};

/// The name of the key at which making the problem fails, or "" where it does not.
inline std::string refused_key(const ProblemKey& key) {
  try {
    Instance instance(key);
    return "";
  } catch (const ProblemError& error) {
    return error.knob();
  }
}

}  // namespace tally::testing
