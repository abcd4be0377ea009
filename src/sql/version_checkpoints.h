#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "database/database.h"
#include "sql/tensor_part.h"
#include "sql/version_keeper.h"

namespace tessera::sql {

/// What a statement that materialises versions keeps while it runs, so that the same statement goes
/// on from there where this one is killed: tables whose names no user can say, committed as they
/// come, under the identity of all that they follow from (version_identity.h). What a statement
/// shows is all or nothing nevertheless: it renames them when it commits.
///
/// Versions that it is to materialise are kept at every cut; of others those that are held at a
/// cut, where as many seconds passed since such a cut before.
///
/// Threads: one at a time.
class VersionCheckpoints : public VersionKeeper {
 public:
  /// What makes a table of a relation, under this name.
  using Store = std::function<void(const Relation& relation, const std::string& name)>;
  /// What all versions follow from, when it is asked for.
  using Identity = std::function<std::string()>;

  /// `wanted` are the versions to be materialised. A death is to cost at most about so many
  /// seconds. The database and the program outlive it.
  VersionCheckpoints(database::Database& database, const TensorProgram& program,
                     std::set<std::string> wanted, double seconds, Identity identity, Store store);

  std::optional<std::string> find(const std::string& version) override;
  bool is_due(int64_t num_statements) override;
  std::map<std::string, std::string> keep(
      const std::vector<std::pair<std::string, RelationPtr>>& held) override;

  /// Makes a version that was kept a table of its own name; whether there was one.
  bool publish(const std::string& version);
  /// Drops what is kept, of this statement and of others: none goes on from there any more.
  void drop_all();

 private:
  using Clock = std::chrono::steady_clock;

  const std::string& identity();
  bool is_time_to_keep_all() const;
  void drop_all_but(const std::set<std::string>& needed, bool of_others_only);
  std::string kept_name(const std::string& version);
  void drop(const std::string& table);
  void measure(int64_t num_statements);

  database::Database& database_;
  const TensorProgram& program_;
  std::set<std::string> wanted_;
  double seconds_;
  Identity make_identity_;
  Store store_;
  std::optional<std::string> identity_;
  Clock::time_point last_kept_ = Clock::now();  // all that was held
  int64_t num_statements_ = 0;                  // that are to be computed
  double estimated_before_ = 0;                 // of the program, when versions were kept last
  int64_t most_statements_;                     // that are computed at once
};

}  // namespace tessera::sql
