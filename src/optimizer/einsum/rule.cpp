#include "optimizer/einsum/rule.h"

#include <algorithm>

#include "base/error.h"

namespace tessera::optimizer {

void RuleRegistry::add(Rule rule) {
  TESSERA_CHECK(find(rule.name) == nullptr, "two rules are called {}", rule.name);
  rules_.push_back(std::move(rule));
}

const Rule* RuleRegistry::find(const std::string& name) const {
  const auto found = std::find_if(rules_.begin(), rules_.end(),
                                  [&](const Rule& rule) { return rule.name == name; });
  return found == rules_.end() ? nullptr : &*found;
}

std::vector<std::string> RuleRegistry::names() const {
  std::vector<std::string> names;
  for (const Rule& rule : rules_) {
    names.push_back(rule.name);
  }
  return names;
}

}  // namespace tessera::optimizer
