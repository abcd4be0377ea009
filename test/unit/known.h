#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/context.h"
#include "kernels/registry.h"
#include "unit/expr/registries.h"

namespace tessera {

/// What a session knows, for tests of what stands below it: every function and aggregate, and
/// kernels, on this machine.
struct Known {
  const expr::FunctionRegistry& functions = expr::all_functions();
  const expr::AggregateRegistry& aggregates = expr::all_aggregates();
  kernels::Registry kernels;
  Machine machine = this_machine();
  kernels::Context context{functions, aggregates, kernels, machine};

  /// With every kernel, or with those of the names.
  explicit Known(const std::vector<std::string>& names = {}) {
    kernels::Registry all;
    kernels::register_all_kernels(all);
    for (const kernels::Kernel& kernel : all.all()) {
      if (names.empty() || std::find(names.begin(), names.end(), kernel.name) != names.end()) {
        kernels.add(kernel);
      }
    }
  }
  Known(const Known&) = delete;
  Known& operator=(const Known&) = delete;
};

/// With every kernel.
inline const Known& known() {
  static const Known all;
  return all;
}

}  // namespace tessera
