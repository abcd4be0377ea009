#pragma once

#include <cstdint>
#include <string>

#include "cli/interrupt.h"
#include "cli/sql/progress_bars.h"
#include "cli/sql/query_output.h"
#include "cli/sql/script.h"
#include "sql/executor.h"

namespace tessera::cli {

/// The display of results; commands change it.
struct SqlDisplay {
  OutputFormat format = OutputFormat::aligned;
  bool timing = false;
  bool quiet = false;
};

/// A runner of the statements and commands of texts, which shows their results.
class StatementRunner {
 public:
  /// The executor outlives it. `patience` is for statements that do not end when the user
  /// interrupts.
  StatementRunner(sql::Executor& executor, SqlDisplay display, Interrupt::Patience patience);
  ~StatementRunner();
  StatementRunner(const StatementRunner&) = delete;
  StatementRunner& operator=(const StatementRunner&) = delete;

  /// Runs all of a text; false after \q. Errors: findings about the text, or the error of one of
  /// its statements; those before it have run.
  bool run(const SourceText& source);
  /// Runs a file (\i). Errors: `user` also if there is none, or it runs itself.
  bool run_file(const std::string& path);

  sql::Executor& executor() { return executor_; }
  SqlDisplay& display() { return display_; }

 private:
  bool run_item(const SourceText& source, const frontend::sql::Statement& statement);
  bool run_item(const SourceText& source, const BackslashLine& line);
  void execute(const frontend::sql::Statement& statement);

  sql::Executor& executor_;
  SqlDisplay display_;
  Interrupt::Patience patience_;
  ProgressBars bars_;
  int64_t num_open_files_ = 0;  // nested
};

}  // namespace tessera::cli
