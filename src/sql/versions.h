#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "database/database.h"
#include "sql/query.h"
#include "sql/version_index.h"
#include "sql/version_keeper.h"

namespace tessera::sql {

/// How far definitions are followed.
struct VersionLimits {
  int64_t most_versions = 100'000;  // that one statement may need
};

/// The versions of tables that definitions say (Recursive SQL §4): each is computed when something
/// reads it, once, after those that it reads itself, and forgotten when nothing will read it any
/// more. Views are found here too.
///
/// Threads: one at a time.
class Versions : public TableFinder {
 public:
  /// The database outlives it.
  Versions(database::Database& database, VersionLimits limits);

  /// Queries are compiled by this one from now on; null: by none. It forgets what was computed.
  void compile_with(QueryCompiler* compiler);

  /// Errors: `user`, at the reference, where no definition covers a version or two do, where it
  /// depends on itself, with the cycle, or where more are needed than may be.
  RelationPtr find(const frontend::sql::TableReference& table, SourceSpan span) override;

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
  const Relation& wanted(const std::string& name) const { return *versions_.at(name).relation; }

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
  struct Version;
  using NamedVersion = std::pair<const std::string, Version>;
  /// Chains are long, and all of one is there before the first is computed: so these are small.
  struct Version {
    const Definition* definition = nullptr;  // null where it is materialised, or was kept
    std::unique_ptr<const std::string> stored_as = nullptr;  // the table that has it then
    std::vector<NamedVersion*> reads = {};
    RelationPtr relation = nullptr;
    int32_t num_readers = 0;                                              // that will read it yet
    enum class Mark : uint8_t { none, on_path, done } mark = Mark::none;  // of in_order()
  };

  const std::vector<Definition>& definitions_of(const std::string& table);
  RelationPtr find_view(const std::string& name);
  /// A version that is asked for, and where.
  struct Wanted {
    std::string name;
    SourceSpan span;
  };
  void add_wanted(const frontend::sql::TableReference& table, SourceSpan span,
                  std::vector<Wanted>& wanted);
  NamedVersion& add_version(const std::string& table, const VersionKey& key);
  static frontend::sql::SelectPtr query_of(const NamedVersion& version);
  void find_reads(NamedVersion& version);
  /// These and all that they read which is not there, each behind what it reads itself.
  std::vector<NamedVersion*> in_order(const std::vector<Wanted>& wanted);
  void add_in_order(NamedVersion& start, std::vector<NamedVersion*>& order);
  void compute(const std::vector<NamedVersion*>& order);
  void compute(NamedVersion& version);
  void end_computing();
  void note_held();
  void release_reads(Version& version);
  bool is_time_to_compute();
  void keep_held();

  database::Database& database_;
  VersionLimits limits_;
  QueryCompiler* compiler_ = nullptr;
  VersionKeeper* keeper_ = nullptr;
  std::map<std::string, std::vector<Definition>> definitions_;  // by table
  std::map<std::string, Version> versions_;                     // by name
  std::map<std::string, RelationPtr> views_;
  size_t num_computing_ = 0;
  int64_t num_held_ = 0;
  Held most_held_;
};

}  // namespace tessera::sql
