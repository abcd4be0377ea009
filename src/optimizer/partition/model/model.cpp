#include "optimizer/partition/model/model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

#include "expr/guard.h"
#include "expr/table_gather.h"
#include "optimizer/partition/model/reading.h"
#include "types/dtype.h"

namespace tessera::optimizer::partition {

namespace {

/// Returns the reach of a mode; for a window, that of the label's first position in an unbounded
/// mode.
ModeReach reach_of(const Reading& reading, size_t mode,
                   const std::vector<expr::LabelDecl>& labels) {
  if (!reading.is_window(mode)) {
    return {};
  }
  const expr::Slide slide = *reading.cuts[mode];
  std::vector<expr::LabelRange> ranges;
  for (const expr::LabelDecl& label : labels) {
    ranges.push_back({0, std::max<int64_t>(label.extent, 1)});
  }
  ranges[static_cast<size_t>(slide.label)] = {0, 1};
  double lowest = std::numeric_limits<double>::max();
  double highest = std::numeric_limits<double>::lowest();
  for (const std::vector<expr::Index>& index : reading.reads) {
    const expr::Reach reach = *expr::reach_of(index[mode], ranges);
    lowest = std::min(lowest, static_cast<double>(reach.lowest));
    highest = std::max(highest, static_cast<double>(reach.highest));
  }
  const double extent = 1e15;  // no mode is longer
  const double span = std::min(extent, (highest - lowest + 1) * static_cast<double>(slide.divisor));
  const auto step =
      static_cast<int64_t>(std::min(extent, std::abs(static_cast<double>(slide.step))));
  return {step, static_cast<int64_t>(span), slide.divisor};
}

/// Reduces an operand to the part that is read, for example one matrix of a stack.
void keep_read_part(const Reading& reading, const std::vector<expr::LabelDecl>& labels,
                    Operand& operand) {
  std::vector<int64_t> lengths;
  for (const expr::LabelDecl& label : labels) {
    lengths.push_back(label.extent);
  }
  const auto parts = leading_parts(reading, lengths, operand.shape);
  for (size_t mode = 0; mode < parts.size(); ++mode) {
    if (parts[mode] && !reading.cuts[mode]) {
      operand.shape[mode] = parts[mode]->length;
    }
  }
}

Operand operand_of(const Reading& reading, const einsum::Graph& graph, einsum::VertexId vertex,
                   int32_t producer, const std::vector<expr::LabelDecl>& labels) {
  const ArrayType& type = graph.at(vertex).type;
  Operand operand{producer, vertex, {}, type.shape, size_of(type.dtype), StorageOrder::row_major};
  std::visit(Overload{[&](const einsum::Input& input) { operand.order = input.order; },
                      [](const Among<einsum::EinSum, einsum::Scan, einsum::Whole> auto&) {}},
             graph.at(vertex).op);
  if (producer == kPreplaced && operand.order == StorageOrder::row_major) {
    keep_read_part(reading, labels, operand);
  }
  for (size_t mode = 0; mode < reading.cuts.size(); ++mode) {
    operand.labels.push_back(reading.cuts[mode] ? reading.cuts[mode]->label : kWholeMode);
    operand.reach.push_back(reach_of(reading, mode, labels));
  }
  return operand;
}

/// Counts the groups that the elements are divided among; 1 if nothing is grouped.
double num_groups(const einsum::EinSum& einsum) {
  double groups = 1;
  for (const expr::LabelNumber label : expr::group_labels(einsum.body, einsum.out)) {
    const int64_t extent = einsum.labels[static_cast<size_t>(label)].extent;
    groups *= static_cast<double>(std::max<int64_t>(extent, 1));
  }
  return groups;
}

double num_groups(const einsum::Op& statement) {
  return std::visit(
      Overload{[](const Among<einsum::Input, einsum::Scan, einsum::Whole> auto&) { return 1.0; },
               [](const einsum::EinSum& einsum) { return num_groups(einsum); }},
      statement);
}

/// Counts the operations for one point of the label space: the calls of the bodies, and one to
/// merge them. A grouped element is looked at once, not for every group.
double flops_per_point(const einsum::Op& statement, double num_groups) {
  double flops = einsum::monoid_of(statement) == nullptr ? 0 : 1;
  for (const expr::Scalar* expression : einsum::expressions_of(statement)) {
    flops += static_cast<double>(std::count_if(
        expression->nodes.begin(), expression->nodes.end(),
        [](const expr::Node& node) { return std::holds_alternative<expr::Call>(node.op); }));
  }
  return std::max(1.0, flops) / num_groups;
}

void describe_result(const einsum::Vertex& vertex, StatementModel& statement) {
  statement.result_bytes = size_of(vertex.type.dtype);
  statement.out_bytes = statement.result_bytes;
  const expr::Monoid* const monoid = einsum::monoid_of(vertex.op);
  if (monoid != nullptr && !einsum::reduced_labels(vertex.op).empty()) {
    const std::vector<DType>& state = monoid->state;
    statement.state_numbers = static_cast<int64_t>(state.size());
    statement.out_bytes = 0;
    for (const DType dtype : state) {
      statement.out_bytes += size_of(dtype);
    }
  }
}

/// Marks operands that another statement makes or reads too, and could use in the same call.
void find_shared(Model& model) {
  std::map<einsum::VertexId, std::set<size_t>> readers;
  for (size_t number = 0; number < model.statements.size(); ++number) {
    for (const Operand& operand : model.statements[number].operands) {
      readers[operand.vertex].insert(number);
    }
  }
  for (StatementModel& statement : model.statements) {
    for (Operand& operand : statement.operands) {
      operand.is_shared = operand.producer != kPreplaced || readers[operand.vertex].size() > 1;
    }
  }
}

/// Counts the files that every vertex is written to.
std::vector<int64_t> num_files_of(const einsum::Graph& graph) {
  std::vector<int64_t> num_files(graph.vertices.size(), 0);
  for (const einsum::Output& output : graph.outputs) {
    ++num_files[output.vertex.index()];
  }
  return num_files;
}

std::optional<SourceGather> gather_of(const einsum::Graph& graph, const einsum::Vertex& vertex) {
  const std::optional<int32_t> source = einsum::source_operand(vertex.op);
  if (!source) {
    return std::nullopt;
  }
  const expr::TableGather gather = *expr::table_gather_of(einsum::einsum_of(vertex).body);
  const ArrayType& type = graph.at(vertex.operands[static_cast<size_t>(*source)]).type;
  FileArray array{{}, size_of(type.dtype)};
  for (size_t mode = 0; mode < type.shape.size(); ++mode) {
    if (expr::is_plain(gather.copied.index[mode]) || mode == gather.modes.front().mode) {
      array.shape.push_back(type.shape[mode]);
    }
  }
  return SourceGather{std::move(array), gather.num_before(), gather.num_of_tables()};
}

/// Makes the model of a vertex; `statement_of` has the producers of its operands.
StatementModel statement_for(const einsum::Graph& graph, einsum::VertexId id,
                             const std::vector<int32_t>& statement_of) {
  const einsum::Vertex& vertex = graph.at(id);
  StatementModel statement;
  statement.vertex = id;
  for (const expr::LabelDecl& label : einsum::labels_of(vertex.op)) {
    statement.extents.push_back(label.extent);
    statement.names.push_back(label.name);
  }
  statement.whole = whole_labels(vertex.op);
  for (const int64_t extent : statement.extents) {
    statement.slices.push_back(std::max<int64_t>(extent, 1));
    statement.reach.push_back(0);
  }
  statement.out = einsum::result_labels(vertex.op);
  statement.over = einsum::reduced_labels(vertex.op);
  for (const Reading& reading : readings_of(vertex.op)) {
    const einsum::VertexId read = vertex.operands[static_cast<size_t>(reading.operand)];
    statement.operands.push_back(
        operand_of(reading, graph, read, statement_of[read.index()], einsum::labels_of(vertex.op)));
  }
  statement.gather = gather_of(graph, vertex);
  describe_result(vertex, statement);
  statement.num_groups = num_groups(vertex.op);
  statement.flops_per_point = flops_per_point(vertex.op, statement.num_groups);
  return statement;
}

void append_all(std::vector<int64_t>& numbers, const auto& values) {
  numbers.push_back(static_cast<int64_t>(values.size()));
  for (const auto value : values) {
    numbers.push_back(static_cast<int64_t>(value));
  }
}

}  // namespace

Model model_of(const einsum::Graph& graph) {
  Model model;
  const std::vector<int64_t> num_files = num_files_of(graph);
  std::vector<int32_t> statement_of;  // by vertex: its statement, or kPreplaced
  for (size_t number = 0; number < graph.vertices.size(); ++number) {
    const einsum::VertexId vertex(static_cast<int64_t>(number));
    statement_of.push_back(std::visit(
        Overload{[](const einsum::Input&) { return kPreplaced; },
                 [&](const Among<einsum::EinSum, einsum::Scan, einsum::Whole> auto&) {
                   model.statements.push_back(statement_for(graph, vertex, statement_of));
                   model.statements.back().num_files = num_files[number];
                   return static_cast<int32_t>(model.statements.size()) - 1;
                 }},
        graph.at(vertex).op));
  }
  find_shared(model);
  return model;
}

int64_t elements_read(const Operand& operand, size_t mode, int64_t length) {
  const int64_t extent = operand.shape[mode];
  if (operand.labels[mode] == kWholeMode || length == 0) {
    return operand.labels[mode] == kWholeMode ? extent : 0;
  }
  const ModeReach& reach = operand.reach[mode];
  const double reached = static_cast<double>(reach.step) * static_cast<double>(length - 1) +
                         static_cast<double>(reach.span - 1);
  const double elements = std::floor(reached / static_cast<double>(reach.divisor)) + 1;
  return elements < static_cast<double>(extent) ? static_cast<int64_t>(elements) : extent;
}

bool is_window(const Operand& operand, size_t mode) {
  return operand.labels[mode] != kWholeMode && operand.reach[mode] != ModeReach{};
}

bool is_sliced(const StatementModel& statement) {
  for (size_t label = 0; label < statement.extents.size(); ++label) {
    if (statement.slices[label] < statement.extents[label]) {
      return true;
    }
  }
  return false;
}

StatementModel slice_of(const StatementModel& statement) {
  StatementModel slice = statement;
  for (size_t label = 0; label < slice.extents.size(); ++label) {
    slice.extents[label] = std::min(slice.extents[label], statement.slices[label]);
  }
  for (Operand& operand : slice.operands) {
    for (size_t mode = 0; mode < operand.labels.size(); ++mode) {
      if (operand.labels[mode] != kWholeMode) {
        const auto label = static_cast<size_t>(operand.labels[mode]);
        operand.shape[mode] = elements_read(operand, mode, statement.slices[label]);
      }
    }
  }
  return slice;
}

std::vector<int32_t> labels_by_worth(const StatementModel& statement) {
  std::vector<bool> is_out(statement.extents.size(), false);
  for (const int32_t label : statement.out) {
    is_out[static_cast<size_t>(label)] = true;
  }
  std::vector<int32_t> order(statement.extents.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    const auto key = [&](int32_t label) {
      const auto number = static_cast<size_t>(label);
      return std::make_tuple(-statement.reach[number], !is_out[number], -statement.extents[number]);
    };
    return key(a) < key(b);
  });
  return order;
}

std::vector<int64_t> signature_of(const StatementModel& statement) {
  std::vector<int64_t> numbers;
  append_all(numbers, statement.extents);
  append_all(numbers, statement.whole);
  append_all(numbers, statement.slices);
  append_all(numbers, labels_by_worth(statement));
  append_all(numbers, statement.out);
  append_all(numbers, statement.over);
  for (const Operand& operand : statement.operands) {
    const auto reads_the_same = [&](const Operand& other) {
      return other.vertex == operand.vertex;
    };
    const auto first =
        std::find_if(statement.operands.begin(), statement.operands.end(), reads_the_same);
    numbers.push_back(first - statement.operands.begin());
    append_all(numbers, operand.labels);
    append_all(numbers, operand.shape);
    for (const ModeReach& reach : operand.reach) {
      numbers.insert(numbers.end(), {reach.step, reach.span, reach.divisor});
    }
    numbers.push_back(operand.element_bytes);
    numbers.push_back(operand.is_shared ? 1 : 0);
    numbers.push_back(operand.producer == kPreplaced ? 1 + static_cast<int64_t>(operand.order) : 0);
  }
  numbers.push_back(statement.state_numbers);
  numbers.push_back(statement.out_bytes);
  numbers.push_back(statement.result_bytes);
  numbers.push_back(statement.num_files);
  if (statement.gather) {
    numbers.push_back(static_cast<int64_t>(statement.gather->mode));
    append_all(numbers, statement.gather->array.shape);
  }
  numbers.push_back(std::bit_cast<int64_t>(statement.flops_per_point));
  numbers.push_back(std::bit_cast<int64_t>(statement.num_groups));
  return numbers;
}

}  // namespace tessera::optimizer::partition
