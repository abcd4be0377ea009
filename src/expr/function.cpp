#include "expr/function.h"

#include <algorithm>

#include "base/error.h"

namespace tessera::expr {

void FunctionRegistry::add(Function function) {
  const std::string name = function.name;
  const bool is_new = functions_.emplace(name, std::move(function)).second;
  TESSERA_CHECK(is_new, "two functions are named {}", name);
}

const Function* FunctionRegistry::find(const std::string& name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

bool FunctionRegistry::distributes_over(const std::string& function,
                                        const std::string& aggregate) const {
  const Function* const found = find(function);
  return found != nullptr &&
         std::find(found->distributes_over.begin(), found->distributes_over.end(), aggregate) !=
             found->distributes_over.end();
}

std::vector<std::string> FunctionRegistry::names() const {
  std::vector<std::string> names;
  for (const auto& [name, function] : functions_) {
    names.push_back(name);
  }
  return names;
}

}  // namespace tessera::expr
