#pragma once

#include "expr/aggregate.h"
#include "expr/function.h"

namespace tessera::expr {

/// Every function there is, as a session knows them.
inline const FunctionRegistry& all_functions() {
  static const FunctionRegistry registry = [] {
    FunctionRegistry all;
    register_all_functions(all);
    return all;
  }();
  return registry;
}

/// Every aggregate there is.
inline const AggregateRegistry& all_aggregates() {
  static const AggregateRegistry registry = [] {
    AggregateRegistry all;
    register_all_aggregates(all);
    return all;
  }();
  return registry;
}

}  // namespace tessera::expr
