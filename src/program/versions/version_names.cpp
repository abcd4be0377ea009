#include "program/versions/version_names.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

namespace tessera::program {

namespace {

constexpr size_t kFewestSlots = 64;  // a power of two, as all their numbers

size_t hash_of(uint32_t family, const VersionKey& key) {
  constexpr size_t kSpread = 0x9e3779b97f4a7c15;  // 2^64 by the golden ratio, an odd number
  size_t hash = family;
  for (const int64_t index : key) {
    hash = (hash + static_cast<size_t>(index)) * kSpread;
    hash ^= hash >> 32U;
  }
  return hash;
}

}  // namespace

std::string version_name(const std::string& table, const VersionKey& key) {
  std::string name = table;
  for (const int64_t index : key) {
    name += fmt::format("[{}]", index);
  }
  return name;
}

VersionId VersionNames::id_of(const std::string& table, const VersionKey& key) {
  const auto [family, is_new] =
      numbers_.try_emplace({table, key.size()}, static_cast<uint32_t>(families_.size()));
  if (is_new) {
    families_.push_back(family->first);
  }
  if (2 * (named_.size() + 1) > slots_.size()) {
    grow();
  }
  uint32_t& slot = slots_[slot_of(family->second, key)];
  if (slot == 0) {
    named_.push_back({family->second, static_cast<uint32_t>(indices_.size())});
    indices_.insert(indices_.end(), key.begin(), key.end());
    slot = static_cast<uint32_t>(named_.size());
  }
  return VersionId(int64_t{slot} - 1);
}

std::string VersionNames::name(VersionId version) const {
  return version_name(table(version), key(version));
}

VersionKey VersionNames::key(VersionId version) const {
  const Named& named = named_[version.index()];
  const auto first = indices_.begin() + named.first_index;
  return {first, first + static_cast<std::ptrdiff_t>(families_[named.family].second)};
}

void VersionNames::clear() {
  *this = {};
}

bool VersionNames::is_at(size_t slot, uint32_t family, const VersionKey& key) const {
  const Named& named = named_[slots_[slot] - 1];
  return named.family == family &&
         std::equal(key.begin(), key.end(), indices_.begin() + named.first_index);
}

size_t VersionNames::slot_of(uint32_t family, const VersionKey& key) const {
  size_t slot = hash_of(family, key) & (slots_.size() - 1);
  while (slots_[slot] != 0 && !is_at(slot, family, key)) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

void VersionNames::grow() {
  slots_.assign(std::max(kFewestSlots, 2 * slots_.size()), 0);
  for (size_t number = 0; number < named_.size(); ++number) {
    const VersionKey key = this->key(VersionId(static_cast<int64_t>(number)));
    slots_[slot_of(named_[number].family, key)] = static_cast<uint32_t>(number + 1);
  }
}

}  // namespace tessera::program
