#pragma once

#include <string>
#include <vector>

#include "frontend/sql/syntax.h"
#include "sql/relation.h"

namespace tessera::sql {

/// What the names of columns mean within one SELECT.
class Scope {
 public:
  struct Entry {
    std::string alias;
    RelationPtr relation;
  };

  void add(std::string alias, RelationPtr relation) {
    entries_.push_back({std::move(alias), std::move(relation)});
  }
  const std::vector<Entry>& entries() const { return entries_; }

  /// The column of tensors that is meant; null for a scalar, and for what is no column here.
  /// Errors: `user` where several are meant.
  const RelationColumn* find_tensor(const frontend::sql::ColumnReference& reference) const;
  bool has_column(const std::string& name) const;

  /// `*` or `t.*` as references to columns. Errors: `user` where there is no such table.
  std::vector<frontend::sql::Target> columns_of(const frontend::sql::Star& star) const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace tessera::sql
