#include "cli/sql/shell.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/diagnostic.h"
#include "base/error.h"
#include "cli/report.h"
#include "cli/sql/completion.h"
#include "cli/standard_streams.h"
#include "frontend/sql/parse.h"
#include "sql/known_names.h"

namespace tessera::cli {

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets any
  return value == nullptr ? "" : value;
}

/// Returns the file of the history; empty if the user has no home.
std::string history_file() {
  std::filesystem::path state = variable("XDG_STATE_HOME");
  if (state.empty() && !variable("HOME").empty()) {
    state = std::filesystem::path(variable("HOME")) / ".local" / "state";
  }
  return state.empty() ? "" : (state / "tessera" / "sql_history").string();
}

/// A scope in which Ctrl-C between two statements does nothing.
class NoInterrupts {
 public:
  NoInterrupts() {
    struct sigaction action = {};
    action.sa_handler = SIG_IGN;
    sigaction(SIGINT, &action, &before_);
  }
  ~NoInterrupts() { sigaction(SIGINT, &before_, nullptr); }
  NoInterrupts(const NoInterrupts&) = delete;
  NoInterrupts& operator=(const NoInterrupts&) = delete;

 private:
  struct sigaction before_ = {};
};

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

/// True if a text is only comments and blanks.
bool holds_no_statement(const std::string& text) {
  Result<std::vector<frontend::sql::Statement>> parsed = frontend::sql::parse({"", text});
  return parsed.ok() && parsed.value().empty();
}

/// Returns the command for a word if no statement has begun.
std::string command_for(const std::string& word) {
  return word == "exit" || word == "quit" ? "\\q" : word == "help" ? "\\?" : "";
}

}  // namespace

bool is_interactive() {
  return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
}

Shell::Shell(StatementRunner& runner, std::string name)
    : runner_(runner),
      name_(std::move(name)),
      editor_(history_file(), [this](std::string_view before_cursor) {
        const bool is_command = begins_with_backslash(before_cursor);
        const std::string text = (is_command ? "" : begun_) + std::string(before_cursor);
        return complete(text, sql::known_names(runner_.executor()));
      }) {}

std::string Shell::prompt() const {
  const bool is_quoted = frontend::sql::is_quote_open(begun_);
  const std::string state = is_quoted ? "'" : is_blank(begun_) ? "=" : "-";
  return name_ + state + (runner_.executor().is_in_transaction() ? "*" : "") + "> ";
}

void Shell::run() {
  const NoInterrupts no_interrupts;
  if (!runner_.display().quiet) {
    write_output("tessera " TESSERA_VERSION
                 ": statements end with ;, \\? lists commands, \\q ends\n");
  }
  std::string line;
  for (bool goes_on = true; goes_on;) {
    switch (editor_.read(prompt(), line)) {
      case LineEditor::Ending::line:
        goes_on = take(line);
        break;
      case LineEditor::Ending::cancelled:
        begun_.clear();
        break;
      case LineEditor::Ending::end_of_input:
        write_output("\n");
        goes_on = false;
        break;
    }
  }
}

bool Shell::take(const std::string& line) {
  const bool is_first = is_blank(begun_);
  if (is_first && !command_for(line).empty()) {
    editor_.remember(line);
    return run_text(command_for(line));
  }
  if (begins_with_backslash(line) && !frontend::sql::is_quote_open(begun_)) {
    editor_.remember(line);
    return run_text(line);
  }
  if (is_first && holds_no_statement(line)) {
    begun_.clear();
    return true;
  }
  begun_ += line + "\n";
  return run_complete_statements();
}

bool Shell::run_complete_statements() {
  bool goes_on = true;
  std::string entry = begun_.substr(0, begun_.size() - 1);
  bool has_run = false;
  while (goes_on) {
    const std::optional<int64_t> end = frontend::sql::end_of_statement(begun_);
    if (!end) {
      break;
    }
    if (!has_run) {
      editor_.remember(entry);
      has_run = true;
    }
    const std::string statement = begun_.substr(0, static_cast<size_t>(*end));
    begun_.erase(0, static_cast<size_t>(*end));
    goes_on = run_text(statement);
  }
  if (has_run && is_blank(begun_)) {
    begun_.clear();
  }
  return goes_on;
}

bool Shell::run_text(const std::string& text) {
  try {
    return runner_.run({"<input>", text});
  } catch (const Error& error) {
    const bool is_told_to_end = error.kind() == ErrorKind::interrupted &&
                                Interrupt::exit_code() != Interrupt::kExitCodeOfControlC;
    if (is_told_to_end) {
      throw;
    }
    report(error);
    return true;
  }
}

}  // namespace tessera::cli
