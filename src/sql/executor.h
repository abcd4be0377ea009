#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "database/database.h"
#include "engine/session.h"
#include "frontend/sql/syntax.h"
#include "sql/query.h"
#include "sql/result.h"
#include "sql/tensor_function.h"
#include "sql/version_checkpoints.h"
#include "sql/versions.h"

namespace tessera::sql {

/// How COPY reads and writes a file.
struct CopyFormat {
  std::string name;  // csv, xc, or the name of one of io's formats
  char delimiter = ',';
  bool has_header = false;
  bool is_whole = false;     // a file of tensors is one tensor, and its first mode no rows
  bool is_null_nan = false;  // what NULL is written as into an array
};

/// Executes statements of SQL over a database. A statement changes all of what it changes, or
/// nothing.
///
/// Threads: one at a time.
class Executor {
 public:
  /// All outlive it. What the catalog knows of pipelining is added to the framing's history.
  Executor(database::Database& database, const engine::Session& session, VersionLimits limits,
           Framing framing = {});

  /// What is given every result, as it comes: EXECUTE has several.
  using Receiver = std::function<void(StatementResult)>;

  /// Errors: `user`, `unsupported`, `resource`, `interrupted`; the database is as it was then. An
  /// error that SQLite cannot undo a statement after, as of a full disk, may end a transaction.
  void execute(const frontend::sql::Statement& statement, const engine::RunControl& control,
               const Receiver& receive);

  /// What random numbers are drawn with: the same seed, the same numbers.
  void seed(int64_t seed) { seed_ = seed; }

  /// Who follows what tensor parts run from now on, and outlives this; null: nobody.
  void follow_with(RunFollower* follower) { follower_ = follower; }

  const engine::Session& session() const { return session_; }
  const TensorFunctionRegistry& tensor_functions() const { return tensor_functions_; }
  database::Database& database() { return database_; }
  bool is_in_transaction() const { return is_in_transaction_; }

 private:
  void keep_learned();
  /// Undoes the statement that failed.
  void undo(bool begins);
  void run(const frontend::sql::Query& statement);
  void run(const frontend::sql::CreateTable& statement);
  void run(const frontend::sql::CreateTableAs& statement);
  void run(const frontend::sql::DefineVersions& statement);
  void run(const frontend::sql::CreateView& statement);
  void run(const frontend::sql::CreateIndex& statement);
  void run(const frontend::sql::Drop& statement);
  void run(const frontend::sql::Rename& statement);
  void run(const frontend::sql::Insert& statement);
  void run(const frontend::sql::Update& statement);
  void run(const frontend::sql::Delete& statement);
  void run(const frontend::sql::Copy& statement);
  void run(const frontend::sql::Transaction& statement);
  void run(const frontend::sql::Materialize& statement);
  void run(const frontend::sql::Execute& statement);
  void run(const frontend::sql::Explain& statement);

  /// What EXECUTE runs, one after the other.
  static void run_loop(const frontend::sql::Execute& statement, size_t loop,
                       const IndexValues& values, std::vector<frontend::sql::StatementPtr>& bodies);
  /// Makes versions tables; gives how many.
  size_t materialize(const std::vector<frontend::sql::TableReference>& versions);
  /// What is kept for these versions while they are computed; nothing within a transaction, whose
  /// statements are kept together.
  std::unique_ptr<VersionCheckpoints> checkpoints_for(
      const std::vector<frontend::sql::TableReference>& versions);
  void explain_versions(const frontend::sql::Statement& statement);
  void give(const std::vector<RelationPtr>& relations);
  void tag(std::string text) { (*receive_)({std::nullopt, std::move(text), ""}); }
  database::Table stored_table(const frontend::sql::Name& name) const;
  void refuse_reserved(const frontend::sql::Name& name) const;
  void store(const Relation& relation, const std::string& name, bool if_not_exists);
  /// Rows of a relation put to a table; its columns in this order. Gives how many.
  /// `spans`: where each column is said, if that is known, for errors.
  int64_t append(database::Table& table, const std::vector<size_t>& places,
                 const Relation& relation, const std::vector<SourceSpan>& spans = {});
  /// Puts rows of VALUES to a table as they are written: their scalars are checked by SQLite alone,
  /// and their tensors are constants. Gives how many; nothing if they are to be computed.
  std::optional<int64_t> append_written(database::Table& table, const std::vector<size_t>& places,
                                        const frontend::sql::Select& query);
  /// Tensors of a relation's columns made rows of stored ones: the SQLite text of each column's row
  /// numbers.
  std::vector<std::string> stored_columns(database::Table& table, const std::vector<size_t>& places,
                                          const Relation& relation,
                                          const std::vector<SourceSpan>& spans);
  RelationPtr read_csv(const frontend::sql::Copy& statement, char delimiter, bool has_header,
                       const database::Table& table, const std::vector<size_t>& places);
  void copy_to(const frontend::sql::Copy& statement, const CopyFormat& format);
  /// Errors: `user` where the table has no such column.
  static size_t place_of(const database::Table& table, const frontend::sql::Name& name);
  bool is_null_column(const Relation& relation, const RelationColumn& column) const;
  void fix_type(database::Column& column, const ArrayType& element, const std::string& table);

  database::Database& database_;
  const engine::Session& session_;
  TensorFunctionRegistry tensor_functions_;
  Vocabulary vocabulary_;
  VersionLimits limits_;
  Versions versions_;
  Framing framing_;
  Learned learned_{session_};  // its history of pipelining is that since the catalog was told last
  RunFollower* follower_ = nullptr;
  bool is_in_transaction_ = false;
  int64_t seed_ = 0;
  int64_t num_statements_ = 0;
  // Of the statement that runs:
  std::unique_ptr<TensorProgram> program_;
  std::unique_ptr<QueryCompiler> compiler_;
  const engine::RunControl* control_ = nullptr;
  const Receiver* receive_ = nullptr;
};

}  // namespace tessera::sql
