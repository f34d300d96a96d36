#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "harness/catalog/catalog.h"
#include "harness/device/launch.h"
#include "harness/sources/source_path.h"

/// How a variant or a baseline declares itself, in its own file and nowhere else:
///
///   TALLY_VARIANT(Reduce, korean_course, reduce2)
///       .follows("reduce1").lesson("…")
///       .types<float, double>()
///       .tunable("threads", {256, 512}, both(rules::power_of_two, rules::block_size))
///       .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
///         T* partials = scratch.array<T>(t["blocks"]);      // set up here, untimed
///         return [=](Queue& q) { q.launch(…); };            // only this returned call is timed
///       });
///
/// The first argument is the family's view (harness/problems/<family>.h). The function given to prepare() is
/// compiled for each declared type and each view of the family that it can be called with: one that takes
/// Reduce<T, Sum<…>> serves sum and mean only.
#define TALLY_VARIANT(Family, series, name) TALLY_DECLARE_ENTRY(variant, Family, series, name)
#define TALLY_BASELINE(Family, series, name) TALLY_DECLARE_ENTRY(baseline, Family, series, name)
#define TALLY_DECLARE_ENTRY(kind, Family, series, name)                                                      \
  static const ::tally::Registered tally_entry_##Family##_##series##_##name =                                \
      ::tally::EntryBuilder<::tally::ViewsOf##Family>(::tally::Entry::Kind::kind, ::tally::name_of_##Family, \
                                                      #series, #name, __FILE__, __LINE__)

namespace tally {

/// What an entry's declaration leaves behind: the fact that it was added to the catalog.
struct Registered {
  explicit Registered(Entry entry) { Catalog::instance().add(std::move(entry)); }
};

template <template <typename> class Views, typename... Types>
class EntryBuilder {
 public:
  EntryBuilder(Entry::Kind kind, const char* family, const char* series, const char* name, const char* file,
               int line) {
    entry_.kind = kind;
    entry_.family = family;
    entry_.series = series;
    entry_.name = name;
    entry_.file = path_in_repository(file);
    entry_.line = line;
  }
  explicit EntryBuilder(Entry entry) : entry_(std::move(entry)) {}

  operator Registered() && {
    return Registered(std::move(entry_));
  }  // NOLINT: the declaration is the registration

  /// The element types that it is compiled for. Stands before prepare().
  template <typename... Declared>
  EntryBuilder<Views, Declared...> types() && {
    entry_.types = {ScalarTypeOf<Declared>::value...};
    return EntryBuilder<Views, Declared...>(std::move(entry_));
  }

  /// What a reader learns from it, in a sentence or two.
  EntryBuilder&& lesson(std::string text) && { return set(entry_.lesson, std::move(text)); }

  /// The document that it is from.
  EntryBuilder&& source(std::string text) && { return set(entry_.source, std::move(text)); }

  /// The stage before it in the same series.
  EntryBuilder&& follows(const std::string& stage) && {
    return set(entry_.predecessor, entry_.family + "/" + entry_.series + "/" + stage);
  }

  /// A named parameter; the first value is the default, all of them are worth trying, the rule is the true
  /// limit.
  EntryBuilder&& tunable(std::string name, std::vector<std::int64_t> values, Rule rule) && {
    entry_.tunables.push_back({std::move(name), std::move(values), std::move(rule)});
    return std::move(*this);
  }

  /// A limit that ties several tunables together. The reason reads on from the entry's name: "needs blocks <=
  /// threads".
  EntryBuilder&& tuning_needs(std::string reason, std::function<bool(const Tuning&)> holds) && {
    entry_.tuning_needs.push_back(
        {std::move(reason),
         [holds = std::move(holds)](const ProblemKey&, const Tuning& t) { return holds(t); }});
    return std::move(*this);
  }

  /// A problem that it cannot take is skipped with this reason: "needs power-of-two n".
  EntryBuilder&& needs(std::string reason, std::function<bool(const ProblemKey&, const Tuning&)> holds) && {
    entry_.needs.push_back({std::move(reason), std::move(holds)});
    return std::move(*this);
  }

  /// Limits it to some values of one of the family's knobs: knob("op", {"sum"}).
  EntryBuilder&& knob(const std::string& name, std::set<std::string> values) && {
    entry_.knobs[name] = std::move(values);
    return std::move(*this);
  }

  /// A figure of its source.
  EntryBuilder&& published(std::string machine, std::int64_t n, ScalarType type, double value,
                           std::string unit) && {
    entry_.published.push_back({std::move(machine), n, type, value, std::move(unit)});
    return std::move(*this);
  }

  /// What one call costs.
  EntryBuilder&& cost(std::function<Cost(const ProblemKey&, const Tuning&)> model) && {
    return set(entry_.cost, std::move(model));
  }

  /// The longest chain of rounded additions behind the answer: what bounds its error.
  EntryBuilder&& additions(std::function<double(const ProblemKey&, const Tuning&)> chain) && {
    return set(entry_.additions, std::move(chain));
  }

  /// The call writes over its input; the harness restores it, untimed.
  EntryBuilder&& destroys_input() && { return set(entry_.destroys_input, true); }

  /// The answer is in host memory when the call returns. Implies synchronises().
  EntryBuilder&& answers_on_host() && {
    entry_.answers_on_host = true;
    return set(entry_.synchronises, true);
  }

  /// The call waits for the device, or allocates: it cannot be queued behind a hold.
  EntryBuilder&& synchronises() && { return set(entry_.synchronises, true); }

  /// Kept for the checks to catch; never compared.
  EntryBuilder&& known_wrong(std::string why) && { return set(entry_.known_wrong, std::move(why)); }

  /// Its bits may differ from run to run, by design.
  EntryBuilder&& not_deterministic(std::string why) && {
    return set(entry_.not_deterministic, std::move(why));
  }

  /// Needs a GPU of at least this compute capability, 90 for 9.0.
  EntryBuilder&& compute_capability(int least) && { return set(entry_.compute_capability, least); }

  /// Cannot run on that device, for this reason ("thread-block clusters"); prepare() is not compiled there.
  EntryBuilder&& not_on(DeviceKind device, std::string reason) && {
    entry_.absent[device] = std::move(reason);
    return std::move(*this);
  }

  /// The set-up, which returns the timed call (or a Prepared, for entries that keep counters).
  template <typename Prepare>
  EntryBuilder&& prepare(Prepare prepare) && {
    (add_type<Types>(prepare), ...);
    return std::move(*this);
  }

 private:
  template <typename Field, typename Value>
  EntryBuilder&& set(Field& field, Value&& value) {
    field = std::forward<Value>(value);
    return std::move(*this);
  }

  template <typename T, typename Prepare>
  void add_type(const Prepare& prepare) {
    Views<T>::visit([&]<typename View>() {
      if constexpr (std::is_invocable_v<const Prepare&, View, const Tuning&, Scratch&>) {
        entry_.implementations.push_back({device_of_this_file, ScalarTypeOf<T>::value, &View::serves,
                                          [prepare](const Problem& problem, const Buffers& buffers,
                                                    const Tuning& tuning, Scratch& scratch) {
                                            return as_prepared(
                                                prepare(View::bind(problem, buffers), tuning, scratch));
                                          }});
      }
    });
  }

  static Prepared as_prepared(Prepared prepared) { return prepared; }

  template <typename Call>
  requires std::is_invocable_v<Call&, Queue&>
  static Prepared as_prepared(Call call) {
    return {[call](DeviceQueue& device_queue) {
              Queue queue(device_queue);
              call(queue);
            },
            {}};
  }

  Entry entry_;
};

}  // namespace tally
