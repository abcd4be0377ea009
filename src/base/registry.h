#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace tessera {

/// An open set: entries that a session knows, each by its `name`. Threads: filled once, then read
/// by any number.
template <class Entry>
class Registry {
 public:
  /// Adds an entry. Errors: internal for a second one of a name.
  void add(Entry entry) {
    TESSERA_CHECK(find(entry.name) == nullptr, "two entries are called {}", entry.name);
    entries_.push_back(std::move(entry));
  }

  /// Returns the entry of a name; null if there is none.
  const Entry* find(const std::string& name) const {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.name == name; });
    return found == entries_.end() ? nullptr : &*found;
  }

  const std::vector<Entry>& all() const { return entries_; }

  /// Returns the names in the order of registration, which is alphabetical.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Entry& entry : entries_) {
      names.push_back(entry.name);
    }
    return names;
  }

 private:
  std::vector<Entry> entries_;
};

}  // namespace tessera
