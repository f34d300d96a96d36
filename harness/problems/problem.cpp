#include "harness/problems/problem.h"

#include <cstdio>

namespace tally {
namespace {

std::map<std::string, Family>& registry() {
  static std::map<std::string, Family> all;
  return all;
}

struct KnobPrinter {
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
  }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(const std::vector<std::int64_t>& values) const {
    std::string text;
    for (const std::int64_t value : values) text += (text.empty() ? "" : "x") + std::to_string(value);
    return text;
  }
};

}  // namespace

std::string to_string(const KnobValue& value) { return std::visit(KnobPrinter{}, value); }

Knobs ProblemKey::stated_knobs() const {
  Knobs stated = knobs;
  const auto known = families().find(family);
  if (known == families().end()) return stated;
  for (const KnobSpec& knob : known->second.knobs) {
    const auto value = stated.find(knob.name);
    const bool is_default = value != stated.end() && value->second == knob.default_value;
    if (knob.silent_default && is_default) stated.erase(value);
  }
  return stated;
}

std::string ProblemKey::id() const {
  std::string text = family;
  for (const auto& [name, value] : stated_knobs()) text += "/" + name + ":" + to_string(value);
  return text + "/type:" + std::string(name_of(type)) + "/n:" + std::to_string(n);
}

const std::map<std::string, Family>& families() { return registry(); }

FamilyRegistration::FamilyRegistration(Family family) {
  const std::string name = family.name;
  registry().emplace(name, std::move(family));
}

std::unique_ptr<Problem> make_problem(const ProblemKey& key) {
  const Family& family = families().at(key.family);
  ProblemKey complete = key;
  for (const KnobSpec& knob : family.knobs) complete.knobs.try_emplace(knob.name, knob.default_value);
  return family.make(complete);
}

}  // namespace tally
