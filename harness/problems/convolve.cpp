#include "harness/problems/convolve.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "harness/problems/elements.h"

namespace tally {
namespace {

constexpr std::int64_t period = 31;
// With integers of 23 bits the sum of so many products fits 63 bits.
constexpr std::int64_t most_taps = 1 << 16;

std::int64_t as_it_is(std::int64_t value) { return value; }
std::int64_t magnitude_of(std::int64_t value) { return value < 0 ? -value : value; }

/// The exact outputs [first, last), or, of magnitudes, their Σ|terms|.
class ExactOutputs {
 public:
  using Map = std::int64_t (*)(std::int64_t);

  ExactOutputs(const InputSpec& a, const InputSpec& b, Map map) : a_(a), taps_(b.count), map_(map) {
    for (std::int64_t m = 0; m < std::min(taps_, period); ++m) {
      values_.push_back(map(integer_at(b, m)));
      // How many taps have this value: those at m, m + period, …
      repeats_.push_back((taps_ - m + period - 1) / period);
    }
  }

  std::vector<std::int64_t> outputs(std::int64_t first, std::int64_t last) const {
    // Everything that outputs from `first` on see of the signal, and zeros where there is none.
    const std::int64_t reach = taps_ + period;
    std::vector<std::int64_t> signal(static_cast<std::size_t>(last - first + reach));
    for (std::int64_t i = std::max<std::int64_t>(first - reach, 0); i < std::min(last, a_.count); ++i)
      signal[static_cast<std::size_t>(i - first + reach)] = map_(integer_at(a_, i));
    const std::int64_t* at_first = signal.data() + reach;  // at_first[i] is the signal's element first + i

    std::vector<std::int64_t> sums(static_cast<std::size_t>(last - first));
    for (std::int64_t t = 0; t < last - first; ++t) {
      std::int64_t sum = 0;
      if (taps_ <= period) {
        for (std::size_t m = 0; m < values_.size(); ++m) sum += values_[m] * at_first[t - as_signed(m)];
      } else if (t < period) {
        for (std::int64_t m = 0; m < taps_; ++m)
          sum += values_[static_cast<std::size_t>(m % period)] * at_first[t - m];
      } else {
        // One period on, each value has met one new element and left its oldest.
        sum = sums[static_cast<std::size_t>(t - period)];
        for (std::size_t m = 0; m < values_.size(); ++m) {
          const std::int64_t newest = t - as_signed(m);
          sum += values_[m] * (at_first[newest] - at_first[newest - period * repeats_[m]]);
        }
      }
      sums[static_cast<std::size_t>(t)] = sum;
    }
    return sums;
  }

 private:
  static std::int64_t as_signed(std::size_t value) { return static_cast<std::int64_t>(value); }

  InputSpec a_;
  std::int64_t taps_;
  Map map_;
  std::vector<std::int64_t> values_;
  std::vector<std::int64_t> repeats_;
};

class ConvolveProblem final : public Problem {
 public:
  explicit ConvolveProblem(const ProblemKey& key) : Problem(key), taps_(key.integer("taps")) {
    if (key.n < 1) throw ProblemError("n", "convolve needs n of at least 1");
    if (taps_ < 1 || taps_ > most_taps) {
      throw ProblemError("taps", "taps = " + std::to_string(taps_) + " is impossible: convolve takes 1 to " +
                                     std::to_string(most_taps));
    }
    choose_inputs();
  }

  std::vector<BufferSpec> buffers() const override {
    return {{"a", BufferSpec::Role::input, key().type, key().n, a_},
            {"b", BufferSpec::Role::input, key().type, taps_, b_},
            {"out", BufferSpec::Role::output, key().type, outputs()}};
  }

  double bytes() const override {
    return static_cast<double>(key().n + taps_ + outputs()) * static_cast<double>(size_of(key().type));
  }

  /// Multiplications and additions of the direct way, as pairs.
  double items() const override { return static_cast<double>(key().n) * static_cast<double>(taps_); }

  CheckResult check(std::span<const void* const> answers, std::optional<double> additions) const override {
    const ExactOutputs sums(a_, b_, as_it_is);
    const ExactOutputs magnitudes(a_, b_, magnitude_of);
    const bool spread = additions.has_value() && is_spread(*additions);
    const std::int64_t largest = spread ? largest_magnitude(magnitudes) : 0;
    const auto chain_of = [&](std::int64_t t) {
      if (spread) return roundings_of(*additions);
      if (key().distribution == Distribution::exact) return 0.0;
      // One rounding of a product, and the additions that so many terms can take.
      const std::int64_t terms = std::min({t + 1, taps_, key().n, outputs() - t});
      return allowed_chain(
          std::min(additions.value_or(static_cast<double>(terms)) + 1, static_cast<double>(terms)));
    };
    return check_elements(
        key().type, answers[0], outputs(), a_.fraction_bits + b_.fraction_bits,
        [&](std::int64_t first, std::int64_t last, ElementCheck& check) {
          in_chunks(first, last, [&](std::int64_t begin, std::int64_t end) {
            const std::vector<std::int64_t> exact = sums.outputs(begin, end);
            const std::vector<std::int64_t> terms =
                signed_ && !spread ? magnitudes.outputs(begin, end) : std::vector<std::int64_t>();
            for (std::int64_t t = begin; t < end; ++t) {
              const auto at = static_cast<std::size_t>(t - begin);
              check.near(t, exact[at], spread ? largest : signed_ ? terms[at] : exact[at], chain_of(t));
            }
          });
        });
  }

 private:
  std::int64_t outputs() const { return key().n + taps_ - 1; }

  void choose_inputs() {
    const ProblemKey& k = key();
    const std::uint64_t seed_of_taps = mixed_bits(k.seed);
    // float64's own 40-bit integers would need sums of more than 64 bits; 23 bits exercise every step.
    const ScalarType drawn_as = k.type == ScalarType::float64 ? ScalarType::float32 : k.type;
    b_.count = taps_;
    b_.seed = seed_of_taps;
    b_.offset = 1;
    if (k.distribution == Distribution::exact) {
      b_.bound = 3;  // 1, 2 or 3: two bits of what the type holds are the taps'
      a_ = values_input(drawn_as, k.distribution, k.seed, k.n, precision_bits(k.type) - 2);
    } else {
      a_ = values_input(drawn_as, k.distribution, k.seed, k.n, 0);
      // Under constant taps neighbours cancel; all ones, that is.
      if (k.distribution != Distribution::cancelling)
        b_ = values_input(drawn_as, k.distribution, seed_of_taps, taps_, 0);
    }
    b_.period = period;
    signed_ = k.distribution != Distribution::uniform && k.distribution != Distribution::wide_exponents;
  }

  template <typename Part>
  void in_chunks(std::int64_t first, std::int64_t last, Part part) const {
    const std::int64_t chunk = std::max<std::int64_t>(1 << 15, 8 * taps_);
    for (std::int64_t begin = first; begin < last; begin += chunk) part(begin, std::min(last, begin + chunk));
  }

  std::int64_t largest_magnitude(const ExactOutputs& magnitudes) const {
    std::mutex merging;
    std::int64_t largest = 0;
    on_all_cores(outputs(), [&](std::int64_t first, std::int64_t last) {
      in_chunks(first, last, [&](std::int64_t begin, std::int64_t end) {
        const std::vector<std::int64_t> terms = magnitudes.outputs(begin, end);
        const std::int64_t mine = *std::max_element(terms.begin(), terms.end());
        const std::lock_guard lock(merging);
        largest = std::max(largest, mine);
      });
    });
    return largest;
  }

  std::int64_t taps_;
  InputSpec a_;
  InputSpec b_;
  bool signed_ = false;
};

const FamilyRegistration registration({
    .name = "convolve",
    .description = "Full one-dimensional convolution of a signal with taps.",
    .size_means = "elements of the signal",
    .types = {ScalarType::float32, ScalarType::float64},
    .knobs = {{.name = "taps",
               .description = "How many taps the signal is convolved with.",
               .default_value = std::int64_t{16},
               .minimum = 1,
               .maximum = static_cast<double>(most_taps)}},
    .make = [](const ProblemKey& key) { return std::make_unique<ConvolveProblem>(key); },
});

}  // namespace
}  // namespace tally
