#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/options.h"
#include "cli/sql/shell.h"
#include "cli/sql/statement_runner.h"
#include "cli/standard_streams.h"
#include "database/database.h"
#include "sql/executor.h"

namespace tessera::cli {

namespace {

SqlDisplay display_of(const SqlOptions& options) {
  const OutputFormat format = options.csv    ? OutputFormat::csv
                              : options.json ? OutputFormat::json
                                             : OutputFormat::aligned;
  return {format, options.timing, options.common.quiet};
}

/// The last part of a directory's path: `db` of `data/db/`.
std::string name_of_database(const std::string& directory) {
  const std::filesystem::path path = std::filesystem::absolute(directory).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

/// What -c and -f give, in their order of kinds; false where \q ended it.
bool run_arguments(StatementRunner& runner, const SqlOptions& options) {
  for (const std::string& command : options.commands) {
    if (!runner.run({"<command>", command})) {
      return false;
    }
  }
  for (const std::string& file : options.files) {
    if (!runner.run_file(file)) {
      return false;
    }
  }
  return true;
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
  const bool has_arguments = !options.commands.empty() || !options.files.empty();
  if (!has_arguments && is_interactive()) {
    StatementRunner runner(executor, display_of(options), Interrupt::Patience::endless);
    Shell(runner, name_of_database(options.directory)).run();
    return;
  }
  StatementRunner runner(executor, display_of(options), Interrupt::Patience::limited);
  if (has_arguments) {
    run_arguments(runner, options);
  } else {
    runner.run_file("/dev/stdin");
  }
}

}  // namespace tessera::cli
