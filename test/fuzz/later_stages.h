#pragma once

#include "expr/aggregate.h"
#include "expr/function.h"
#include "ir/einsum/graph.h"
#include "ir/ia/graph.h"
#include "ir/tra/graph.h"
#include "kernels/context.h"
#include "kernels/registry.h"
#include "optimizer/einsum/rule.h"
#include "plan/task_graph.h"

namespace tessera::fuzz {

/// Everything that stages look up by name.
struct Registries {
  expr::FunctionRegistry functions;
  expr::AggregateRegistry aggregates;
  optimizer::RuleRegistry rules;
  kernels::Registry kernels;
  Machine machine = this_machine();
  kernels::Context context{functions, aggregates, kernels, machine};
  Registries();
};

/// The same for every input of a target.
const Registries& registries();

// Take a verified graph through every later stage, to its run on zeros, where it is small; leave it
// alone where it is not. What a stage makes must verify, and be read back equal from its text.
//
// Errors: internal, where one of that does not hold. That a stage from `tra` on refuses a graph, or
// that its run meets a fault of the data, is an answer and no error.

void plan_and_run(const einsum::Graph& graph);
void plan_and_run(const tra::Graph& graph);
void plan_and_run(const ia::Graph& graph);
void plan_and_run(const plan::TaskGraph& graph);

}  // namespace tessera::fuzz
