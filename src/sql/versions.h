#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "database/database.h"
#include "program/versions/version_order.h"
#include "sql/query.h"
#include "sql/version_index.h"
#include "sql/version_keeper.h"

namespace tessera::sql {

using program::VersionId;

/// How far definitions are followed.
struct VersionLimits {
  int64_t most_versions = 100'000;  // that one statement may need; also steps of a recursion
};

/// The versions of tables that definitions say (Recursive SQL §4): each is computed when something
/// reads it, once, after those that it reads itself, and forgotten when nothing will read it any
/// more. Views are found here too.
///
/// Threads: one at a time.
class Versions : public TableFinder, private program::VersionDefinitions {
 public:
  /// The database outlives it.
  Versions(database::Database& database, VersionLimits limits);

  /// Queries are compiled by this one from now on; null: by none. It forgets what was computed.
  void compile_with(QueryCompiler* compiler);

  /// Errors: `user`, at the reference, where no definition covers a version or two do, where it
  /// depends on itself, with the cycle, or where more are needed than may be.
  RelationPtr find(const frontend::sql::TableReference& table, SourceSpan span) override;

  RelationPtr find_first_rows(const std::string& view, int64_t count) override;

  /// Computes all versions that the query reads as one plan. Errors: as find().
  void expect(const frontend::sql::SelectPtr& query) override;

  /// Computes what these references mean as one plan, so that what several of them read is computed
  /// once.
  void want(const std::vector<frontend::sql::TableReference>& tables);

  /// Who keeps what is computed from now on, and outlives that; null: nobody.
  void keep_with(VersionKeeper* keeper) { keeper_ = keeper; }

  /// Computes the tensors of all versions that are held, as one plan.
  void compute_tensors();

  /// A version that was wanted. REQUIRES that it was.
  const Relation& wanted(const std::string& name) const { return *held_.at(name).relation; }

  /// How many versions `want` would compute, and those that it would read: tables, and what was
  /// kept.
  struct Needed {
    int64_t num_computed = 0;
    std::vector<std::string> tables;
    std::vector<std::string> kept;
  };
  Needed needed_for(const std::vector<frontend::sql::TableReference>& tables);

  /// The most versions that were held at once: how many, and the first of them.
  struct Held {
    int64_t count = 0;
    std::vector<std::string> names;
  };
  const Held& most_held() const { return most_held_; }

 private:
  struct Definition {
    frontend::sql::DefineVersions syntax;
    SourceText source;
  };
  struct HeldVersion {
    VersionId version;
    RelationPtr relation;
  };

  const std::vector<uint32_t>& definitions_of(const std::string& table);
  RelationPtr find_view(const std::string& name);
  /// A version that is asked for, and where.
  struct Wanted {
    VersionId version;
    SourceSpan span;
  };
  void add_wanted(const frontend::sql::TableReference& table, SourceSpan span,
                  std::vector<Wanted>& wanted);
  std::optional<uint32_t> find(VersionId version) override;
  void for_each_read(VersionId version, uint32_t definition, const VisitRead& visit) override;
  frontend::sql::SelectPtr query_of(VersionId version, uint32_t definition) const;
  /// These and all that they read which is not there, each behind what it reads itself.
  std::vector<VersionId> in_order(const std::vector<Wanted>& wanted);
  void compute(const std::vector<VersionId>& order);
  void compute(VersionId version);
  void end_computing();
  void note_held();
  bool is_time_to_compute();
  void keep_held();

  database::Database& database_;
  QueryCompiler* compiler_ = nullptr;
  VersionKeeper* keeper_ = nullptr;
  std::deque<Definition> definitions_;                           // by number
  std::map<std::string, std::vector<uint32_t>> definitions_of_;  // by table
  program::VersionOrder versions_;
  std::map<VersionId, std::string> stored_as_;  // the tables that have some
  std::map<std::string, HeldVersion> held_;     // by name
  std::map<std::string, RelationPtr> views_;
  size_t num_computing_ = 0;
  Held most_held_;
};

}  // namespace tessera::sql
