#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sql/relation.h"

namespace tessera::sql {

/// Who keeps versions beyond the statement that computes them (version_checkpoints.h).
class VersionKeeper {
 public:
  virtual ~VersionKeeper() = default;

  /// The stored table of a version that was kept; nothing where none was, or it is damaged.
  virtual std::optional<std::string> find(const std::string& version) = 0;

  /// Whether what was said so far of the tensor program, so many statements, is to be computed, so
  /// that versions can be kept.
  virtual bool is_due(int64_t num_statements) = 0;

  /// Keeps versions, which are all that are held, when their tensors were computed; gives those
  /// that stay until the statement ends, by name, and the table of each. What is kept of versions
  /// that are held no more may go.
  virtual std::map<std::string, std::string> keep(
      const std::vector<std::pair<std::string, RelationPtr>>& held) = 0;
};

}  // namespace tessera::sql
