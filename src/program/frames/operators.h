#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::program::frames {

/// The kinds of operators over rows. Pipelined operators are counted by kind.
enum class OperatorKind : uint8_t {
  map,        // a row from a row, or from rows that plain labels pair
  select,     // rows by number, which the key part told
  aggregate,  // over the rows of a group, or over a label of their tensors, as a product of
              // matrices is
  unite,      // rows of several tensors, one after the other
};

inline constexpr std::array<OperatorKind, 4> kOperatorKinds = {
    OperatorKind::map, OperatorKind::select, OperatorKind::aggregate, OperatorKind::unite};

/// "map", "select", "aggregate", "unite": as the catalog has it.
std::string name_of(OperatorKind kind);
/// Nothing for another name.
std::optional<OperatorKind> kind_of(std::string_view name);

/// An operator of an unrolled plan. What it makes is a tensor.
struct Operator {
  OperatorKind kind = OperatorKind::map;
  std::vector<size_t> reads;  // operators before it, each once
};

/// Operators in topological order, and who reads them.
struct OperatorGraph {
  std::vector<Operator> operators;
  std::vector<std::vector<size_t>> readers;  // of each

  explicit OperatorGraph(std::vector<Operator> all);
  size_t size() const { return operators.size(); }
};

}  // namespace tessera::program::frames
