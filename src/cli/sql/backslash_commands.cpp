#include "cli/sql/backslash_commands.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/suggest.h"
#include "base/table.h"
#include "cli/sql/describe.h"
#include "cli/standard_streams.h"
#include "engine/explain/functions.h"

namespace tessera::cli {

namespace {

/// Returns the state for `on`, `off`, or no argument, which toggles it.
bool switched(bool is_on, const std::string& argument) {
  TESSERA_USER_CHECK(argument.empty() || argument == "on" || argument == "off",
                     "on or off is wanted, not {}", argument);
  return argument.empty() ? !is_on : argument == "on";
}

void refuse_argument(const std::string& argument) {
  TESSERA_USER_CHECK(argument.empty(), "nothing may stand behind this command, as {} does",
                     argument);
}

/// Returns a file's name, without quotes around it.
std::string path_in(const std::string& argument) {
  const bool is_quoted =
      argument.size() >= 2 && argument.front() == '\'' && argument.back() == '\'';
  const std::string path = is_quoted ? argument.substr(1, argument.size() - 2) : argument;
  TESSERA_USER_CHECK(!path.empty(), "a file is wanted");
  return path;
}

bool show(const std::string& text) {
  write_output(text);
  return true;
}

bool describe(StatementRunner& runner, const std::string& argument) {
  sql::Executor& executor = runner.executor();
  return show(argument.empty() ? relations_text(executor.database(), {})
                               : relation_text(executor, argument));
}

bool list_tables(StatementRunner& runner, const std::string& argument) {
  refuse_argument(argument);
  return show(relations_text(runner.executor().database(), RelationKind::table));
}

bool list_views(StatementRunner& runner, const std::string& argument) {
  refuse_argument(argument);
  return show(relations_text(runner.executor().database(), RelationKind::view));
}

bool list_functions(StatementRunner& runner, const std::string& argument) {
  return show(argument.empty() ? functions_text(runner.executor())
                               : function_text(runner.executor(), argument));
}

bool set_timing(StatementRunner& runner, const std::string& argument) {
  bool& timing = runner.display().timing;
  timing = switched(timing, argument);
  write_message(fmt::format("Timing is {}.", timing ? "on" : "off"));
  return true;
}

bool set_expanded(StatementRunner& runner, const std::string& argument) {
  OutputFormat& format = runner.display().format;
  TESSERA_USER_CHECK(format == OutputFormat::aligned || format == OutputFormat::expanded,
                     "rows are written as CSV or JSON, which has one form");
  const bool is_expanded = switched(format == OutputFormat::expanded, argument);
  format = is_expanded ? OutputFormat::expanded : OutputFormat::aligned;
  write_message(fmt::format("Expanded display is {}.", is_expanded ? "on" : "off"));
  return true;
}

bool run_file(StatementRunner& runner, const std::string& argument) {
  return runner.run_file(path_in(argument));
}

bool copy(StatementRunner& runner, const std::string& argument) {
  // psql's server is another machine; here both commands copy files of this one.
  return runner.run({"\\copy", "COPY " + argument});
}

bool quit(StatementRunner&, const std::string& argument) {
  refuse_argument(argument);
  return false;
}

bool help(StatementRunner&, const std::string& argument) {
  refuse_argument(argument);
  std::vector<Row> rows;
  for (const BackslashCommand& command : backslash_commands()) {
    rows.push_back({fmt::format("{}{}{}", command.name, command.arguments.empty() ? "" : " ",
                                command.arguments),
                    std::string(command.summary)});
  }
  return show(
      table_text(rows, Columns::words) +
      "\nAll else is SQL, and ends with a semicolon. TAB completes, Ctrl-C ends a statement "
      "or clears the line.\n");
}

constexpr std::array kCommands{
    BackslashCommand{"\\d", "[NAME]",
                     "list tables, views and tables with versions, or describe one", &describe},
    BackslashCommand{"\\dt", "", "list tables", &list_tables},
    BackslashCommand{"\\dv", "", "list views", &list_views},
    BackslashCommand{"\\df", "[NAME]", "list functions of tensors, or describe a function",
                     &list_functions},
    BackslashCommand{"\\timing", "[on|off]", "print the time of each statement", &set_timing},
    BackslashCommand{"\\x", "[on|off]", "write a line for each column of a row", &set_expanded},
    BackslashCommand{"\\i", "FILE", "run the statements and commands of a file", &run_file},
    BackslashCommand{"\\copy", "...", "COPY from or to a file: \\copy t FROM 'x.csv'", &copy},
    BackslashCommand{"\\?", "", "list these commands", &help},
    BackslashCommand{"\\q", "", "end", &quit},
};

}  // namespace

std::span<const BackslashCommand> backslash_commands() {
  return kCommands;
}

bool run_backslash_command(StatementRunner& runner, const std::string& line) {
  const size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string name = line.substr(0, end);
  std::string argument = line.substr(std::min(line.find_first_not_of(" \t", end), line.size()));
  if (name != "\\copy" && !argument.empty() && argument.back() == ';') {
    argument.pop_back();  // some write a semicolon by habit
  }
  const auto found =
      std::find_if(kCommands.begin(), kCommands.end(),
                   [&](const BackslashCommand& command) { return command.name == name; });
  if (found == kCommands.end()) {
    std::vector<std::string> names;
    for (const BackslashCommand& command : kCommands) {
      names.emplace_back(command.name);
    }
    const std::string meant = did_you_mean(name, names);
    throw_error(ErrorKind::user, "there is no command {}; {}{}\\? lists them", name, meant,
                meant.empty() ? "" : " ");
  }
  return found->run(runner, argument);
}

}  // namespace tessera::cli
