#include "expr/function.h"

#include <algorithm>

#include "base/error.h"

namespace tessera::expr {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string_view title_of(FunctionGroup group) {
  switch (group) {
    case FunctionGroup::arithmetic:
      return "arithmetic";
    case FunctionGroup::powers:
      return "powers and roots";
    case FunctionGroup::exponentials:
      return "exponentials and logarithms";
    case FunctionGroup::trigonometry:
      return "trigonometry";
    case FunctionGroup::rounding:
      return "rounding";
    case FunctionGroup::comparisons:
      return "comparisons and choice";
    case FunctionGroup::logic:
      return "logic";
    case FunctionGroup::bits:
      return "bits";
    case FunctionGroup::draws:
      return "random draws";
    case FunctionGroup::complex:
      return "complex numbers";
    case FunctionGroup::matrices:
      return "linear algebra";
    case FunctionGroup::special:
      return "special functions";
    case FunctionGroup::unwritten:
      return "what is not written";
  }
  throw_error(ErrorKind::internal, "no such group: {}", static_cast<int>(group));
}

std::vector<FunctionGroup> all_function_groups() {
  using enum FunctionGroup;
  return {arithmetic, powers, exponentials, trigonometry, rounding, comparisons,
          logic,      bits,   draws,        complex,      matrices, special};
}

void FunctionRegistry::add(Function function) {
  const std::string name = function.name;
  const bool is_new = functions_.emplace(name, std::move(function)).second;
  TESSERA_CHECK(is_new, "two functions are named {}", name);
}

const Function* FunctionRegistry::find(const std::string& name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

const Function* FunctionRegistry::find_scalar(const std::string& name) const {
  const Function* const found = find(name);
  return found != nullptr && !found->core ? found : nullptr;
}

bool FunctionRegistry::distributes_over(const std::string& function,
                                        const std::string& aggregate) const {
  const Function* const found = find(function);
  return found != nullptr && contains(found->distributes_over, aggregate);
}

bool FunctionRegistry::annihilates(const std::string& function, const std::string& aggregate,
                                   DType dtype) const {
  const Function* const found = find(function);
  return found != nullptr && (contains(found->annihilates, aggregate) ||
                              (is_float(dtype) && contains(found->annihilates_floats, aggregate)));
}

std::vector<std::string> FunctionRegistry::names() const {
  std::vector<std::string> names;
  for (const auto& [name, function] : functions_) {
    names.push_back(name);
  }
  return names;
}

}  // namespace tessera::expr
