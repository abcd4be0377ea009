#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "database/database.h"
#include "engine/session.h"
#include "sql/executor.h"
#include "sql/runner/answer.h"
#include "sql/runner/sql_case.h"

namespace tessera::sql_cases {

/// A database in a new folder, which is removed with it, and an executor of statements, as the
/// command line has it. `$dir` in a text stands for the folder.
class CaseDatabase {
 public:
  explicit CaseDatabase(const CaseSettings& settings);
  ~CaseDatabase();
  CaseDatabase(const CaseDatabase&) = delete;
  CaseDatabase& operator=(const CaseDatabase&) = delete;

  /// Executes the statements of a text up to the first one that fails.
  Answer execute(const std::string& text);

  /// Closes the database and opens it again; a transaction that is open is rolled back.
  void reopen();
  bool is_in_transaction() const { return executor_->is_in_transaction(); }

  std::filesystem::path path_of(const std::string& file) const { return folder_ / file; }

 private:
  void execute(const SourceText& source, Answer& answer);

  CaseSettings settings_;
  std::filesystem::path folder_;
  engine::Session session_;
  std::unique_ptr<database::Database> database_;
  std::unique_ptr<sql::Executor> executor_;
};

}  // namespace tessera::sql_cases
