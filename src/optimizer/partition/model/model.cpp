#include "optimizer/partition/model/model.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

#include "optimizer/partition/model/reading.h"
#include "types/dtype.h"

namespace tessera::optimizer::partition {

namespace {

Use use_of(const Reading& reading, const einsum::Graph& graph, einsum::VertexId vertex,
           int32_t producer) {
  const ArrayType& type = graph.at(vertex).type;
  Use use{producer, vertex, {}, type.shape, size_of(type.dtype), StorageOrder::row_major};
  std::visit(Overload{[&](const einsum::Input& input) { use.order = input.order; },
                      [](const einsum::EinSum&) {}},
             graph.at(vertex).op);
  for (const expr::Index& index : reading.index) {
    use.labels.push_back(expr::plain_label(index).value_or(kWholeMode));
  }
  return use;
}

/// Operations for one point of the label space: the calls of the body, and one to merge it.
double flops_per_point(const einsum::EinSum& einsum) {
  const auto calls = std::count_if(
      einsum.body.nodes.begin(), einsum.body.nodes.end(),
      [](const expr::Node& node) { return std::holds_alternative<expr::Call>(node.op); });
  return std::max(1.0, static_cast<double>(calls) + (einsum.reduction ? 1.0 : 0.0));
}

void describe_result(const einsum::Vertex& vertex, const einsum::EinSum& einsum,
                     Statement& statement) {
  statement.result_bytes = size_of(vertex.type.dtype);
  statement.out_bytes = statement.result_bytes;
  if (einsum.reduction) {
    const std::vector<DType>& state = einsum.reduction->monoid.state;
    statement.state_numbers = static_cast<int64_t>(state.size());
    statement.out_bytes = 0;
    for (const DType dtype : state) {
      statement.out_bytes += size_of(dtype);
    }
  }
}

/// Marks what statements could do something else with in the same call.
void find_shared(Model& model) {
  std::map<einsum::VertexId, std::set<size_t>> readers;
  for (size_t number = 0; number < model.statements.size(); ++number) {
    for (const Use& use : model.statements[number].uses) {
      readers[use.vertex].insert(number);
    }
  }
  for (Statement& statement : model.statements) {
    for (Use& use : statement.uses) {
      use.is_shared = use.producer != kPreplaced || readers[use.vertex].size() > 1;
    }
  }
}

/// To how many files every vertex is written.
std::vector<int64_t> num_files_of(const einsum::Graph& graph) {
  std::vector<int64_t> num_files(graph.vertices.size(), 0);
  for (const einsum::Output& output : graph.outputs) {
    ++num_files[output.vertex.index()];
  }
  return num_files;
}

/// What the costs of a vertex follow from; `statement_of` has the producers of its operands.
Statement statement_for(const einsum::Graph& graph, einsum::VertexId id,
                        const einsum::EinSum& einsum, const std::vector<int32_t>& statement_of) {
  const einsum::Vertex& vertex = graph.at(id);
  Statement statement;
  statement.vertex = id;
  for (const expr::LabelDecl& label : einsum.labels) {
    statement.extents.push_back(label.extent);
    statement.names.push_back(label.name);
  }
  statement.whole = whole_labels(einsum);
  for (const int64_t extent : statement.extents) {
    statement.slices.push_back(std::max<int64_t>(extent, 1));
    statement.reach.push_back(0);
  }
  statement.out = einsum.out;
  statement.over = einsum.over;
  for (const Reading& reading : readings_of(einsum)) {
    const einsum::VertexId operand = vertex.operands[static_cast<size_t>(reading.operand)];
    statement.uses.push_back(use_of(reading, graph, operand, statement_of[operand.index()]));
  }
  describe_result(vertex, einsum, statement);
  statement.flops_per_point = flops_per_point(einsum);
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
                 [&](const einsum::EinSum& einsum) {
                   model.statements.push_back(statement_for(graph, vertex, einsum, statement_of));
                   model.statements.back().num_files = num_files[number];
                   return static_cast<int32_t>(model.statements.size()) - 1;
                 }},
        graph.at(vertex).op));
  }
  find_shared(model);
  return model;
}

Statement slice_of(const Statement& statement) {
  Statement slice = statement;
  const auto shorten = [&](int64_t& extent, int32_t label) {
    extent = std::min(extent, statement.slices[static_cast<size_t>(label)]);
  };
  for (size_t label = 0; label < slice.extents.size(); ++label) {
    shorten(slice.extents[label], static_cast<int32_t>(label));
  }
  for (Use& use : slice.uses) {
    for (size_t mode = 0; mode < use.labels.size(); ++mode) {
      if (use.labels[mode] != kWholeMode) {
        shorten(use.shape[mode], use.labels[mode]);
      }
    }
  }
  return slice;
}

std::vector<int32_t> labels_by_worth(const Statement& statement) {
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

std::vector<int64_t> signature_of(const Statement& statement) {
  std::vector<int64_t> numbers;
  append_all(numbers, statement.extents);
  append_all(numbers, statement.whole);
  append_all(numbers, statement.slices);
  append_all(numbers, labels_by_worth(statement));
  append_all(numbers, statement.out);
  append_all(numbers, statement.over);
  for (const Use& use : statement.uses) {
    const auto reads_the_same = [&](const Use& other) { return other.vertex == use.vertex; };
    const auto first = std::find_if(statement.uses.begin(), statement.uses.end(), reads_the_same);
    numbers.push_back(first - statement.uses.begin());
    append_all(numbers, use.labels);
    append_all(numbers, use.shape);
    numbers.push_back(use.element_bytes);
    numbers.push_back(use.is_shared ? 1 : 0);
    numbers.push_back(use.producer == kPreplaced ? 1 + static_cast<int64_t>(use.order) : 0);
  }
  numbers.push_back(statement.state_numbers);
  numbers.push_back(statement.out_bytes);
  numbers.push_back(statement.result_bytes);
  numbers.push_back(statement.num_files);
  numbers.push_back(static_cast<int64_t>(statement.flops_per_point));
  return numbers;
}

}  // namespace tessera::optimizer::partition
