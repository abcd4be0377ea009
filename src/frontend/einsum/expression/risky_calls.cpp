#include "frontend/einsum/expression/risky_calls.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "expr/function_ids.h"

namespace tessera::frontend {

namespace {

enum class Risk { zero, negative, no_group, no_distribution };

struct RiskyCall {
  std::string_view function;
  Risk risk;
  RiskyArgument argument;
};

constexpr std::array kRiskyCalls = {
    RiskyCall{expr::id::kFloorDivide, Risk::zero, {1, 1}},
    RiskyCall{expr::id::kRemainder, Risk::zero, {1, 1}},
    RiskyCall{"fmod", Risk::zero, {1, 1}},
    RiskyCall{expr::id::kPower, Risk::negative, {1, 1}},
    RiskyCall{expr::id::kInGroup, Risk::no_group, {0, 0}},
    RiskyCall{"random_gamma", Risk::no_distribution, {1, 1}},
    RiskyCall{"random_beta", Risk::no_distribution, {1, 1}},
    RiskyCall{"random_beta", Risk::no_distribution, {2, 1}},
    RiskyCall{"random_poisson", Risk::no_distribution, {1, 1}},
    RiskyCall{"random_binomial", Risk::no_distribution, {1, 1}},
    RiskyCall{"random_binomial", Risk::no_distribution, {2, 1}},
};

}  // namespace

std::vector<RiskyArgument> risky_arguments(const std::string& function) {
  std::vector<RiskyArgument> arguments;
  for (const RiskyCall& risky : kRiskyCalls) {
    if (risky.function == function) {
      arguments.push_back(risky.argument);
    }
  }
  return arguments;
}

bool may_fail(const std::string& function, ValueRange values, DType dtype, ValueRange last) {
  const auto risky = std::find_if(kRiskyCalls.begin(), kRiskyCalls.end(),
                                  [&](const RiskyCall& call) { return call.function == function; });
  if (risky == kRiskyCalls.end()) {
    return false;
  }
  const bool is_exact = is_integer(dtype) || is_bool(dtype);
  switch (risky->risk) {
    case Risk::zero:
      return is_exact && values.lowest <= 0 && values.highest >= 0;
    case Risk::negative:
      return is_exact && values.lowest < 0;
    case Risk::no_group:
      return values.lowest < 0 || values.highest >= last.lowest;
    case Risk::no_distribution:
      return !(values.lowest > 0 && values.highest <= 1);
  }
  return true;
}

}  // namespace tessera::frontend
