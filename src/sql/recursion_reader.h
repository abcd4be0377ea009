#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/sql/syntax.h"
#include "sql/query.h"

namespace tessera::sql {

/// The rows of a recursion's steps. Parts are joined as they come, so that there are never many.
class RecursionParts {
 public:
  explicit RecursionParts(QueryCompiler& compiler) : compiler_(compiler) {}

  void add(RelationPtr part) { add_to(0, std::move(part)); }
  void clear() { levels_.clear(); }

  RelationPtr all() const {
    std::vector<RelationPtr> parts;
    for (size_t level = levels_.size(); level-- > 0;) {
      parts.insert(parts.end(), levels_[level].begin(), levels_[level].end());
    }
    return parts.size() == 1 ? parts.front() : compiler_.union_all(parts);
  }

  void add_tensors(std::vector<std::string>& names) const {
    for (const std::vector<RelationPtr>& level : levels_) {
      for (const RelationPtr& part : level) {
        add_tensors_of(*part, names);
      }
    }
  }

  static void add_tensors_of(const Relation& relation, std::vector<std::string>& names) {
    for (const RelationColumn& column : relation.columns) {
      if (column.tensor) {
        names.push_back(column.tensor->name);
      }
    }
  }

 private:
  void add_to(size_t level, RelationPtr part) {
    if (level == levels_.size()) {
      levels_.emplace_back();
    }
    levels_[level].push_back(std::move(part));
    constexpr size_t kMostParts = 64;  // that are put together at once
    if (levels_[level].size() == kMostParts) {
      const std::vector<RelationPtr> parts = std::exchange(levels_[level], {});
      add_to(level + 1, compiler_.union_all(parts));
    }
  }

  QueryCompiler& compiler_;
  std::vector<std::vector<RelationPtr>> levels_;  // each part of one is many of that before
};

/// The query that reads a table, and how many of its first rows it takes.
struct FirstRows {
  const frontend::sql::Select* query;
  int64_t count;
};

/// Tells when a recursion has all the rows that the query around takes: the first ones of LIMIT or
/// EXISTS, if they are read once in all of that query, in their order.
class RecursionReader {
 public:
  /// All outlive it.
  RecursionReader(const frontend::sql::Select& around, const frontend::sql::CommonTable& table,
                  QueryCompiler& compiler);
  RecursionReader(const RecursionReader&) = delete;
  RecursionReader& operator=(const RecursionReader&) = delete;

  /// Returns a number of rows that is enough; nothing if only running the query can tell.
  std::optional<int64_t> num_enough() const;
  /// Is told of each step's rows.
  void note(const Relation& step);
  bool has_enough(const RecursionParts& parts);

 private:
  const frontend::sql::Select body_;
  std::string name_;
  QueryCompiler& compiler_;
  std::optional<FirstRows> taken_;
  int64_t num_rows_ = 0;
  int64_t num_tried_ = 0;
};

}  // namespace tessera::sql
