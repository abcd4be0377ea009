#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/einsum/program/statement_binder.h"
#include "ir/einsum/graph.h"
#include "program/growing/statement.h"
#include "types/array_type.h"

namespace tessera::program {

/// The vertices of a statement, behind an input for each tensor that it reads.
struct BoundStatement {
  size_t num_reads = 0;
  einsum::Graph graph;  // its one output is the statement's

  const ArrayType& type() const { return graph.at(graph.outputs.front().vertex).type; }
};
using BoundStatementPtr = std::shared_ptr<const BoundStatement>;

/// Statements as they are bound, each once for all tensors of equal types that it may be over: the
/// versions of a recursion repeat few statements.
///
/// Threads: one at a time.
class BoundStatements {
 public:
  /// The vocabulary outlives it.
  explicit BoundStatements(const frontend::Vocabulary& vocabulary)
      : functions_(vocabulary.functions), binder_(vocabulary) {}

  /// The vertices of a statement over tensors of these types, in the order of tensors_read().
  /// Errors: `user`, `unsupported`, if it has no meaning.
  BoundStatementPtr bind(const Assignment& assignment, const std::vector<std::string>& reads,
                         const std::vector<ArrayType>& types);

  size_t size() const { return known_.size(); }

 private:
  struct Known {
    Assignment assignment;
    std::vector<std::string> reads;
    std::vector<ArrayType> types;  // of what it reads
    BoundStatementPtr bound;
  };

  const expr::FunctionRegistry& functions_;
  frontend::StatementBinder binder_;
  std::unordered_multimap<size_t, Known> known_;  // by shape_hash_of the assignment
};

}  // namespace tessera::program
