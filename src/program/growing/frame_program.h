#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/einsum/einsum.h"
#include "program/growing/bound_statements.h"
#include "types/array_type.h"

namespace tessera::program {

/// A frame without names: tensors are numbers, inputs first, then the statements in their order.
/// Frames that compute the same from other tensors of equal types are equal.
struct FrameShape {
  struct Member {
    BoundStatementPtr statement;
    std::vector<size_t> reads;
    friend bool operator==(const Member&, const Member&) = default;
  };

  std::vector<ArrayType> inputs;
  std::vector<Member> members;
  std::vector<size_t> outputs;

  size_t num_tensors() const { return inputs.size() + members.size(); }
  friend bool operator==(const FrameShape&, const FrameShape&) = default;
};

/// The program of a frame whose tensors have these names. As the places of its statements, errors
/// name lines of a text of this name, in which the first statement is on line `first_line`.
frontend::BoundProgram program_of(const FrameShape& shape, const std::vector<std::string>& names,
                                  const std::string& text_name, int64_t first_line);

/// Names of tensors by their place: X1, X2, …
std::vector<std::string> names_by_place(size_t num_tensors);

}  // namespace tessera::program
