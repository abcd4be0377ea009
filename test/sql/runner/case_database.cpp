#include "sql/runner/case_database.h"

#include <atomic>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "frontend/sql/parse.h"
#include "sql/known_names.h"
#include "sql/statement_error.h"

namespace tessera::sql_cases {

namespace {

std::filesystem::path new_folder() {
  static std::atomic<int64_t> number = 0;
  std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                 fmt::format("tessera-sql-case-{}-{}", getpid(), ++number);
  std::filesystem::create_directories(folder);
  return folder;
}

}  // namespace

CaseDatabase::CaseDatabase(const CaseSettings& settings)
    : settings_(settings), folder_(new_folder()), session_(settings.engine) {
  reopen();
}

CaseDatabase::~CaseDatabase() {
  executor_.reset();
  database_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void CaseDatabase::reopen() {
  executor_.reset();
  database_.reset();
  database_ =
      std::make_unique<database::Database>((folder_ / "db").string(), session_.budget().workers);
  executor_ = std::make_unique<sql::Executor>(
      *database_, session_, sql::VersionLimits{settings_.most_steps}, settings_.framing);
  executor_->seed(settings_.seed);
}

Answer CaseDatabase::execute(const std::string& text) {
  Answer answer;
  try {
    execute({"sql", replaced(text, "$dir", folder_.string())}, answer);
  } catch (const Error& error) {
    answer.error = error;
  }
  return answer;
}

void CaseDatabase::execute(const SourceText& source, Answer& answer) {
  auto parsed = frontend::sql::parse(source);
  if (!parsed.ok()) {
    throw sql::with_states(parsed.diagnostics());
  }
  for (const frontend::sql::Statement& statement : parsed.value()) {
    try {
      executor_->execute(statement, {}, [&](sql::StatementResult result) {
        answer.text += result.text;
        if (result.rows) {
          answer.tables.push_back(table_of(std::move(*result.rows)));
        } else if (!result.tag.empty()) {
          answer.tags.push_back(result.tag);
        }
      });
    } catch (const Error& error) {
      throw sql::shown_in(source, statement.span, error, sql::known_names(*executor_));
    }
  }
}

}  // namespace tessera::sql_cases
