#include <chrono>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/chrono.h>

#include "base/error.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/query_output.h"
#include "cli/standard_streams.h"
#include "database/database.h"
#include "frontend/sql/parse.h"
#include "sql/executor.h"

namespace tessera::cli {

namespace {

SourceText text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  TESSERA_USER_CHECK(file.is_open(), "there is no file {} to read statements from", path);
  return {path, {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()}};
}

/// Runs the statements of a text, one after the other; the first that fails ends it.
void run_text(const SourceText& source, sql::Executor& executor, const SqlOptions& options) {
  const OutputFormat format = options.csv    ? OutputFormat::csv
                              : options.json ? OutputFormat::json
                                             : OutputFormat::aligned;
  const std::vector<frontend::sql::Statement> statements = frontend::sql::parse(source).value();
  for (const frontend::sql::Statement& statement : statements) {
    const Interrupt interrupt;
    const auto start = std::chrono::steady_clock::now();
    try {
      executor.execute(statement, {&interrupt.requested(), nullptr},
                       [&](sql::StatementResult result) {
                         write_result(std::move(result), format, options.common.quiet);
                       });
    } catch (Error& error) {
      if (error.findings() == nullptr) {
        error.add_context("in this statement",
                          SourcePlace{source.name, position_of(source, statement.span.begin), 1});
        error.show_places_in(source);
      }
      throw;
    }
    if (options.timing) {
      const std::chrono::duration<double, std::milli> time =
          std::chrono::steady_clock::now() - start;
      write_message(fmt::format("Time: {:.3f} ms", time.count()));
    }
  }
}

void check(const database::Database& database) {
  const std::vector<std::string> faults = database.faults();
  for (const std::string& fault : faults) {
    write_output(fault + "\n");
  }
  if (!faults.empty()) {
    throw_error(ErrorKind::resource, "{} faults in {}", faults.size(), database.directory());
  }
  write_output("no faults\n");
}

}  // namespace

void run_sql(const SqlOptions& options) {
  const engine::Session session = session_of(options.common, settings_of(options.common));
  database::Database database(options.directory, session.budget().workers);
  if (options.check) {
    check(database);
    return;
  }
  sql::Executor executor(database, session, {});
  executor.seed(options.seed);
  for (const std::string& command : options.commands) {
    run_text({"<command>", command}, executor, options);
  }
  for (const std::string& file : options.files) {
    run_text(text_of_file(file), executor, options);
  }
  if (options.commands.empty() && options.files.empty()) {
    run_text(text_of_file("/dev/stdin"), executor, options);
  }
}

}  // namespace tessera::cli
