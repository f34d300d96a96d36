#include "harness/catalog/catalog.h"

#include <fnmatch.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace tally {
namespace {

auto order_of(const Entry& entry) {
  return std::tie(entry.family, entry.kind, entry.series, entry.file, entry.line);
}

/// Levenshtein's distance.
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

Catalog& Catalog::instance() {
  static Catalog catalog;
  return catalog;
}

void Catalog::add(Entry entry) {
  for (Entry& known : entries_) {
    if (known.full_name() != entry.full_name()) continue;
    if (known.file != entry.file || known.line != entry.line) {
      throw std::logic_error(entry.full_name() + " is declared twice: " + known.file + ":" +
                             std::to_string(known.line) + " and " + entry.file + ":" +
                             std::to_string(entry.line));
    }
    known.implementations.insert(known.implementations.end(), entry.implementations.begin(),
                                 entry.implementations.end());
    for (const ScalarType type : entry.types) {
      if (std::find(known.types.begin(), known.types.end(), type) == known.types.end())
        known.types.push_back(type);
    }
    return;
  }
  entries_.push_back(std::move(entry));
}

std::vector<const Entry*> Catalog::entries() const {
  std::vector<const Entry*> all;
  for (const Entry& entry : entries_) all.push_back(&entry);
  std::sort(all.begin(), all.end(),
            [](const Entry* a, const Entry* b) { return order_of(*a) < order_of(*b); });
  return all;
}

const Entry* Catalog::find(std::string_view full_name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [full_name](const Entry& entry) { return entry.full_name() == full_name; });
  return found == entries_.end() ? nullptr : &*found;
}

std::vector<const Entry*> Catalog::matching(const std::string& glob) const {
  std::vector<const Entry*> found = entries();
  std::erase_if(found, [&glob](const Entry* entry) {
    return fnmatch(glob.c_str(), entry->full_name().c_str(), 0) != 0;
  });
  return found;
}

std::vector<const Entry*> Catalog::series(std::string_view family, std::string_view name) const {
  std::vector<const Entry*> found = entries();
  std::erase_if(found, [&](const Entry* entry) {
    return entry->kind != Entry::Kind::variant || entry->family != family || entry->series != name;
  });
  return found;
}

std::string Catalog::nearest(std::string_view full_name) const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) names.push_back(entry.full_name());
  return nearest_word(full_name, names);
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t fewest = std::max<std::size_t>(2, word.size() / 2) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t edits = edits_between(word, candidate);
    if (edits < fewest) {
      fewest = edits;
      best = candidate;
    }
  }
  return best;
}

}  // namespace tally
