#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "frontend/einsum/einsum.h"
#include "frontend/einsum/program/syntax.h"

namespace tessera::frontend {

/// The statements that write a part of a tensor, such as Y[2*i] = a[i], as far as the text tells.
class StridedSyntax {
 public:
  StridedSyntax(const ProgramSyntax& syntax, const Vocabulary& vocabulary);

  /// Returns the label that an index on the left is computed from, as in 2*i + 1. Nothing for a
  /// label alone, for a number, and for an index that groups: one that is computed otherwise, or
  /// from a label that an aggregate of the statement binds.
  std::optional<NameSyntax> label_of(const IndexSyntax& index, const Assignment& assignment) const;

  /// Returns the number of statements that write each tensor of which some statement writes a part.
  std::map<std::string, size_t> num_statements() const;

 private:
  bool is_linear(ExpressionId id, std::vector<NameSyntax>& labels) const;
  bool binds(ExpressionId id, const std::string& label) const;

  const ProgramSyntax& syntax_;
  const Vocabulary& vocabulary_;
  std::set<std::string> parameters_;
  std::set<std::string> aggregates_;  // the program's own
};

}  // namespace tessera::frontend
