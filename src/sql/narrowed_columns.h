#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "database/database.h"
#include "frontend/sql/syntax.h"
#include "sql/kept_rows.h"
#include "sql/query.h"
#include "store/memory_tensor.h"

namespace tessera::sql {

/// Tensors that become rows of columns of whole numbers: whether all that they hold is there in the
/// column's dtype. What tells it runs with what computes them.
class NarrowedColumns {
 public:
  /// The compiler outlives it.
  explicit NarrowedColumns(QueryCompiler& compiler) : compiler_(compiler) {}

  /// A relation's column that goes to one of a table; nothing where its dtype holds all of the
  /// other's numbers. Errors about it are shown at the span.
  void add(const Relation& relation, const RelationColumn& given, const database::Column& column,
           SourceSpan span);

  /// Where what tells it goes; there as long as this is.
  void add_sinks(std::map<std::string, store::TileSink*>& sinks) const;

  /// Errors: `user` (22003), naming column, row and number, where one is none of its column's.
  /// REQUIRES that the sinks are filled.
  void check(const std::string& table);

 private:
  struct Narrowed {
    const Relation* relation;
    const RelationColumn* given;
    std::string column;
    DType dtype;  // the column's
    SourceSpan span;
    KeptRows rows;     // of the relation, those that have a tensor
    std::string name;  // of what tells it: a truth value for each row
    std::unique_ptr<store::MemoryTensor> differs;
  };
  [[noreturn]] void fail(const Narrowed& narrowed, int64_t row, const std::string& table);

  QueryCompiler& compiler_;
  std::vector<Narrowed> narrowed_;
};

}  // namespace tessera::sql
