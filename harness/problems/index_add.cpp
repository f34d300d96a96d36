#include "harness/problems/index_add.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "harness/problems/elements.h"

namespace tally {
namespace {

constexpr double largest_half = 65504;
constexpr int bits_of_alpha = 10;  // alpha is a multiple of 2^-10
constexpr double largest_alpha = 1024;
constexpr std::int64_t most_elements = INT64_MAX / 64;

/// alpha = integer · 2^-fraction_bits, in lowest terms.
struct Alpha {
  std::int64_t integer;
  int fraction_bits;
};

Alpha exact_alpha(double alpha, ScalarType type) {
  const double scaled_alpha = std::ldexp(alpha, bits_of_alpha);
  const bool in_range = std::fabs(alpha) <= largest_alpha && scaled_alpha == std::nearbyint(scaled_alpha);
  char cell[8] = {};
  store_rounded(cell, type, 0, in_range ? alpha : 0);
  if (!in_range || load_as_double(cell, type, 0) != alpha) {
    throw ProblemError("alpha",
                       "alpha = " + to_string(KnobValue(alpha)) +
                           " is not exact: it has to be a multiple of 2^-10 between -1024 and 1024 that " +
                           std::string(name_of(type)) + " holds, such as 1, 2.5 or -0.75");
  }
  Alpha exact{static_cast<std::int64_t>(scaled_alpha), bits_of_alpha};
  while (exact.fraction_bits > 0 && exact.integer % 2 == 0) {
    exact.integer /= 2;
    --exact.fraction_bits;
  }
  return exact;
}

class IndexAddProblem final : public Problem {
 public:
  explicit IndexAddProblem(const ProblemKey& key)
      : Problem(key),
        rows_(key.integer("rows") == 0 ? key.n : key.integer("rows")),
        width_(key.integer("width")),
        duplicates_(key.integer("duplicates") == 0 ? key.n : key.integer("duplicates")),
        index_type_(key.text("index_type") == "int32" ? ScalarType::int32 : ScalarType::int64) {
    refuse_impossible_extents();
    alpha_ = exact_alpha(key.number("alpha"), key.type);
    choose_inputs();
    if (key.type == ScalarType::float16) refuse_overflow();
  }

  std::vector<BufferSpec> buffers() const override {
    return {{"x", BufferSpec::Role::input_and_output, key().type, rows_ * width_, x_},
            {"index", BufferSpec::Role::input, index_type_, key().n, index_},
            {"source", BufferSpec::Role::input, key().type, key().n * width_, source_}};
  }

  /// The indices and the source are read, and the rows that occur are read and written.
  double bytes() const override {
    const auto element = static_cast<double>(size_of(key().type));
    return static_cast<double>(key().n) * static_cast<double>(size_of(index_type_)) +
           (static_cast<double>(key().n) + 2 * static_cast<double>(index_.distinct)) *
               static_cast<double>(width_) * element;
  }

  /// Additions.
  double items() const override { return static_cast<double>(key().n) * static_cast<double>(width_); }

  CheckResult check(std::span<const void* const> outputs, std::optional<double> additions) const override {
    const std::vector<std::int64_t> slots = slot_of_each_row();
    const bool exact = every_order_is_exact_;
    // Atomics add one term after the other. Small terms can be lost to a large sum every time, and only the
    // bound that always holds does, unless an entry says that its chains are shorter.
    const bool certain = key().type == ScalarType::float16 || !additions.has_value();
    return check_elements(
        key().type, outputs[0], rows_ * width_, fraction_bits(),
        [&](std::int64_t first, std::int64_t last, ElementCheck& check) {
          for (std::int64_t at = first; at < last; ++at) {
            const std::int64_t row = row_of_x(at);
            const Sum sum = exact_sum(at, slots[static_cast<std::size_t>(row)]);
            // So many terms come to it, each product rounded once.
            const double terms = static_cast<double>(sum.terms);
            const double chain = sum.terms == 0 ? 0 : std::min(additions.value_or(terms), terms) + 1;
            check.near(at, sum.value, sum.magnitudes, exact ? 0 : certain ? chain : allowed_chain(chain));
          }
        });
  }

 private:
  struct Sum {
    Int128 value = 0;
    Int128 magnitudes = 0;
    std::int64_t terms = 0;
    void add(Int128 term) {
      value += term;
      magnitudes += term < 0 ? -term : term;
    }
  };

  void refuse_impossible_extents() const {
    const auto refuse = [](const char* knob, const std::string& why) { throw ProblemError(knob, why); };
    const std::int64_t dim = key().integer("dim");
    const std::int64_t first = key().integer("first_index");
    if (key().n < 1) refuse("n", "index_add needs n of at least 1");
    if (dim != 0 && dim != 1)
      refuse("dim", "dim = " + std::to_string(dim) + " is out of range: x has the dimensions 0 and 1");
    if (rows_ < 1) refuse("rows", "rows has to be at least 1, or 0 for as many as there are indices");
    if (width_ < 1) refuse("width", "width has to be at least 1");
    if (duplicates_ < 1) refuse("duplicates", "duplicates has to be at least 1, or 0 for all the same");
    std::int64_t elements = 0;
    if (__builtin_mul_overflow(std::max(rows_, key().n), width_, &elements) || elements > most_elements)
      refuse("width", "the product of the extents is beyond 64-bit indices");
    if (first < 0 || first >= rows_) {
      refuse("first_index", "index " + std::to_string(first) + " is out of range: x has rows 0 to " +
                                std::to_string(rows_ - 1));
    }
    if (index_type_ == ScalarType::int32 && rows_ - 1 > INT32_MAX) {
      refuse("index_type", "int32 cannot hold the index " + std::to_string(rows_ - 1) + ": use \"int64\"");
    }
  }

  void choose_inputs() {
    const ProblemKey& k = key();
    const std::int64_t first = k.integer("first_index");
    index_ = indices_input(mixed_bits(k.seed + 2), k.n, rows_ - first, (k.n + duplicates_ - 1) / duplicates_);
    index_.offset = first;
    // With small integers of Σ ≤ 2^b on both sides, all that can meet in an element stays below
    // (|alpha| + 2^fraction)·2^b, in units of 2^-fraction.
    const auto magnitude =
        static_cast<std::uint64_t>(std::abs(alpha_.integer)) + (1u << alpha_.fraction_bits);
    const int exact_bits = precision_bits(k.type) - static_cast<int>(std::bit_width(magnitude));
    constexpr int least_bits = 7;  // what the ends of an array alone need
    every_order_is_exact_ = k.distribution == Distribution::exact && exact_bits >= least_bits;
    const auto drawn = [&](std::uint64_t which, std::int64_t count) {
      return values_input(k.type, k.distribution, mixed_bits(k.seed + which), count,
                          std::max(exact_bits, least_bits));
    };
    x_ = drawn(0, rows_ * width_);
    source_ = drawn(1, k.n * width_);
  }

  /// The additions to one element of half must not pass its largest value. Values are below 1.
  void refuse_overflow() const {
    const std::int64_t most_terms = (key().n + index_.distinct - 1) / index_.distinct;
    if (key().distribution == Distribution::exact) return;
    if (std::fabs(key().number("alpha")) * static_cast<double>(most_terms) + 1 <= largest_half) return;
    throw ProblemError("duplicates",
                       "up to " + std::to_string(most_terms) +
                           " additions to one float16 element can pass its largest value, 65504: "
                           "use fewer duplicates, more rows or float32");
  }

  int fraction_bits() const { return source_.fraction_bits + alpha_.fraction_bits; }

  std::int64_t row_of_x(std::int64_t at) const {
    return key().integer("dim") == 0 ? at / width_ : at % rows_;
  }
  std::int64_t column_of_x(std::int64_t at) const {
    return key().integer("dim") == 0 ? at % width_ : at / rows_;
  }
  std::int64_t place_in_source(std::int64_t i, std::int64_t column) const {
    return key().integer("dim") == 0 ? i * width_ + column : column * key().n + i;
  }

  /// Index i is that of slot i mod distinct; so the slot of a row says which indices name it.
  std::vector<std::int64_t> slot_of_each_row() const {
    std::vector<std::int64_t> slots(static_cast<std::size_t>(rows_), -1);
    for (std::int64_t slot = 0; slot < index_.distinct; ++slot)
      slots[static_cast<std::size_t>(integer_at(index_, slot))] = slot;
    return slots;
  }

  Sum exact_sum(std::int64_t at, std::int64_t slot) const {
    Sum sum;
    sum.add(Int128{integer_at(x_, at)} << alpha_.fraction_bits);
    if (slot < 0) return sum;
    const std::int64_t column = column_of_x(at);
    for (std::int64_t i = slot; i < key().n; i += index_.distinct) {
      sum.add(Int128{integer_at(source_, place_in_source(i, column))} * alpha_.integer);
      ++sum.terms;
    }
    return sum;
  }

  std::int64_t rows_;
  std::int64_t width_;
  std::int64_t duplicates_;
  ScalarType index_type_;
  Alpha alpha_{};
  InputSpec x_;
  InputSpec index_;
  InputSpec source_;
  bool every_order_is_exact_ = false;
};

const FamilyRegistration registration({
    .name = "index_add",
    .description = "Adds rows or columns of a matrix to those of another that an array of indices names.",
    .size_means = "indices",
    .types = {ScalarType::float32, ScalarType::float64, ScalarType::float16},
    .knobs = {{.name = "duplicates",
               .description =
                   "How many indices name the same row: 1, all different as far as there are rows; "
                   "0, all the same.",
               .default_value = std::int64_t{1},
               .minimum = 0},
              {.name = "rows",
               .description = "How long x is along dim; 0, as long as there are indices.",
               .default_value = std::int64_t{0},
               .minimum = 0},
              {.name = "width",
               .description = "How long x and the source are along the other dimension.",
               .default_value = std::int64_t{16},
               .minimum = 1},
              {.name = "dim",
               .description = "The dimension that is indexed.",
               .default_value = std::int64_t{0},
               .minimum = 0,
               .maximum = 1},
              {.name = "alpha",
               .description = "What the source is multiplied by; a multiple of 2^-10 that the type holds.",
               .default_value = 1.0,
               .minimum = -largest_alpha,
               .maximum = largest_alpha},
              {.name = "index_type",
               .description = "The type of the indices.",
               .default_value = std::string("int64"),
               .choices = {"int64", "int32"}},
              {.name = "first_index",
               .description = "The indices name rows from this one on.",
               .default_value = std::int64_t{0}}},
    .make = [](const ProblemKey& key) { return std::make_unique<IndexAddProblem>(key); },
});

}  // namespace
}  // namespace tally
