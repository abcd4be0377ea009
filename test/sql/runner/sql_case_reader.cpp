#include <map>
#include <utility>

#include "base/error.h"
#include "plans/runner/line_difference.h"
#include "plans/runner/settings_line.h"
#include "sql/runner/sql_case.h"

namespace tessera::sql_cases {

namespace {

constexpr std::string_view kHole = "$x";
constexpr std::string_view kArrow = " => ";

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

/// Takes the first word off a line.
std::string take_word(std::string& line) {
  const size_t blank = line.find(' ');
  std::string word = line.substr(0, blank);
  line = blank == std::string::npos ? "" : trimmed(line.substr(blank));
  return word;
}

/// Takes `~1e-12` off the head of a line; 0 if the line has none.
double take_tolerance(std::string& line) {
  return line.empty() || line.front() != '~' ? 0 : std::stod(take_word(line).substr(1));
}

/// Returns the template with the expression in each of its holes.
std::string filled(std::string text, const std::string& expression) {
  for (size_t at = text.find(kHole); at != std::string::npos;
       at = text.find(kHole, at + expression.size())) {
    text.replace(at, kHole.size(), expression);
  }
  return text;
}

void set_frames(CaseSettings& settings, const std::string& value) {
  const auto cutter = sql::frames::cutter_of(value);
  TESSERA_USER_CHECK(cutter, "there is no cutter {}; gqap, greedy, min-cut and none are", value);
  settings.framing.cutter = *cutter;
}

void set_frame_size(CaseSettings& settings, const std::string& value) {
  const size_t most = std::stoull(value);
  settings.framing.size = {(most + 1) / 2, most};
}

/// Applies `NAME VALUE`, by the names of the options of the command line.
void apply(CaseSettings& settings, const std::string& line) {
  std::string value = line;
  const std::string name = take_word(value);
  if (name == "frames") {
    set_frames(settings, value);
  } else if (name == "frame-size") {
    set_frame_size(settings, value);
  } else if (name == "seed") {
    settings.seed = std::stoll(value);
  } else if (name == "most-steps") {
    settings.most_steps = std::stoll(value);
  } else {
    plans::apply_setting(settings.engine, line);
  }
}

class SqlCaseReader {
 public:
  SqlCaseReader(const std::string& text, std::string name)
      : lines_(plans::lines_of(text)), name_(std::move(name)) {}

  std::vector<SqlCase> run() && {
    while (at_ < lines_.size()) {
      try {
        read_line(lines_[at_++]);
      } catch (const Error& error) {
        throw Error(error.kind(), fmt::format("{}:{}: {}", name_, at_, error.message()));
      }
    }
    return std::move(cases_);
  }

 private:
  using Read = void (SqlCaseReader::*)(const std::string& rest);

  void read_line(std::string line) {
    if (line.empty() || line.front() == '#') {
      return;
    }
    static const std::map<std::string, Read> readers = {
        {"setup", &SqlCaseReader::read_setup},   {"case", &SqlCaseReader::read_case},
        {"set", &SqlCaseReader::read_setting},   {"as-written", &SqlCaseReader::read_as_written},
        {"run", &SqlCaseReader::read_run},       {"query", &SqlCaseReader::read_query},
        {"each", &SqlCaseReader::read_each},     {"error", &SqlCaseReader::read_error},
        {"show", &SqlCaseReader::read_show},     {"write", &SqlCaseReader::read_written},
        {"read", &SqlCaseReader::read_expected}, {"reopen", &SqlCaseReader::read_reopen}};
    const std::string word = take_word(line);
    const auto found = readers.find(word);
    TESSERA_USER_CHECK(found != readers.end(),
                       "`{}` is not known; setup, case, set, as-written, run, query, each, error, "
                       "show, write, read and reopen are",
                       word);
    TESSERA_USER_CHECK(current_ != nullptr || word == "setup" || word == "case",
                       "a file begins with `case NAME` or `setup`, not with `{}`", word);
    (this->*found->second)(line);
  }

  /// Begins the steps that every case up to the next `setup` begins with.
  void read_setup(const std::string& rest) {
    TESSERA_USER_CHECK(rest.empty(), "the steps of a setup follow it, each on lines of its own");
    setup_ = {};
    current_ = &setup_;
  }

  void read_case(const std::string& name) {
    cases_.push_back(setup_);
    current_ = &cases_.back();
    current_->file = name_;
    current_->line = line_number();
    current_->name = name;
  }

  void read_setting(const std::string& rest) { apply(current_->settings, rest); }

  void read_as_written(const std::string& reason) {
    TESSERA_USER_CHECK(!reason.empty(), "a case that runs in no mode has a reason");
    current_->runs_in_modes = false;
  }

  void read_run(const std::string& rest) {
    const int64_t line = line_number();
    std::string sql = statement(rest);
    add(Run{std::move(sql), is_section_next() ? std::optional(section("run")) : std::nullopt},
        line);
  }

  void read_query(const std::string& rest) {
    const int64_t line = line_number();
    std::string text = rest;
    const double tolerance = take_tolerance(text);
    std::string sql = statement(text);
    add(Query{std::move(sql), tolerance, section("query")}, line);
  }

  void read_each(const std::string& text) {
    TESSERA_USER_CHECK(text.find(kHole) != std::string::npos,
                       "`each` has a statement with {} in the place of an expression", kHole);
    while (is_indented_next()) {
      add_each(text);
    }
  }

  /// Adds `EXPRESSION => ROWS`, which may go on over lines indented by four blanks.
  void add_each(const std::string& text) {
    const int64_t line = line_number() + 1;
    std::string item = trimmed(lines_[at_++]);
    while (at_ < lines_.size() && lines_[at_].starts_with("    ")) {
      item += " " + trimmed(lines_[at_++]);
    }
    const size_t arrow = item.rfind(kArrow);
    TESSERA_USER_CHECK(arrow != std::string::npos, "expected `EXPRESSION => ROWS`, not `{}`", item);
    std::string wanted = trimmed(item.substr(arrow + kArrow.size()));
    const double tolerance = take_tolerance(wanted);
    std::string expression = item.substr(0, arrow);
    std::string sql = filled(text, expression);
    const plans::Section section{"each", wanted, line, line, line_number() + 1};
    add(Each{std::move(expression), std::move(sql), tolerance, section}, line);
  }

  void read_error(const std::string& rest) {
    const int64_t line = line_number();
    std::string sql = statement(rest);
    add(Failure{std::move(sql), section("error")}, line);
  }

  void read_show(const std::string& rest) {
    const int64_t line = line_number();
    std::string sql = statement(rest);
    add(Show{std::move(sql), section("show")}, line);
  }

  void read_written(const std::string& name) {
    const int64_t line = line_number();
    TESSERA_USER_CHECK(!name.empty(), "expected `write NAME` of a file");
    add(WriteFile{name, indented()}, line);
  }

  void read_expected(const std::string& name) {
    const int64_t line = line_number();
    TESSERA_USER_CHECK(!name.empty(), "expected `read NAME` of a file");
    add(ReadFile{name, section("read")}, line);
  }

  void read_reopen(const std::string& rest) {
    TESSERA_USER_CHECK(rest.empty(), "nothing may stand behind `reopen`");
    add(Reopen{}, line_number());
  }

  int64_t line_number() const { return static_cast<int64_t>(at_); }
  void add(Action action, int64_t line) { current_->steps.push_back({std::move(action), line}); }

  bool is_indented_next() const { return at_ < lines_.size() && lines_[at_].starts_with("  "); }
  bool is_section_next() const { return at_ < lines_.size() && lines_[at_] == "----"; }

  /// Returns the statements behind a word and on the indented lines below.
  std::string statement(const std::string& rest) {
    const std::string below = indented();
    const bool has_both = !rest.empty() && !below.empty();
    std::string sql = rest + (has_both ? "\n" : "") + below;
    TESSERA_USER_CHECK(!sql.empty(), "statements follow, on this line or indented by two blanks");
    return sql;
  }

  /// Takes the indented lines that follow, without their two blanks.
  std::string indented() {
    std::string text;
    while (is_indented_next()) {
      text += lines_[at_++].substr(2) + "\n";
    }
    return text;
  }

  /// Takes `----` and the lines up to an empty one.
  plans::Section section(const std::string& what) {
    plans::Section section;
    section.what = what;
    TESSERA_USER_CHECK(is_section_next(), "`----` follows, and below it what is expected");
    section.line = line_number();
    section.first_line = static_cast<int64_t>(++at_) + 1;
    while (at_ < lines_.size() && !lines_[at_].empty()) {
      section.wanted += lines_[at_++] + "\n";
    }
    section.end_line = static_cast<int64_t>(at_) + 1;
    return section;
  }

  std::vector<std::string> lines_;
  std::string name_;
  size_t at_ = 0;  // the next line
  SqlCase setup_;
  SqlCase* current_ = nullptr;  // the case or the setup that lines are added to
  std::vector<SqlCase> cases_;
};

}  // namespace

std::vector<SqlCase> read_sql_cases(const std::string& text, const std::string& name) {
  return SqlCaseReader(text, name).run();
}

}  // namespace tessera::sql_cases
