#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "frontend/einsum/einsum.h"
#include "frontend/einsum/program/syntax.h"

namespace tessera::frontend {

/// Which statements write a part of a tensor, as Y[2*i] = a[i] does, as far as the text says it.
class StridedSyntax {
 public:
  StridedSyntax(const ProgramSyntax& syntax, const Vocabulary& vocabulary);

  /// The label that an index on the left is computed from, as in 2*i + 1. Nothing for a label alone
  /// and for a number; and nothing for an index that groups: one that is computed otherwise, or
  /// from a label that an aggregate of the statement binds.
  std::optional<NameSyntax> label_of(const IndexSyntax& index, const Assignment& assignment) const;

  /// How many statements write each tensor of which one statement writes a part.
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
