#include "harness/sweep/shard.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "harness/measure/random.h"

namespace tally {
namespace {

constexpr int most_shards = 65536;

std::optional<int> parsed(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

/// The numbers of a Slurm job array, as its tasks see them.
struct SlurmArray {
  int id = 0;
  int count = 1;
  int first = 0;
  int last = 0;
  int step = 1;

  std::string text() const {
    return "SLURM_ARRAY_TASK_ID = " + std::to_string(id) +
           ", SLURM_ARRAY_TASK_COUNT = " + std::to_string(count);
  }
};

template <typename Environment>
std::optional<SlurmArray> slurm_array(const Environment& environment) {
  SlurmArray array;
  const auto read = [&environment](const char* name, int& value) {
    const std::optional<std::string> text = environment(name);
    if (!text) return false;
    const std::optional<int> number = parsed(*text);
    if (!number) throw ConfigError(std::string(name) + " = \"" + *text + "\" is not a whole number");
    value = *number;
    return true;
  };
  if (!read("SLURM_ARRAY_TASK_ID", array.id)) return std::nullopt;
  if (!read("SLURM_ARRAY_TASK_COUNT", array.count)) return std::nullopt;
  read("SLURM_ARRAY_TASK_STEP", array.step);
  if (array.count < 1 || array.step < 1) throw ConfigError(array.text() + " is no job array");
  if (!read("SLURM_ARRAY_TASK_MIN", array.first)) array.first = 0;
  if (!read("SLURM_ARRAY_TASK_MAX", array.last)) array.last = array.first + (array.count - 1) * array.step;
  return array;
}

/// 0 … n-1 or 1 … n.
bool is_whole(const SlurmArray& array) {
  return array.first <= 1 && array.step == 1 && array.last - array.first + 1 == array.count;
}

Shard shard_of_array(const SlurmArray& array) {
  const int index = array.id - array.first;
  if (!is_whole(array) || index < 0 || index >= array.count) {
    throw ConfigError("the job array (" + array.text() + ", from " + std::to_string(array.first) + " to " +
                      std::to_string(array.last) +
                      ") is not whole; say which shard this is: --shard $SLURM_ARRAY_TASK_ID/COUNT");
  }
  return {index, array.count};
}

// Fractions of a turn, 2^64 being a whole one, whose multiples lie evenly and are no multiples of one
// another: the golden ratio and the square roots of primes, without their whole parts. The type's, the first,
// keeps float32, float64 and int32 apart.
constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ull;
constexpr std::array<std::uint64_t, 6> roots = {0xa54ff53a5f1d36f1ull, 0x6a09e667f3bcc908ull,
                                                0xbb67ae8584caa73bull, 0x3c6ef372fe94f82bull,
                                                0x510e527fade682d1ull, 0x9b05688c2b3e6c1full};
__extension__ using Product = unsigned __int128;

/// log2(value) in eighths. By integers alone: another machine's logarithm may round otherwise.
std::uint64_t logarithm(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(std::max<std::int64_t>(value, 1)) << 3;
  const int whole = std::bit_width(bits) - 4;
  return (static_cast<std::uint64_t>(whole) << 3) + ((bits >> whole) - 8);
}

const KnobSpec* find(const Family& family, const std::string& name) {
  for (const KnobSpec& knob : family.knobs) {
    if (knob.name == name) return &knob;
  }
  return nullptr;
}

/// Where a knob's value lies on its axis.
std::uint64_t turn_of(const KnobSpec* knob, const KnobValue& value, std::uint64_t root) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return (root >> 3) * logarithm(*number);
  if (const auto* text = std::get_if<std::string>(&value); text != nullptr && knob != nullptr) {
    const auto place = std::find(knob->choices.begin(), knob->choices.end(), *text);
    if (place != knob->choices.end()) return root * static_cast<std::uint64_t>(place - knob->choices.begin());
  }
  return seed_for(root, to_string(value));
}

void refuse_contradiction(const Shard& shard, const SlurmArray& array) {
  const bool same_index =
      shard.index == array.id || (is_whole(array) && shard.index == array.id - array.first);
  if (same_index && array.count <= shard.count) return;
  throw ConfigError("--shard " + std::to_string(shard.index) + "/" + std::to_string(shard.count) +
                    " contradicts " + array.text() + "; leave one of them out");
}

}  // namespace

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos) {
    const auto index = parsed(std::string_view(text).substr(0, slash));
    const auto count = parsed(std::string_view(text).substr(slash + 1));
    if (index && count && *count >= 1 && *count <= most_shards && *index < *count) return {*index, *count};
  }
  throw ConfigError("--shard \"" + text + "\" must be i/n with 0 <= i < n <= " + std::to_string(most_shards) +
                    ", such as 0/4");
}

Shard choose_shard(const std::optional<std::string>& argument,
                   const std::function<std::optional<std::string>(const std::string& name)>& environment) {
  const std::optional<SlurmArray> array = slurm_array(environment);
  if (!argument) return array ? shard_of_array(*array) : Shard{};
  const Shard shard = parse_shard(*argument);
  if (array) refuse_contradiction(shard, *array);
  return shard;
}

int shard_of(const ProblemKey& problem, int count) {
  const auto& families_known = families();
  const auto family = families_known.find(problem.family);
  std::uint64_t position = seed_for(0, problem.family) + (golden >> 3) * logarithm(problem.n);
  position += roots[0] * static_cast<std::uint64_t>(problem.type);
  std::size_t axis = 1;
  for (const auto& [name, value] : problem.stated_knobs()) {
    const KnobSpec* const knob = family == families_known.end() ? nullptr : find(family->second, name);
    position += turn_of(knob, value, roots[axis % roots.size()]);
    ++axis;
  }
  return static_cast<int>((static_cast<Product>(position) * static_cast<unsigned>(count)) >> 64);
}

Plan sharded(const Plan& plan, const Shard& shard) {
  if (shard.count == 1) return plan;
  const auto is_ours = [&shard](const ProblemKey& key) { return shard_of(key, shard.count) == shard.index; };
  Plan part;
  for (const Group& group : plan.groups) {
    if (is_ours(group.problem)) part.groups.push_back(group);
  }
  for (const SkippedCell& skipped : plan.skipped) {
    if (is_ours(skipped.cell.problem)) part.skipped.push_back(skipped);
  }
  for (const LeftOut& left : plan.left_out) {
    if (is_ours(left.problem)) part.left_out.push_back(left);
  }
  return part;
}

}  // namespace tally
