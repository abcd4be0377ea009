#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "ir/einsum/graph.h"

namespace tessera::frontend {

/// The range of the values of a tensor, as far as its program determines it.
struct ValueRange {
  double lowest = 0;
  double highest = 0;
};

/// Returns the range of the numbers of an integer dtype or of bool.
ValueRange limits_of(DType dtype);

/// Returns the range that is assumed of data of a dtype. Numbers of 8 and 16 bits are assumed to
/// use their whole range. Wider ones rarely fill theirs: they are assumed to be at most 1024 in
/// magnitude, so that a sum of a few of them is not suspected of wrapping. Floats may be anything.
ValueRange assumed_of(DType dtype);

/// Returns the range of all values of a dtype.
ValueRange possible_of(DType dtype);

/// A function from a dtype to the range of its values if nothing else is known.
using RangeOfType = ValueRange (*)(DType dtype);

/// Returns the range of a vertex, given those of the vertices before it. An integer that may wrap
/// may be anything.
ValueRange range_of(const einsum::Graph& graph, einsum::VertexId vertex,
                    const std::vector<ValueRange>& before, RangeOfType of_type = assumed_of);

/// Returns the largest value that an integer vertex can have, or 0 if it has none above; nothing if
/// the program does not bound it.
std::optional<int64_t> largest_value(const einsum::Graph& graph, einsum::VertexId vertex);

/// Returns the number of elements that each result of a statement is reduced from.
double num_reduced(const einsum::EinSum& einsum);

/// Returns the range of the sum of `number` values, as if nothing wrapped.
ValueRange summed(ValueRange values, double number);

/// Returns the range of the body of a statement, given those of its operands.
ValueRange range_of_body(const einsum::EinSum& einsum, const std::vector<ValueRange>& operands,
                         RangeOfType of_type = assumed_of);

/// Returns the range that the value of a node certainly lies in, for any data: nothing is assumed
/// of them. Nodes are numbered so that each stands after its arguments.
ValueRange certain_range(int32_t node, const std::function<const expr::Node&(int32_t)>& node_at,
                         const std::map<expr::LabelNumber, int64_t>& extents);

/// Returns the ranges of a vertex's operands.
std::vector<ValueRange> operand_ranges(const einsum::Vertex& vertex,
                                       const std::vector<ValueRange>& before);

}  // namespace tessera::frontend
