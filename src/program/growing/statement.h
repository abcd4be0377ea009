#pragma once

#include <string>
#include <variant>
#include <vector>

#include "program/frames/operators.h"
#include "program/growing/expression.h"

namespace tessera::program {

/// An index on the left that is data: the number of the group that a row is merged into.
struct GroupIndex {
  Expression number;
  int64_t num_groups = 0;
  friend bool operator==(const GroupIndex&, const GroupIndex&) = default;
};
using LeftIndex = std::variant<Label, GroupIndex>;
using LeftIndices = std::vector<LeftIndex>;

/// `[i,j] = sum[k] A[i,k] * B[k,j]`: a statement without its name.
struct Assignment {
  LeftIndices left;
  Expression value;
  friend bool operator==(const Assignment&, const Assignment&) = default;
};

/// The labels as the left side of a statement.
LeftIndices left_of(const Labels& labels);

size_t hash_of(const Assignment& assignment);
/// Returns a hash that is equal for statements that differ only in their tensors.
size_t shape_hash_of(const Assignment& assignment);

/// The tensors that a statement reads, each once, in the order in which it mentions them.
std::vector<std::string> tensors_read(const Assignment& assignment);

/// A statement and the tensors that it reads, as tensors_read() gives them.
struct ReadingStatement {
  const Assignment& assignment;
  const std::vector<std::string>& reads;
};
/// True if the statements are equal but for the names of their tensors: each is read where the one
/// in the same place of the other's list is.
bool have_same_shape(const ReadingStatement& one, const ReadingStatement& other);

/// The labels of a statement, each once, in the order of their names.
std::vector<Label> labels_of(const Assignment& assignment);

/// The statement's kind of operator, as the cutter of frames sees it.
frames::OperatorKind kind_of(const Assignment& assignment);

}  // namespace tessera::program
