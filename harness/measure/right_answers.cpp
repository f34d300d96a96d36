#include "harness/measure/right_answers.h"

namespace tally {
namespace {

std::string question_and_answer(const Problem& problem, std::optional<double> additions, std::uint64_t hash) {
  const ProblemKey& key = problem.key();
  return key.id() + " " + std::string(name_of(key.distribution)) + " " + std::to_string(key.seed) + " " +
         (additions ? std::to_string(*additions) : "any order") + " " + std::to_string(hash);
}

}  // namespace

std::optional<CheckResult> RightAnswers::find(const Problem& problem, std::optional<double> additions,
                                              std::uint64_t hash) const {
  const auto known = found_.find(question_and_answer(problem, additions, hash));
  return known == found_.end() ? std::nullopt : std::optional(known->second);
}

void RightAnswers::add(const Problem& problem, std::optional<double> additions, std::uint64_t hash,
                       const CheckResult& figures) {
  if (figures.right) found_.emplace(question_and_answer(problem, additions, hash), figures);
}

}  // namespace tally
