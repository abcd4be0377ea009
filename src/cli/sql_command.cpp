#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/sql/shell.h"
#include "cli/sql/statement_runner.h"
#include "cli/standard_streams.h"
#include "database/database.h"
#include "engine/setup/common_file.h"
#include "program/processes/first_process.h"
#include "program/processes/other_process.h"
#include "sql/executor.h"

namespace tessera::cli {

namespace {

SqlDisplay display_of(const SqlOptions& options) {
  const OutputFormat format = options.csv    ? OutputFormat::csv
                              : options.json ? OutputFormat::json
                                             : OutputFormat::aligned;
  return {format, options.timing, options.common.quiet};
}

program::Framing framing_of(const SqlOptions& options) {
  const std::optional<program::frames::Cutter> cutter = program::frames::cutter_of(options.frames);
  TESSERA_USER_CHECK(cutter, "--frames {}: frames are cut by gqap, greedy, min-cut or none",
                     options.frames);
  const auto most = static_cast<size_t>(options.frame_size);
  return {*cutter, {(most + 1) / 2, most}, {}};
}

/// Returns the last part of a directory's path: `db` for `data/db/`.
std::string name_of_database(const std::string& directory) {
  const std::filesystem::path path = std::filesystem::absolute(directory).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

/// Runs the statements of -c and -f, the -c ones first; false after \q.
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

/// Runs the statements of the options, on the process that has the database.
void run_statements(const SqlOptions& options, const engine::Session& session,
                    database::Database& database) {
  sql::Executor executor(database, session, {options.most_steps}, framing_of(options));
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

/// Returns how the other processes, if there are any, reach the files that this one makes for all.
std::optional<io::Reach> reach_of_others(net::Link* link) {
  return link == nullptr ? std::nullopt : std::optional(engine::reach_of(*link));
}

void run_here(const SqlOptions& options, const engine::Session& session) {
  // Processes may have other working directories.
  const std::string directory = std::filesystem::absolute(options.directory).string();
  net::Link* const link = options.common.link;
  std::error_code error;
  TESSERA_USER_CHECK(!options.check || (std::filesystem::exists(directory, error) &&
                                        !std::filesystem::is_empty(directory, error)),
                     "there is no database {}", options.directory);
  database::Database database(link == nullptr ? options.directory : directory,
                              session.budget().workers, reach_of_others(link));
  if (options.check) {
    check(database);
  } else {
    run_statements(options, session, database);
  }
}

}  // namespace

void run_sql(const SqlOptions& options) {
  const engine::Session session = session_of(options.common, settings_of(options.common));
  net::Link* const link = options.common.link;
  if (link != nullptr && link->process() != 0) {
    const Interrupt interrupt;
    program::run_with_first_process(session, {&interrupt.requested(), nullptr});
    return;
  }
  run_here(options, session);
  if (link != nullptr) {
    program::end_other_processes(session);
  }
}

}  // namespace tessera::cli
