#include "engine/planning/program_size.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/byte_size.h"
#include "base/error.h"
#include "base/overload.h"
#include "expr/tile_program.h"

namespace tessera::engine {

namespace {

constexpr int64_t kFreeBytes = int64_t{24} << 20;

/// Bytes by resident sets of runs with 1,000 to 100,000 statements of 2 to 2,000 expression nodes,
/// less those of their tasks (2026-11). A statement is in every stage, a node of relations in its
/// own and later ones, a program of tasks alone.
constexpr int64_t kBytesPerStatement = 7'000;
constexpr int64_t kBytesPerRelation = 2'000;
constexpr int64_t kBytesPerTileProgram = 2'500;
constexpr int64_t kBytesPerExpressionNode = 600;

int64_t num_expression_nodes(const expr::Scalar& scalar) {
  return static_cast<int64_t>(scalar.nodes.size());
}

int64_t num_expression_nodes(const expr::TileProgram& program) {
  int64_t nodes = 0;
  for (const expr::TileStatement& statement : program.statements) {
    for (const expr::Scalar& body : statement.bodies) {
      nodes += num_expression_nodes(body);
    }
  }
  return nodes;
}

int64_t num_expression_nodes(const tra::Op& op) {
  return std::visit(
      Overload{[](const tra::Join& join) { return num_expression_nodes(*join.kernel); },
               [](const tra::Transform& map) { return num_expression_nodes(*map.kernel); },
               [](const tra::Filter& filter) { return num_expression_nodes(filter.predicate); },
               [](const tra::Input&) { return int64_t{0}; },
               [](const tra::Aggregate&) { return int64_t{0}; },
               [](const tra::Rekey&) { return int64_t{0}; },
               [](const tra::Tile&) { return int64_t{0}; },
               [](const tra::Concat&) { return int64_t{0}; },
               [](const tra::Repartition&) { return int64_t{0}; },
               [](const tra::Scan& scan) { return num_expression_nodes(*scan.kernel); }},
      op);
}

int64_t num_expression_nodes(const einsum::Op& op) {
  int64_t nodes = 0;
  for (const expr::Scalar* expression : einsum::expressions_of(op)) {
    nodes += num_expression_nodes(*expression);
  }
  return nodes;
}

int64_t bytes_of(const einsum::Vertex& vertex) {
  return kBytesPerStatement + num_expression_nodes(vertex.op) * kBytesPerExpressionNode;
}

int64_t bytes_of(const tra::Node& node) {
  return kBytesPerRelation + num_expression_nodes(node.op) * kBytesPerExpressionNode;
}

int64_t bytes_of(const ia::Node& node) {
  const tra::Op* op = ia::local_op(node);
  const int64_t nodes = op == nullptr ? 0 : num_expression_nodes(*op);
  return kBytesPerRelation + nodes * kBytesPerExpressionNode;
}

int64_t bytes_of(const plan::ProgramInfo& info) {
  return kBytesPerTileProgram + num_expression_nodes(*info.program) * kBytesPerExpressionNode;
}

/// Returns the memory of these `things`.
template <class T>
plan::Held held(const std::vector<T>& parts, const char* things) {
  int64_t bytes = 0;
  for (const T& part : parts) {
    bytes += bytes_of(part);
  }
  return {std::max<int64_t>(0, bytes - kFreeBytes),
          fmt::format("the program itself, which has {} {}", parts.size(), things)};
}

plan::Held held_by(const FromProgram& stages) {
  return held(stages.choices.bound.vertices, "statements");
}

plan::Held held_by(const FromRelations& stages) {
  return held(stages.relations.nodes, "nodes");
}

plan::Held held_by(const FromPlacement& stages) {
  return held(stages.placed.nodes, "nodes");
}

plan::Held held_by(const PlacedStages& stages) {
  return std::visit([](const auto& from) { return held_by(from); }, stages);
}

}  // namespace

plan::Held held_by(const einsum::Graph& program) {
  return held(program.vertices, "statements");
}

plan::Held held_by(const Plan& plan) {
  return plan.before ? held_by(*plan.before) : held(plan.tasks.programs, "programs");
}

plan::Held held_by(const Stages& stages) {
  const auto* framed = std::get_if<FramedPlan>(&stages.reached);
  return framed != nullptr ? held_by(framed->before) : held_by(stages.plan());
}

void check_leaves_room(const plan::Held& held, int64_t budget) {
  if (held.bytes > 0 && held.bytes >= budget) {
    throw_error(ErrorKind::resource,
                "this program does not fit a memory budget of {}: {} would be for {}, so no plan "
                "has room for its tiles; a larger budget would work, or fewer statements at a time",
                byte_size_text(budget), byte_size_text(held.bytes), held.by);
  }
}

}  // namespace tessera::engine
