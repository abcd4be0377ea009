#include "plans/runner/check_case.h"

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "engine/explain/explain.h"
#include "engine/explain/why.h"
#include "engine/planning/verified.h"
#include "optimizer/rewrite/proposal.h"
#include "plans/runner/case_run.h"
#include "plans/runner/line_difference.h"
#include "plans/runner/placed_run.h"
#include "plans/runner/settings_line.h"

namespace tessera::plans {

namespace {

/// A stage as a golden text: without estimates in seconds, which are the machine's, and comments.
std::string stage_text(const engine::Stages& stages, const std::string& stage,
                       const engine::Session& session) {
  const std::string text = engine::explain(stages, stage, "text", session);
  std::istringstream lines(text);
  std::string golden;
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    if (line[0] != '#') {
      golden += std::regex_replace(line, std::regex(" seconds=[-+.0-9e]+"), "") + "\n";
    }
  }
  return golden;
}

class Checker {
 public:
  explicit Checker(const Case& each) : case_(each), session_(each.settings) {}

  CaseReport run() && {
    std::string error;
    try {
      stages_ = plan_case(case_, session_);
      look_at_plan();
      look_at_values();
    } catch (const Error& raised) {
      error = fmt::format("{}: {}\n", name_of(raised.kind()), raised.full_text());
    }
    look_at_error(error);
    return std::move(report_);
  }

 private:
  void complain(int64_t line, const std::string& problem) {
    report_.problems.push_back(fmt::format("{}:{}: {}: {}", case_.file, line, case_.name, problem));
  }

  void compare(const Section& section, const std::string& seen) {
    if (seen != section.wanted) {
      complain(section.line, fmt::format("{} differs (- expected, + seen)\n{}", section.what,
                                         line_difference(section.wanted, seen)));
      report_.seen.push_back({section, seen});
    }
  }

  void look_at_plan() {
    for (const std::string& problem : problems_of(stages_, session_)) {
      complain(case_.line, problem);
    }
    for (const Expectation& expectation : case_.expectations) {
      look_at(expectation);
    }
    for (const Section& section : case_.sections) {
      if (section.what.rfind("why ", 0) == 0) {
        compare(section, engine::why(stages_, section.what.substr(4), session_) + "\n");
      } else if (section.what != "values" && section.what != "error") {
        compare(section, stage_text(stages_, section.what, session_));
      }
    }
  }

  void look_at_values() {
    const auto wanted = std::find_if(case_.sections.begin(), case_.sections.end(),
                                     [](const Section& each) { return each.what == "values"; });
    const bool is_wanted = wanted != case_.sections.end();
    const bool has_error = std::any_of(case_.sections.begin(), case_.sections.end(),
                                       [](const Section& each) { return each.what == "error"; });
    if (!is_wanted && !has_error) {
      return;
    }
    std::string text;
    const Results results = stages_.is_planned() ? run_case(stages_, case_, session_)
                                                 : run_placed(*stages_.placed(), case_);
    for (const auto& [name, tensor] : results) {
      text += is_wanted ? name + " " + value_text(*tensor) + "\n" : "";
    }
    if (is_wanted) {
      compare(*wanted, text);
    }
  }

  void look_at_error(const std::string& error) {
    for (const Section& section : case_.sections) {
      if (section.what == "error") {
        compare(section, error);
        return;
      }
    }
    if (!error.empty()) {
      complain(case_.line, error);
    }
  }

  /// What planning said of a rule; of a placement that is given as text, where none is looked for,
  /// a sweep of the rule over it.
  optimizer::OptimizeReport report_on(const std::string& name) const {
    if (const optimizer::OptimizeReport* report = stages_.optimization()) {
      return *report;
    }
    const optimizer::PlacementRule* rule = session_.setup().placement_rules().find(name);
    TESSERA_USER_CHECK(rule != nullptr && stages_.placed() != nullptr,
                       "the text of a stage behind the rules expects none");
    const auto view = engine::view_for<ia::Graph>(session_.setup());
    optimizer::OptimizeReport report;
    optimizer::rewrite::Rewriting<ia::Graph> rewriting(*stages_.placed(), view, report);
    rewriting.apply(name, [&](ia::Graph graph) {
      return optimizer::rewrite::swept(std::move(graph), *rule, session_.context());
    });
    return report;
  }

  /// The statements that a rule changed, by the steps that the session kept.
  static std::vector<std::string> changed_by(const std::string& rule,
                                             const optimizer::OptimizeReport& report) {
    std::vector<std::string> statements;
    for (const optimizer::Step& step : report.steps) {
      if (step.rule == rule) {
        statements.insert(statements.end(), step.vertices.begin(), step.vertices.end());
      }
    }
    return statements;
  }

  /// Whether a rule does anything: by its count, or, for one that is not counted, by leaving it
  /// out.
  bool fires(const std::string& rule, const optimizer::OptimizeReport& report) const {
    if (const auto count = report.applications.find(rule); count != report.applications.end()) {
      return count->second > 0;
    }
    engine::Settings without = case_.settings;
    TESSERA_USER_CHECK(without.rules_off.insert(rule).second, "rule {} is off", rule);
    const engine::Session session(std::move(without));
    return *plan_case(case_, session).relations() != *stages_.relations();
  }

  static std::vector<std::string> reasons_of(const Expectation& expectation,
                                             const optimizer::OptimizeReport& report) {
    std::vector<std::string> reasons;
    for (const optimizer::Reason& reason : report.reasons) {
      if (reason.rule == expectation.rule &&
          (expectation.statement.empty() || reason.vertex == expectation.statement)) {
        reasons.push_back(reason.text);
      }
    }
    return reasons;
  }

  void look_at(const Expectation& expectation) {
    const std::vector<std::string> names = names_of_rules();
    TESSERA_USER_CHECK(std::find(names.begin(), names.end(), expectation.rule) != names.end(),
                       "line {}: there is no rule {}; there are {}", expectation.line,
                       expectation.rule, fmt::join(names, ", "));
    const optimizer::OptimizeReport report = report_on(expectation.rule);
    const std::vector<std::string> changed = changed_by(expectation.rule, report);
    const bool fired =
        expectation.statement.empty()
            ? fires(expectation.rule, report)
            : std::find(changed.begin(), changed.end(), expectation.statement) != changed.end();
    const std::vector<std::string> reasons = reasons_of(expectation, report);
    if (fired != expectation.fires) {
      complain(expectation.line,
               fmt::format("rule {} {}; it changed ({}), and its reasons are ({})",
                           expectation.rule, fired ? "fires" : "does not fire",
                           fmt::join(changed, ", "), fmt::join(reasons, "; ")));
      return;
    }
    const bool is_given = std::any_of(reasons.begin(), reasons.end(), [&](const auto& reason) {
      return reason.find(expectation.reason) != std::string::npos;
    });
    if (!expectation.reason.empty() && !is_given) {
      complain(expectation.line, fmt::format("rule {} gives another reason: ({})", expectation.rule,
                                             fmt::join(reasons, "; ")));
    }
  }

  const Case& case_;
  engine::Session session_;
  engine::Stages stages_;
  CaseReport report_;
};

}  // namespace

CaseReport check_case(const Case& each) {
  return Checker(each).run();
}

std::vector<std::string> rules_without_cases(const std::vector<Case>& cases) {
  std::set<std::pair<std::string, bool>> said;
  for (const Case& each : cases) {
    for (const Expectation& expectation : each.expectations) {
      said.emplace(expectation.rule, expectation.fires);
    }
  }
  std::vector<std::string> problems;
  for (const std::string& rule : names_of_rules()) {
    for (const bool fires : {true, false}) {
      if (said.count({rule, fires}) == 0) {
        problems.push_back(
            fmt::format("rule {0} has no case with `{1} {0}`: add one to "
                        "test/plans/rules/{0}.test",
                        rule, fires ? "expect" : "expect-not"));
      }
    }
  }
  return problems;
}

}  // namespace tessera::plans
