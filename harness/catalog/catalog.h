#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/catalog/entry.h"

namespace tally {

/// All entries that were compiled in, found by name. Entries add themselves (harness/catalog/declare.h).
class Catalog {
 public:
  static Catalog& instance();

  /// Adds an entry, or the implementations of another device to the entry of that name.
  void add(Entry entry);

  /// All entries: by family, variants before baselines, by series, then in the order in which the series
  /// teaches.
  std::vector<const Entry*> entries() const;

  /// The entry of that full name, or null.
  const Entry* find(std::string_view full_name) const;

  /// Entries whose full name matches the glob ("*/harris/v*"; * also crosses slashes, ? is one
  /// character).
  std::vector<const Entry*> matching(const std::string& glob) const;

  /// The variants of a series in teaching order.
  std::vector<const Entry*> series(std::string_view family, std::string_view name) const;

  /// The full name nearest to a misspelt one, or empty where none is near.
  std::string nearest(std::string_view full_name) const;

 private:
  std::vector<Entry> entries_;
};

/// The candidate with the fewest edits from `word`, or empty where even that one is not alike.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace tally
