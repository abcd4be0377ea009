#include "cli/sql/statement_runner.h"

#include <chrono>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/byte_order_mark.h"
#include "base/diagnostic.h"
#include "base/error.h"
#include "cli/sql/backslash_commands.h"
#include "cli/standard_streams.h"
#include "sql/known_names.h"
#include "sql/statement_error.h"

namespace tessera::cli {

namespace {

constexpr int64_t kMostOpenFiles = 32;

SourceText text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  TESSERA_USER_CHECK(file.is_open(), "there is no file {} to read statements from", path);
  return {path, without_byte_order_mark(
                    {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()})};
}

}  // namespace

StatementRunner::StatementRunner(sql::Executor& executor, SqlDisplay display,
                                 Interrupt::Patience patience)
    : executor_(executor), display_(display), patience_(patience), bars_(display.quiet) {
  executor_.follow_with(&bars_);
}

StatementRunner::~StatementRunner() {
  executor_.follow_with(nullptr);
}

bool StatementRunner::run(const SourceText& source) {
  for (const ScriptItem& item : read_script(source)) {
    if (!std::visit([&](const auto& node) { return run_item(source, node); }, item)) {
      return false;
    }
  }
  return true;
}

bool StatementRunner::run_file(const std::string& path) {
  TESSERA_USER_CHECK(num_open_files_ < kMostOpenFiles, "{} files run each other, {} the last",
                     kMostOpenFiles, path);
  const SourceText source = text_of_file(path);
  ++num_open_files_;
  try {
    const bool goes_on = run(source);
    --num_open_files_;
    return goes_on;
  } catch (...) {
    --num_open_files_;
    throw;
  }
}

bool StatementRunner::run_item(const SourceText& source,
                               const frontend::sql::Statement& statement) {
  const auto start = std::chrono::steady_clock::now();
  try {
    execute(statement);
  } catch (const Error& error) {
    throw sql::shown_in(source, statement.span, error, sql::known_names(executor_));
  }
  if (display_.timing) {
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    write_message(fmt::format("Time: {:.3f} ms", time.count()));
  }
  return true;
}

void StatementRunner::execute(const frontend::sql::Statement& statement) {
  const Interrupt interrupt(patience_);
  executor_.execute(statement, {&interrupt.requested(), nullptr}, [&](sql::StatementResult result) {
    write_result(std::move(result), display_.format, display_.quiet);
  });
}

bool StatementRunner::run_item(const SourceText& source, const BackslashLine& line) {
  try {
    return run_backslash_command(*this, line.text);
  } catch (const Error& error) {
    const bool has_place = error.findings() != nullptr || !error.context().empty();
    if (has_place || error.kind() != ErrorKind::user) {
      throw;
    }
    Diagnostics findings(source);
    findings.add({error.kind(), line.span, error.message(), "", {}});
    throw Error(findings);
  }
}

}  // namespace tessera::cli
