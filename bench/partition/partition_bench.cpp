// Numbers moved by the planners and by the cuts that people make by hand (EinDecomp, Figure 10),
// nothing being a file, and how long planning takes. Prints a table in Markdown; exits with 1 if
// some plan is cheaper than the exact one or than its lower bound.

#include <chrono>
#include <cstdio>

#include <fmt/format.h>

#include "frontend/einsum/einsum.h"
#include "kernels/registry.h"
#include "optimizer/einsum/driver.h"
#include "optimizer/partition/partition.h"
#include "partition/workloads.h"

namespace tessera::bench {

namespace {

struct Registries {
  expr::FunctionRegistry functions;
  expr::AggregateRegistry aggregates;
  optimizer::RuleRegistry rules;
  optimizer::partition::PlannerRegistry planners;
  kernels::Registry kernels;
  Machine machine;
  kernels::Context context{functions, aggregates, kernels, machine};

  Registries() {
    expr::register_all_functions(functions);
    expr::register_all_aggregates(aggregates);
    optimizer::register_all_rules(rules);
    optimizer::partition::register_all_planners(planners);
  }
};

einsum::Graph graph_of(const std::string& program, const Registries& registries) {
  const SourceText source{"workload.ein", program};
  frontend::Bindings bindings;
  auto inputs = frontend::inputs_of_program(source);
  for (const frontend::DeclaredInput& input : inputs.value()) {
    ArrayType type{DType::f32, {}};
    for (const std::optional<int64_t>& extent : input.extents) {
      type.shape.push_back(extent.value());
    }
    bindings.inputs[input.name] = type;
  }
  auto bound =
      frontend::bind_program(source, bindings, {registries.functions, registries.aggregates});
  return optimizer::optimize(bound.value().graph, registries.rules, registries.context, {}).graph;
}

optimizer::partition::PartitionOptions without_files(int64_t pieces) {
  optimizer::partition::PartitionOptions options;
  options.pieces = pieces;
  options.has_files = false;
  return options;
}

/// Whether all plans cost at least what the exact one does, and that at least its bound.
bool print_row(const einsum::Graph& graph, const Workload& workload, int64_t pieces,
               const Registries& registries) {
  const optimizer::partition::PartitionOptions options = without_files(pieces);
  const auto cost = [&](const std::string& planner) {
    return optimizer::partition::partition_graph(graph, registries.planners, planner, options);
  };
  const optimizer::partition::GraphPartition exact = cost("exact");
  const double least = exact.communication_volume;
  const double bound = exact.lower_bound.value_or(0);
  bool is_sound = bound <= least;
  std::string row = fmt::format("| {} | {} | {:.4g} | {:.2g} % |", workload.name, pieces, least,
                                100 * (least - bound) / least);
  for (const std::string& planner :
       {std::string("eindecomp"), std::string("sqrt"), std::string("data-parallel"),
        workload.megatron, workload.sequence, workload.attention}) {
    if (planner.empty()) {
      row += " |";
      continue;
    }
    const double moved = cost(planner).communication_volume;
    is_sound = is_sound && moved >= least;
    row += fmt::format(" {:.2f} |", moved / least);
  }
  std::printf("%s\n", row.c_str());
  std::fflush(stdout);
  return is_sound;
}

void print_planning_time(const Registries& registries) {
  const einsum::Graph graph = graph_of(transformer(50, 8, 4096), registries);
  for (const std::string planner : {"eindecomp", "exact", "auto"}) {
    const auto start = std::chrono::steady_clock::now();
    const optimizer::partition::GraphPartition result = optimizer::partition::partition_graph(
        graph, registries.planners, planner, without_files(64));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const std::string gap =
        result.lower_bound
            ? fmt::format("{:.3g} %", 100 * (1 - *result.lower_bound / result.communication_volume))
            : "unknown";
    std::printf("%s: %zu statements at p=64 in %.2f s, %.6g moved, gap %s\n", planner.c_str(),
                result.statements.size(), seconds.count(), result.communication_volume,
                gap.c_str());
    std::fflush(stdout);
  }
}

}  // namespace

int run() {
  const Registries registries;
  std::printf(
      "Numbers moved: by the exact planner with the proven gap, and how many times as many by the "
      "others.\n\n"
      "| workload | p | exact | gap | eindecomp | sqrt | data parallel | Megatron | sequence | "
      "attention |\n|---|---|---|---|---|---|---|---|---|---|\n");
  bool is_sound = true;
  for (const Workload& workload : all_workloads()) {
    const einsum::Graph graph = graph_of(workload.program, registries);
    for (const int64_t pieces : {4, 16, 64}) {
      is_sound = print_row(graph, workload, pieces, registries) && is_sound;
    }
  }
  std::printf("\n");
  print_planning_time(registries);
  return is_sound ? 0 : 1;
}

}  // namespace tessera::bench

int main() {
  return tessera::bench::run();
}
