#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "frontend/einsum/program/scope.h"
#include "frontend/einsum/program/syntax.h"
#include "ir/einsum/graph.h"

namespace tessera::frontend {

/// One statement over tensors that are known, without a text around it.
struct KnownStatement {
  ProgramSyntax syntax;  // its expressions
  /// Its left side has labels and groups whose number is said: `i`, `I[n] of 10`.
  Assignment assignment;
  std::map<std::string, int64_t> label_extents;
  std::vector<std::pair<std::string, ArrayType>> tensors;  // that it may read, by their names
};

/// Binds statements one by one, for programs that grow. Threads: binding is const.
class StatementBinder {
 public:
  /// The vocabulary outlives it.
  explicit StatementBinder(const Vocabulary& vocabulary);
  StatementBinder(const StatementBinder&) = delete;
  StatementBinder& operator=(const StatementBinder&) = delete;

  /// The vertices of a statement behind an input for each tensor that it may read, in their order;
  /// its result is the output. Findings have no place: nothing of the statement is in a text.
  Result<einsum::Graph> bind(const KnownStatement& statement) const;

 private:
  ProgramScope scope_of(const KnownStatement& statement, einsum::Graph& graph) const;

  const Vocabulary vocabulary_;
  ProgramSyntax prelude_;
  ProgramScope scope_;  // what the prelude defines
};

}  // namespace tessera::frontend
