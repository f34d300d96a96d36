#include "tests/support/exact_run.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

namespace tally::test {
namespace {

constexpr std::int64_t guard_bytes = 256;

std::uint64_t test_seed() {
  static const std::uint64_t seed = [] {
    const char* given = std::getenv("TALLY_TEST_SEED");
    const std::uint64_t chosen =
        given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    std::printf("TALLY_TEST_SEED=%llu\n", static_cast<unsigned long long>(chosen));
    return chosen;
  }();
  return seed;
}

/// Device memory with poison before, in and after it; everything is given back at the end.
class GuardedMemory final : public Scratch {
 public:
  explicit GuardedMemory(Device& device) : device_(device) {}
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory() override {
    for (const Piece& piece : pieces_) device_.release(piece.memory);
    for (void* memory : host_) device_.release_on_host(memory);
  }

  void* poisoned(std::int64_t bytes, const std::string& name) {
    auto* memory = static_cast<char*>(device_.allocate(bytes + 2 * guard_bytes, name));
    device_.poison(memory, bytes + 2 * guard_bytes);
    pieces_.push_back({memory, bytes});
    return memory + guard_bytes;
  }

  bool guards_are_intact() {
    std::vector<unsigned char> guard(guard_bytes);
    for (const Piece& piece : pieces_) {
      for (const std::int64_t offset : {std::int64_t{0}, guard_bytes + piece.bytes}) {
        device_.copy_to_host(guard.data(), piece.memory + offset, guard_bytes);
        if (std::any_of(guard.begin(), guard.end(), [](unsigned char byte) { return byte != 0xFB; }))
          return false;
      }
    }
    return true;
  }

  void* on_host(std::int64_t bytes) {
    host_.push_back(device_.allocate_on_host(bytes));
    std::memset(host_.back(), 0xFB, static_cast<std::size_t>(bytes));
    return host_.back();
  }

  const DeviceFacts& device() const override { return device_.facts(); }

 protected:
  void* allocate(std::size_t bytes, Content content) override {
    void* memory = poisoned(static_cast<std::int64_t>(bytes), "scratch");
    if (content == Content::zeroed) device_.zero(memory, static_cast<std::int64_t>(bytes));
    return memory;
  }
  void* allocate_on_host(std::size_t bytes) override { return on_host(static_cast<std::int64_t>(bytes)); }

 private:
  struct Piece {
    char* memory;
    std::int64_t bytes;
  };
  Device& device_;
  std::vector<Piece> pieces_;
  std::vector<void*> host_;
};

/// All combinations of the string knobs' values that the entry takes; other knobs keep their defaults.
std::vector<Knobs> knobs_of(const Entry& entry) {
  std::vector<Knobs> all{{}};
  for (const KnobSpec& knob : families().at(entry.family).knobs) {
    std::vector<KnobValue> values{knob.default_value};
    if (!knob.choices.empty()) {
      values.clear();
      const auto limits = entry.knobs.find(knob.name);
      for (const std::string& choice : knob.choices) {
        if (limits == entry.knobs.end() || limits->second.contains(choice)) values.emplace_back(choice);
      }
    }
    std::vector<Knobs> longer;
    for (const Knobs& knobs : all) {
      for (const KnobValue& value : values) {
        longer.push_back(knobs);
        longer.back()[knob.name] = value;
      }
    }
    all = std::move(longer);
  }
  return all;
}

}  // namespace

std::vector<Tuning> tunings_of(const Entry& entry) {
  std::vector<Tuning> tunings{entry.default_tuning()};
  for (const Tunable& tunable : entry.tunables) {
    for (const std::int64_t value : tunable.values) {
      std::map<std::string, std::int64_t> values = entry.default_tuning().values();
      values[tunable.name] = value;
      const Tuning tuning(values);
      if (std::find(tunings.begin(), tunings.end(), tuning) == tunings.end()) tunings.push_back(tuning);
    }
  }
  return tunings;
}

std::vector<ProblemKey> problems_of(const Entry& entry, ScalarType type,
                                    const std::vector<std::int64_t>& sizes) {
  std::vector<ProblemKey> problems;
  const auto distributions = all_distributions();
  std::size_t turn = 0;
  for (const Knobs& knobs : knobs_of(entry)) {
    for (const std::int64_t n : sizes) {
      ProblemKey key{entry.family, type, n, knobs, test_seed() + turn, Distribution::exact};
      problems.push_back(key);
      key.distribution = distributions[turn++ % (distributions.size() - 1)];  // the last is `exact`
      problems.push_back(key);
    }
  }
  return problems;
}

std::optional<CheckResult> run_exactly(Device& device, const Entry& entry, const ProblemKey& key,
                                       const Tuning& tuning) {
  if (entry.refuses(tuning) || entry.cannot_take(key, tuning)) return std::nullopt;
  std::unique_ptr<Problem> problem;
  try {
    problem = make_problem(key);
  } catch (const ProblemError&) {
    return std::nullopt;  // the family has no such problem; its own tests say which those are
  }
  const Implementation* implementation = entry.implementation_for(device.facts().kind, *problem);
  if (implementation == nullptr) return std::nullopt;

  GuardedMemory memory(device);
  Buffers buffers;
  const std::vector<BufferSpec> specs = problem->buffers();
  std::int64_t answer_bytes = 0;
  for (const BufferSpec& spec : specs) {
    buffers.arrays.push_back(memory.poisoned(spec.bytes(), spec.name));
    if (spec.role != BufferSpec::Role::output) device.fill(spec.input, spec.type, buffers.arrays.back());
    if (spec.role != BufferSpec::Role::input && answer_bytes == 0) answer_bytes = spec.bytes();
  }
  buffers.answer_on_host = memory.on_host(answer_bytes);

  const Prepared prepared = implementation->prepare(*problem, buffers, tuning, memory);
  device.run([&](DeviceQueue& queue) { prepared.call(queue); });

  std::vector<std::vector<char>> answers;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].role == BufferSpec::Role::input) continue;
    answers.emplace_back(static_cast<std::size_t>(specs[i].bytes()));
    if (entry.answers_on_host && answers.size() == 1) {
      std::memcpy(answers.back().data(), buffers.answer_on_host, answers.back().size());
    } else {
      device.copy_to_host(answers.back().data(), buffers.arrays[i], specs[i].bytes());
    }
  }
  std::vector<const void*> pointers;
  for (const std::vector<char>& answer : answers) pointers.push_back(answer.data());
  std::optional<double> additions;
  if (entry.additions) additions = entry.additions(key, tuning);
  CheckResult result = problem->check(pointers, additions);
  if (!memory.guards_are_intact()) {
    result.right = false;
    result.where += " wrote outside its buffers";
  }
  return result;
}

}  // namespace tally::test
