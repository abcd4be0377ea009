#include "frontend/einsum/expression/value_ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/overload.h"
#include "expr/function_ids.h"

namespace tessera::frontend {

namespace {

constexpr double kUsual = 1024;  // the assumed largest magnitude of wide integers
constexpr int64_t kBytesOfNarrow = 2;

bool is_exact(DType dtype) {
  return is_integer(dtype) || is_bool(dtype);
}

bool lies_in(ValueRange range, ValueRange limits) {
  return range.lowest >= limits.lowest && range.highest <= limits.highest;
}

/// Returns the smallest range that holds all of these values.
ValueRange hull_of(std::initializer_list<double> values) {
  return {std::min(values), std::max(values)};
}

ValueRange product(ValueRange a, ValueRange b) {
  return hull_of(
      {a.lowest * b.lowest, a.lowest * b.highest, a.highest * b.lowest, a.highest * b.highest});
}

ValueRange square(ValueRange a) {
  const double largest = std::max(std::abs(a.lowest), std::abs(a.highest));
  return {0, largest * largest};
}

/// Returns the range of a function of integers in these ranges, as if nothing wrapped, or
/// `otherwise` if its range is not known here.
ValueRange range_of_call(const std::string& function, const std::vector<ValueRange>& of,
                         ValueRange otherwise) {
  namespace id = expr::id;
  if (function == id::kAdd) {
    return {of[0].lowest + of[1].lowest, of[0].highest + of[1].highest};
  }
  if (function == id::kSubtract) {
    return {of[0].lowest - of[1].highest, of[0].highest - of[1].lowest};
  }
  if (function == id::kMultiply) {
    return product(of[0], of[1]);
  }
  const bool is_square = function == id::kPower && of[1].lowest == 2 && of[1].highest == 2;
  if (function == id::kSquare || is_square) {
    return square(of[0]);
  }
  if (function == id::kNegative) {
    return {-of[0].highest, -of[0].lowest};
  }
  if (function == id::kMinimum) {
    return {std::min(of[0].lowest, of[1].lowest), std::min(of[0].highest, of[1].highest)};
  }
  if (function == id::kMaximum) {
    return {std::max(of[0].lowest, of[1].lowest), std::max(of[0].highest, of[1].highest)};
  }
  if (function == id::kWhere) {
    return {std::min(of[1].lowest, of[2].lowest), std::max(of[1].highest, of[2].highest)};
  }
  if (function == id::kRemainder && of[1].lowest > 0) {
    return {0, of[1].highest - 1};
  }
  if (function == id::kFloorDivide && of[1].lowest > 0) {
    return {std::min(of[0].lowest, 0.0), std::max(0.0, std::floor(of[0].highest / of[1].lowest))};
  }
  return otherwise;
}

ValueRange range_of_node(const expr::Node& node, const std::vector<ValueRange>& nodes,
                         const std::vector<DType>& dtypes, const einsum::EinSum& einsum,
                         const std::vector<ValueRange>& operands, RangeOfType of_type) {
  const auto at = [](const auto& all, int32_t number) { return all[static_cast<size_t>(number)]; };
  return std::visit(
      Overload{[](const expr::Constant& constant) {
                 const double value = literal_as<double>(constant.value);
                 return ValueRange{value, value};
               },
               [&](const expr::Access& access) { return at(operands, access.operand); },
               [&](const expr::IndexOf& index) {
                 const auto extent = static_cast<double>(at(einsum.labels, index.label).extent);
                 return ValueRange{0, std::max(0.0, extent - 1)};
               },
               [&](const expr::Parameter&) { return of_type(node.dtype); },
               [&](const expr::Call& call) {
                 std::vector<ValueRange> of;
                 for (const int32_t argument : call.arguments) {
                   of.push_back(at(nodes, argument));
                 }
                 return range_of_call(call.function, of, of_type(node.dtype));
               },
               [&](const expr::Cast& cast) {
                 return is_exact(at(dtypes, cast.argument)) ? at(nodes, cast.argument)
                                                            : of_type(node.dtype);
               }},
      node.op);
}

/// Returns the limits of an exact dtype; for any other, all numbers.
ValueRange all_of(DType dtype) {
  return is_exact(dtype) ? limits_of(dtype) : assumed_of(dtype);
}

/// Returns the range of quotients rounded down, by positive numbers.
ValueRange quotient(ValueRange of, ValueRange by) {
  return hull_of({std::floor(of.lowest / by.lowest), std::floor(of.lowest / by.highest),
                  std::floor(of.highest / by.lowest), std::floor(of.highest / by.highest)});
}

ValueRange certain_range_of_call(const expr::Call& call, const std::vector<ValueRange>& of,
                                 DType dtype) {
  namespace id = expr::id;
  if (!is_exact(dtype)) {
    return all_of(dtype);
  }
  if (call.function == id::kFloorDivide && of[1].lowest > 0) {
    return quotient(of[0], of[1]);
  }
  if (call.function == id::kBitwiseAnd && (of[0].lowest >= 0 || of[1].lowest >= 0)) {
    const double first = of[0].lowest >= 0 ? of[0].highest : of[1].highest;
    const double second = of[1].lowest >= 0 ? of[1].highest : of[0].highest;
    return {0, std::min(first, second)};
  }
  return range_of_call(call.function, of, all_of(dtype));
}

}  // namespace

ValueRange certain_range(int32_t last, const std::function<const expr::Node&(int32_t)>& node_at,
                         const std::map<expr::LabelNumber, int64_t>& extents) {
  std::vector<ValueRange> ranges;
  const auto range_at = [&](int32_t number) { return ranges[static_cast<size_t>(number)]; };
  for (int32_t number = 0; number <= last; ++number) {
    const expr::Node& node = node_at(number);
    const ValueRange range = std::visit(
        Overload{
            [](const expr::Constant& constant) {
              const double value = literal_as<double>(constant.value);
              return ValueRange{value, value};
            },
            [&](const Among<expr::Access, expr::Parameter> auto&) { return all_of(node.dtype); },
            [&](const expr::IndexOf& index) {
              const auto known = extents.find(index.label);
              const bool is_known = known != extents.end() && known->second > 0;
              const ValueRange positions = {0, limits_of(DType::i64).highest};
              return is_known ? ValueRange{0, static_cast<double>(known->second - 1)} : positions;
            },
            [&](const expr::Call& call) {
              std::vector<ValueRange> of;
              for (const int32_t argument : call.arguments) {
                of.push_back(range_at(argument));
              }
              return certain_range_of_call(call, of, node.dtype);
            },
            [&](const expr::Cast& cast) {
              return is_exact(node_at(cast.argument).dtype) ? range_at(cast.argument)
                                                            : all_of(node.dtype);
            }},
        node.op);
    ranges.push_back(lies_in(range, all_of(node.dtype)) ? range : all_of(node.dtype));
  }
  return ranges.back();
}

ValueRange limits_of(DType dtype) {
  if (is_bool(dtype)) {
    return {0, 1};
  }
  const int bits = static_cast<int>(8 * size_of(dtype));
  return is_signed_integer(dtype)
             ? ValueRange{-std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1) - 1}
             : ValueRange{0, std::ldexp(1.0, bits) - 1};
}

ValueRange assumed_of(DType dtype) {
  if (!is_exact(dtype)) {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  if (is_bool(dtype) || size_of(dtype) <= kBytesOfNarrow) {
    return limits_of(dtype);
  }
  return {is_signed_integer(dtype) ? -kUsual : 0, kUsual};
}

ValueRange possible_of(DType dtype) {
  return is_exact(dtype) ? limits_of(dtype) : assumed_of(dtype);
}

ValueRange range_of_body(const einsum::EinSum& einsum, const std::vector<ValueRange>& operands,
                         RangeOfType of_type) {
  std::vector<ValueRange> nodes;
  std::vector<DType> dtypes;
  for (const expr::Node& node : einsum.body.nodes) {
    ValueRange range = is_exact(node.dtype)
                           ? range_of_node(node, nodes, dtypes, einsum, operands, of_type)
                           : of_type(node.dtype);
    if (is_exact(node.dtype) && !lies_in(range, limits_of(node.dtype))) {
      range = limits_of(node.dtype);  // it wraps
    }
    nodes.push_back(range);
    dtypes.push_back(node.dtype);
  }
  return nodes.back();
}

std::vector<ValueRange> operand_ranges(const einsum::Vertex& vertex,
                                       const std::vector<ValueRange>& before) {
  std::vector<ValueRange> ranges;
  for (const einsum::VertexId operand : vertex.operands) {
    ranges.push_back(before[operand.index()]);
  }
  return ranges;
}

double num_reduced(const einsum::EinSum& einsum) {
  double number = 1;
  for (const expr::LabelNumber label : einsum.over) {
    number *= static_cast<double>(einsum.labels[static_cast<size_t>(label)].extent);
  }
  return number;
}

ValueRange summed(ValueRange values, double number) {
  return {std::min(0.0, values.lowest * number), std::max(0.0, values.highest * number)};
}

ValueRange range_of(const einsum::Graph& graph, einsum::VertexId id,
                    const std::vector<ValueRange>& before, RangeOfType of_type) {
  const einsum::Vertex& vertex = graph.at(id);
  const DType dtype = vertex.type.dtype;
  return std::visit(Overload{[&](const Among<einsum::Input, einsum::Scan, einsum::Whole> auto&) {
                               return of_type(dtype);
                             },
                             [&](const einsum::EinSum& einsum) {
                               const bool is_sum = einsum.aggregate == expr::id::kSum;
                               const bool keeps = einsum.aggregate.empty() || is_sum ||
                                                  einsum.aggregate == expr::id::kMin ||
                                                  einsum.aggregate == expr::id::kMax;
                               if (!keeps || !is_exact(dtype)) {
                                 return of_type(dtype);
                               }
                               const ValueRange body =
                                   range_of_body(einsum, operand_ranges(vertex, before), of_type);
                               const ValueRange all =
                                   is_sum ? summed(body, num_reduced(einsum)) : body;
                               return lies_in(all, limits_of(dtype)) ? all : limits_of(dtype);
                             }},
                    vertex.op);
}

std::optional<int64_t> largest_value(const einsum::Graph& graph, einsum::VertexId vertex) {
  // more is the end of a dtype, and no bound of the data
  constexpr double kLargest = 2147483646;
  std::vector<ValueRange> ranges;
  for (size_t number = 0; number <= vertex.index(); ++number) {
    const einsum::VertexId id(static_cast<int64_t>(number));
    ranges.push_back(range_of(graph, id, ranges, possible_of));
  }
  const double largest = ranges.back().highest;
  return largest <= kLargest ? std::optional(static_cast<int64_t>(std::max(0.0, largest)))
                             : std::nullopt;
}

}  // namespace tessera::frontend
