#include "ir/tra/key_set.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/overload.h"

namespace tessera::tra {

bool has_all(const KeySet& present) {
  return std::visit(
      Overload{[](const AllKeys&) { return true; }, [](const ListedKeys&) { return false; },
               [](const UnknownKeys&) { return false; }},
      present);
}

std::optional<bool> has_key(const KeySet& present, const Key& key) {
  using Known = std::optional<bool>;
  return std::visit(
      Overload{[](const AllKeys&) -> Known { return true; },
               [&](const ListedKeys& listed) -> Known { return listed.keys.count(key) == 1; },
               [](const UnknownKeys&) -> Known { return std::nullopt; }},
      present);
}

int64_t num_present(const KeySet& present, int64_t num_keys) {
  return std::visit(
      Overload{[&](const AllKeys&) { return num_keys; },
               [](const ListedKeys& listed) { return static_cast<int64_t>(listed.keys.size()); },
               [&](const UnknownKeys&) { return num_keys; }},
      present);
}

std::string to_string(const KeySet& present) {
  const auto listed_text = [](const ListedKeys& listed) {
    std::vector<std::string> keys;
    for (const Key& key : listed.keys) {
      keys.push_back(fmt::format("({})", fmt::join(key, ",")));
    }
    return fmt::format(" only {{{}}}", fmt::join(keys, ","));
  };
  return std::visit(Overload{[](const AllKeys&) { return std::string(); }, listed_text,
                             [](const UnknownKeys&) { return std::string(" some"); }},
                    present);
}

}  // namespace tessera::tra
