#pragma once

#include <iterator>
#include <utility>

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// Adds the function that a file of expr/functions/ describes.
template <class F>
void add_function(FunctionRegistry& registry) {
  Function function;
  function.name = F::kName;
  function.arity = F::kArity;
  function.summary = F::kSummary;
  function.group = F::kGroup;
  function.numpy = F::kNumpy;
  if constexpr (requires { F::kOperator; }) {
    function.sign = F::kOperator;
  }
  if constexpr (requires { F::kArguments; }) {
    function.arguments = F::kArguments;
  }
  if constexpr (requires { F::kExample; }) {
    function.example = F::kExample;
  }
  if constexpr (requires { F::kFault; }) {
    function.fault = text_of(F::kFault);
  }
  function.bind = [](const std::vector<DType>& arguments) {
    check_arity(F::kName, F::kArity, arguments.size());
    return F::kRule(F::kName, arguments);
  };
  if constexpr (requires { F::kAssociative; }) {
    function.associative = F::kAssociative;
  }
  function.cost = F::kCost;
  if constexpr (requires { F::kDistributesOver; }) {
    function.distributes_over.assign(std::begin(F::kDistributesOver),
                                     std::end(F::kDistributesOver));
  }
  if constexpr (requires { F::kAnnihilates; }) {
    function.annihilates.assign(std::begin(F::kAnnihilates), std::end(F::kAnnihilates));
  }
  if constexpr (requires { F::kAnnihilatesFloats; }) {
    function.annihilates_floats.assign(std::begin(F::kAnnihilatesFloats),
                                       std::end(F::kAnnihilatesFloats));
  }
  registry.add(std::move(function));
}

}  // namespace tessera::expr::TESSERA_ISA
