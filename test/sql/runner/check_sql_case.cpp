#include "sql/runner/check_sql_case.h"

#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/ranges.h>

#include "plans/runner/line_difference.h"
#include "sql/runner/case_database.h"
#include "sql/runner/close_texts.h"

namespace tessera::sql_cases {

namespace {

constexpr std::string_view kAbsent = "not ";
constexpr size_t kWidth = 130;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  TESSERA_USER_CHECK(file.is_open(), "there is no file {}", path.filename().string());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Returns all tables that a text of queries gave, with `--` between two of them.
std::string tables_of(const Answer& answer) {
  std::vector<std::string> blocks;
  for (const AnswerTable& table : answer.tables) {
    blocks.push_back(block_of(table));
  }
  return fmt::format("{}", fmt::join(blocks, "--\n"));
}

/// Returns the first expected line that the text lacks, or has although it must not; nothing if the
/// text is as expected.
std::optional<std::string> missing_line(const std::string& expected, const std::string& text) {
  size_t from = 0;
  for (const std::string& line : plans::lines_of(expected)) {
    if (line.starts_with(kAbsent)) {
      if (text.find(line.substr(kAbsent.size())) != std::string::npos) {
        return line;
      }
      continue;
    }
    const size_t at = text.find(line, from);
    if (at == std::string::npos) {
      return line;
    }
    from = at + line.size();
  }
  return std::nullopt;
}

/// Breaks a text at blanks into lines of at most `kWidth` characters, the later ones indented.
std::string wrapped(const std::string& text, const std::string& indentation) {
  std::string lines;
  std::istringstream words(text);
  size_t width = 0;
  for (std::string word; words >> word;) {
    if (width > 0 && width + 1 + word.size() > kWidth) {
      lines += "\n" + indentation;
      width = indentation.size();
    } else if (width > 0) {
      lines += " ";
      ++width;
    }
    lines += word;
    width += word.size();
  }
  return lines;
}

/// Returns the line, or the lines, of a case for an expression and its rows.
std::string text_of(const Each& action, const std::string& rows) {
  const std::string near = action.tolerance == 0 ? "" : fmt::format("~{} ", action.tolerance);
  const std::string line = fmt::format("  {} => {}{}\n", action.expression, near, rows);
  return line.size() <= kWidth ? line
                               : fmt::format("  {}\n    {}\n", wrapped(action.expression, "    "),
                                             wrapped("=> " + near + rows, "    "));
}

class SqlCaseChecker {
 public:
  SqlCaseChecker(const SqlCase& each, const SqlMode& mode) : case_(each), mode_(mode) {}

  plans::CaseReport run() && {
    try {
      CaseSettings settings = case_.settings;
      mode_.apply(settings);
      CaseDatabase database(settings);
      for (const Step& step : case_.steps) {
        line_ = step.line;
        if (mode_.reopens && !database.is_in_transaction()) {
          database.reopen();
        }
        std::visit([&](const auto& action) { check(action, database); }, step.action);
      }
    } catch (const Error& error) {
      complain(error.full_text());
    }
    return std::move(report_);
  }

 private:
  void check(const Run& action, CaseDatabase& database) {
    const std::optional<Answer> answer = execute(action.sql, database);
    if (answer && action.expected) {
      compare(*action.expected, fmt::format("{}\n", fmt::join(answer->tags, "\n")));
    }
  }

  void check(const Query& action, CaseDatabase& database) {
    if (const std::optional<Answer> answer = execute(action.sql, database)) {
      compare(action.expected, tables_of(*answer), action.tolerance);
    }
  }

  void check(const Each& action, CaseDatabase& database) {
    const Answer answer = database.execute(action.sql);
    std::vector<std::string> lines;
    for (const AnswerTable& table : answer.tables) {
      lines.push_back(line_of(table));
    }
    const std::string seen =
        answer.error ? line_of(*answer.error) : fmt::format("{}", fmt::join(lines, " -- "));
    if (!are_close(action.expected.wanted, seen, action.tolerance)) {
      complain(fmt::format("{}\n- {}\n+ {}", action.sql, action.expected.wanted, seen));
      report_.seen.push_back({action.expected, text_of(action, seen)});
    }
  }

  void check(const Failure& action, CaseDatabase& database) {
    const Answer answer = database.execute(action.sql);
    if (answer.error) {
      const std::string folder = database.path_of("").parent_path().string();
      compare(action.expected, replaced(block_of(*answer.error), folder, "$dir"));
    } else {
      complain("there is no error in\n" + action.sql);
    }
  }

  void check(const Show& action, CaseDatabase& database) {
    const std::optional<Answer> answer = execute(action.sql, database);
    if (!answer || mode_.name != as_written().name) {  // plans differ from mode to mode
      return;
    }
    if (const auto missing = missing_line(action.expected.wanted, answer->text)) {
      complain(fmt::format("`{}` is expected of\n{}", *missing, answer->text));
    }
  }

  void check(const WriteFile& action, CaseDatabase& database) {
    std::ofstream(database.path_of(action.name), std::ios::binary) << action.text;
  }

  void check(const ReadFile& action, CaseDatabase& database) {
    compare(action.expected, text_of(database.path_of(action.name)));
  }

  void check(const Reopen&, CaseDatabase& database) { database.reopen(); }

  /// Executes statements that must not fail; complains and gives nothing if one does.
  std::optional<Answer> execute(const std::string& sql, CaseDatabase& database) {
    Answer answer = database.execute(sql);
    if (answer.error) {
      complain(block_of(*answer.error));
      return std::nullopt;
    }
    return answer;
  }

  void compare(const plans::Section& expected, const std::string& seen, double tolerance = 0) {
    if (!are_close(expected.wanted, seen, tolerance)) {
      complain(fmt::format("{} differs (- expected, + seen)\n{}", expected.what,
                           plans::line_difference(expected.wanted, seen)));
      report_.seen.push_back({expected, seen});
    }
  }

  void complain(const std::string& problem) {
    report_.problems.push_back(
        fmt::format("{}:{}: {}: {}: {}", case_.file, line_, case_.name, mode_.name, problem));
  }

  const SqlCase& case_;
  const SqlMode& mode_;
  int64_t line_ = 0;  // of the step that runs
  plans::CaseReport report_;
};

}  // namespace

plans::CaseReport check_sql_case(const SqlCase& each, const SqlMode& mode) {
  return SqlCaseChecker(each, mode).run();
}

}  // namespace tessera::sql_cases
