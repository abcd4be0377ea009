#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/id.h"
#include "program/versions/version_key.h"

namespace tessera::program {

struct VersionTag;
/// A version among those that have a name here.
using VersionId = Id<VersionTag>;

/// The names of versions: chains are long, and all of one is named before its first is computed, so
/// a name takes some twenty bytes.
///
/// Threads: one at a time.
class VersionNames {
 public:
  /// The version of a name, the next one where it is new.
  VersionId id_of(const std::string& table, const VersionKey& key);

  /// For the version `t[3][2]`: its text, its table t, and its indices {3, 2}.
  std::string name(VersionId version) const;
  const std::string& table(VersionId version) const {
    return families_[named_[version.index()].family].first;
  }
  VersionKey key(VersionId version) const;

  size_t size() const { return named_.size(); }
  void clear();

 private:
  /// A table, with as many indices as its versions have.
  using Family = std::pair<std::string, size_t>;
  struct Named {
    uint32_t family = 0;
    uint32_t first_index = 0;  // in indices_
  };

  bool is_at(size_t slot, uint32_t family, const VersionKey& key) const;
  /// Returns the slot that a name has, or would have.
  size_t slot_of(uint32_t family, const VersionKey& key) const;
  void grow();

  std::map<Family, uint32_t> numbers_;  // of families
  std::vector<Family> families_;
  std::deque<Named> named_;  // by version
  std::deque<int64_t> indices_;
  std::vector<uint32_t> slots_;  // by hash, then the next ones: a version's place plus 1, or 0
};

}  // namespace tessera::program
