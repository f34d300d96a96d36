#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "harness/problems/inputs.h"
#include "harness/problems/types.h"

namespace tally {

/// A family's own setting, e.g. op = "sum", taps = 64, shape = [16, 32, 80, 80].
using KnobValue = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>>;
using Knobs = std::map<std::string, KnobValue>;

/// "sum", "64", "0.5", "16x32x80x80".
std::string to_string(const KnobValue& value);

/// What a family accepts for one knob. Configs use the names as keys; configs/schema.json describes them.
struct KnobSpec {
  std::string name;
  std::string description;
  KnobValue default_value;                ///< also says which kind of value the knob takes
  std::vector<std::string> choices = {};  ///< for strings: the values there are
  double minimum = -1e300;                ///< for numbers
  double maximum = 1e300;
  bool silent_default = false;  ///< ids and rows leave the default out, as from before there was the knob
};

/// Everything that makes a problem the same problem.
struct ProblemKey {
  std::string family;
  ScalarType type = ScalarType::float32;
  std::int64_t n = 0;  ///< the family's size; each family says what it counts
  Knobs knobs;         ///< complete: defaults are filled in
  std::uint64_t seed = 1;
  Distribution distribution = Distribution::uniform;

  const std::string& text(const std::string& knob) const { return std::get<std::string>(knobs.at(knob)); }
  std::int64_t integer(const std::string& knob) const { return std::get<std::int64_t>(knobs.at(knob)); }
  double number(const std::string& knob) const { return std::get<double>(knobs.at(knob)); }

  /// Those that tell it from other problems of its family: all but silent defaults.
  Knobs stated_knobs() const;

  /// "reduce/op:sum/type:float32/n:1024": equal for problems whose entries are compared with one another.
  std::string id() const;
};

/// Thrown by a family that cannot make the problem. `knob` names the key at fault ("n" for the size).
class ProblemError : public std::runtime_error {
 public:
  ProblemError(std::string knob, const std::string& message)
      : std::runtime_error(message), knob_(std::move(knob)) {}
  const std::string& knob() const { return knob_; }

 private:
  std::string knob_;
};

/// One array of a problem, in device memory.
struct BufferSpec {
  enum class Role : std::uint8_t { input, output, input_and_output };
  std::string name;
  Role role = Role::input;
  ScalarType type = ScalarType::float32;
  std::int64_t count = 0;          ///< elements
  InputSpec input = {};            ///< how it is filled, unless it is an output
  std::int64_t misaligned_by = 0;  ///< elements by which it begins after an address aligned to 256 bytes

  std::int64_t element_bytes() const { return static_cast<std::int64_t>(size_of(type)); }
  std::int64_t bytes() const { return count * element_bytes(); }
  std::int64_t misaligned_bytes() const { return misaligned_by * element_bytes(); }
};

/// Where a problem's arrays are, in the order of Problem::buffers(). Device memory; `answer_on_host` is host
/// memory of the size of the first output, for entries whose answer ends there.
struct Buffers {
  std::vector<void*> arrays;
  void* answer_on_host = nullptr;

  template <typename T>
  T* array(std::size_t index) const {
    return static_cast<T*>(arrays.at(index));
  }
};

/// What the check found. Errors are those of the worst element.
struct CheckResult {
  bool right = true;
  std::string where;     ///< empty, or "element 17"
  std::string expected;  ///< both values, printed
  std::string got;
  double ulp = 0;        ///< |error| in units in the last place of the answer's type
  double error = 0;      ///< |error| / (u · Σ|terms|), u of the accumulating type; 0 for integers
  double condition = 1;  ///< Σ|terms| / |Σ terms|, finite
};

/// One instance of a family: inputs, size, type, exact answer, bytes that must move.
class Problem {
 public:
  explicit Problem(ProblemKey key) : key_(std::move(key)) {}
  virtual ~Problem() = default;

  const ProblemKey& key() const { return key_; }

  /// All arrays; the outputs are those whose role is not `input`, in this order.
  virtual std::vector<BufferSpec> buffers() const = 0;

  /// Bytes that must move, each input read once, each output written once.
  virtual double bytes() const = 0;

  /// What items_per_second counts.
  virtual double items() const { return static_cast<double>(key_.n); }

  /// Compares every element of the outputs (host copies, in the order of buffers()) with the exact answer.
  /// `additions` is the longest chain of rounded additions behind one element, as the entry declares it, or
  /// nothing: then any order of adding up is accepted.
  virtual CheckResult check(std::span<const void* const> outputs, std::optional<double> additions) const = 0;

 private:
  ProblemKey key_;
};

/// A family, as the registry knows it.
struct Family {
  std::string name;
  std::string description;
  std::string size_means;  ///< what n counts
  std::vector<ScalarType> types;
  std::vector<KnobSpec> knobs;
  std::function<std::unique_ptr<Problem>(const ProblemKey&)> make;  ///< throws ProblemError
};

/// All families, by name. A family registers itself in its own file.
const std::map<std::string, Family>& families();

/// `static const FamilyRegistration registration({...});` in the family's .cpp.
struct FamilyRegistration {
  explicit FamilyRegistration(Family family);
};

/// Makes the problem of that key, in which knobs that it does not have take their defaults. Throws
/// ProblemError; std::out_of_range where there is no such family.
std::unique_ptr<Problem> make_problem(const ProblemKey& key);

}  // namespace tally
