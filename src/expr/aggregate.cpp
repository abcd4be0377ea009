#include "expr/aggregate.h"

#include "base/error.h"

namespace tessera::expr {

void AggregateRegistry::add(Aggregate aggregate) {
  const std::string name = aggregate.name;
  const bool is_new = aggregates_.emplace(name, std::move(aggregate)).second;
  TESSERA_CHECK(is_new, "two aggregates are named {}", name);
}

const Aggregate* AggregateRegistry::find(const std::string& name) const {
  const auto found = aggregates_.find(name);
  return found == aggregates_.end() ? nullptr : &found->second;
}

std::vector<std::string> AggregateRegistry::names() const {
  std::vector<std::string> names;
  for (const auto& [name, aggregate] : aggregates_) {
    names.push_back(name);
  }
  return names;
}

}  // namespace tessera::expr
