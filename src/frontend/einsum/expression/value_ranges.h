#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "ir/einsum/graph.h"

namespace tessera::frontend {

/// Between what the values of a tensor lie, as far as its program says.
struct ValueRange {
  double lowest = 0;
  double highest = 0;
};

/// What the numbers of an integer dtype or of bool can be.
ValueRange limits_of(DType dtype);

/// What is taken for granted of data of a dtype. Numbers of 8 and 16 bits are small because their
/// range is used: all of it. Wider ones rarely fill theirs: they are taken to be at most 1024 in
/// magnitude, so that no sum of a few of them looks as if it wrapped. Floats may be anything.
ValueRange assumed_of(DType dtype);

/// Returns the range of all values of a dtype.
ValueRange possible_of(DType dtype);

/// The values of a dtype of which nothing else is known.
using RangeOfType = ValueRange (*)(DType dtype);

/// What a vertex holds, given what those before it hold. An integer that may wrap may be anything.
ValueRange range_of(const einsum::Graph& graph, einsum::VertexId vertex,
                    const std::vector<ValueRange>& before, RangeOfType of_type = assumed_of);

/// The largest value that an integer vertex can have, or 0 if it has none above; nothing where the
/// program does not say it.
std::optional<int64_t> largest_value(const einsum::Graph& graph, einsum::VertexId vertex);

/// How many values each of a statement's results is reduced from.
double num_reduced(const einsum::EinSum& einsum);

/// The range of the sum of so many values, as if nothing wrapped.
ValueRange summed(ValueRange values, double number);

/// The range of the body of a statement, given those of its operands.
ValueRange range_of_body(const einsum::EinSum& einsum, const std::vector<ValueRange>& operands,
                         RangeOfType of_type = assumed_of);

/// Between what the value of a node surely lies, whatever the data are: nothing is assumed of them.
/// Nodes are numbered in an order in which each stands after its arguments.
ValueRange certain_range(int32_t node, const std::function<const expr::Node&(int32_t)>& node_at,
                         const std::map<expr::LabelNumber, int64_t>& extents);

/// The ranges of a vertex's operands.
std::vector<ValueRange> operand_ranges(const einsum::Vertex& vertex,
                                       const std::vector<ValueRange>& before);

}  // namespace tessera::frontend
