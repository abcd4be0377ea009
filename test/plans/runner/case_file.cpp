#include "plans/runner/case_file.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "plans/runner/line_difference.h"
#include "plans/runner/settings_line.h"

namespace tessera::plans {

namespace {

const std::set<std::string> kStages = {"einsum", "optimized", "tra", "ia", "tasks"};

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

/// The text in front of a separator, which is taken off together with it; all where there is none.
std::string take_until(std::string& text, const std::string& separator) {
  const size_t at = text.find(separator);
  std::string head = trimmed(text.substr(0, at));
  text = at == std::string::npos ? "" : trimmed(text.substr(at + separator.size()));
  return head;
}

class Reader {
 public:
  Reader(const std::string& text, std::string name)
      : lines_(lines_of(text)), name_(std::move(name)) {}

  std::vector<Case> run() && {
    while (at_ < lines_.size()) {
      try {
        read_line(lines_[at_++]);
      } catch (Error& error) {
        throw Error(error.kind(), fmt::format("{}:{}: {}", name_, at_, error.message()));
      }
    }
    return std::move(cases_);
  }

 private:
  void read_line(std::string line) {
    if (line.empty() || line[0] == '#') {
      return;
    }
    const std::string word = take_until(line, " ");
    if (word == "case") {
      cases_.push_back({});
      cases_.back().file = name_;
      cases_.back().line = line_number();
      cases_.back().name = line;
      cases_.back().settings = default_settings();
      return;
    }
    TESSERA_USER_CHECK(!cases_.empty(), "a file begins with `case NAME`, not with `{}`", word);
    read_directive(word, line);
  }

  void read_directive(const std::string& word, const std::string& rest) {
    Case& now = cases_.back();
    if (word == "data") {
      read_data(rest);
    } else if (word == "set") {
      apply_setting(now.settings, rest);
    } else if (word == "tolerance") {
      read_tolerance(rest);
    } else if (word == "program") {
      now.source = engine::Program{{"program", indented_text()}};
    } else if (word == "text") {
      read_text(now);
    } else if (word == "equation") {
      now.source = engine::Equation{rest, operands_in_order_, {}};
    } else if (word == "expect" || word == "expect-not") {
      read_expectation(word == "expect", rest);
    } else if (word == "stage" || word == "why" || word == "values" || word == "error") {
      read_section(word == "stage" ? rest : word == "why" ? "why " + rest : word);
    } else {
      throw_error(ErrorKind::user,
                  "`{}` is not known; case, data, set, tolerance, program, text, equation, expect, "
                  "expect-not, stage, why, values and error are",
                  word);
    }
  }

  int64_t line_number() const { return static_cast<int64_t>(at_); }

  /// data A f32[4,6], B f32[6] = iota
  void read_data(std::string rest) {
    if (cases_.back().inputs.empty()) {
      operands_in_order_.clear();
    }
    while (!rest.empty()) {
      std::string each = take_until(rest, ", ");
      const std::string what = take_until(each, " = ");
      const size_t blank = what.find(' ');
      const std::optional<ArrayType> type =
          blank == std::string::npos ? std::nullopt : parse_array_type(what.substr(blank + 1));
      TESSERA_USER_CHECK(type.has_value(), "expected `data NAME TYPE[EXTENTS] = RULE`, not `{}`",
                         what);
      operands_in_order_.push_back(what.substr(0, blank));
      cases_.back().inputs[what.substr(0, blank)] = {*type, each.empty() ? "small" : each};
    }
  }

  /// tolerance 1e-6: exp is rounded
  void read_tolerance(std::string rest) {
    const std::string number = take_until(rest, ":");
    TESSERA_USER_CHECK(!rest.empty(), "a tolerance has a reason: `tolerance 1e-6: exp rounds`");
    cases_.back().tolerance = std::stod(number);
  }

  /// expect-not RULE [at STATEMENT][: REASON]
  void read_expectation(bool fires, std::string rest) {
    Expectation expectation;
    expectation.fires = fires;
    expectation.line = line_number();
    std::string head = take_until(rest, ": ");
    expectation.reason = rest;
    expectation.rule = take_until(head, " at ");
    expectation.statement = head;
    TESSERA_USER_CHECK(!fires || expectation.reason.empty(),
                       "only a rule that does not fire has a reason");
    cases_.back().expectations.push_back(std::move(expectation));
  }

  /// The indented lines that follow, without their two blanks.
  /// A placement says by itself for how many sites it is.
  void read_text(Case& now) {
    std::string text = indented_text();
    const bool is_placed = text.rfind("ia sites=", 0) == 0;
    if (is_placed && text.rfind("ia sites=1\n", 0) != 0 && text.rfind("ia sites=1 ", 0) != 0) {
      now.settings.memory_bytes.reset();
    }
    now.source = engine::StageText{{"text", std::move(text)}};
  }

  std::string indented_text() {
    std::string text;
    while (at_ < lines_.size() && lines_[at_].substr(0, 2) == "  ") {
      text += lines_[at_++].substr(2) + "\n";
    }
    TESSERA_USER_CHECK(!text.empty(), "the text follows, indented by two blanks");
    return text;
  }

  /// `----` and the lines up to an empty one.
  void read_section(const std::string& what) {
    TESSERA_USER_CHECK(what == "values" || what == "error" || kStages.count(what) != 0 ||
                           what.rfind("why ", 0) == 0,
                       "there is no stage `{}`; there are einsum, optimized, tra, ia and tasks",
                       what);
    Section section;
    section.what = what;
    section.line = line_number();
    TESSERA_USER_CHECK(at_ < lines_.size() && lines_[at_] == "----",
                       "`----` follows, and below it what is expected");
    section.first_line = static_cast<int64_t>(++at_) + 1;
    while (at_ < lines_.size() && !lines_[at_].empty()) {
      section.wanted += lines_[at_++] + "\n";
    }
    section.end_line = static_cast<int64_t>(at_) + 1;
    cases_.back().sections.push_back(std::move(section));
  }

  std::vector<std::string> lines_;
  std::string name_;
  size_t at_ = 0;  // the next line
  std::vector<Case> cases_;
  std::vector<std::string> operands_in_order_;  // of the case at hand
};

}  // namespace

std::string Case::place() const {
  return line == 0 ? file : fmt::format("{}:{}", file, line);
}

std::vector<Case> read_cases(const std::string& text, const std::string& name) {
  return Reader(text, name).run();
}

std::string rewritten(const std::string& text, std::vector<Rewrite> rewrites) {
  std::vector<std::string> lines = lines_of(text);
  // From the last, so that the numbers of those before hold.
  std::sort(rewrites.begin(), rewrites.end(), [](const Rewrite& a, const Rewrite& b) {
    return a.section.first_line > b.section.first_line;
  });
  for (const Rewrite& rewrite : rewrites) {
    const auto begin = lines.begin() + (rewrite.section.first_line - 1);
    const auto place = lines.erase(begin, lines.begin() + (rewrite.section.end_line - 1));
    const std::vector<std::string> seen = lines_of(rewrite.seen);
    lines.insert(place, seen.begin(), seen.end());
  }
  std::string result;
  for (const std::string& line : lines) {
    result += line + "\n";
  }
  return result;
}

}  // namespace tessera::plans
