// Runs `.test` files: test/plans/README.md.
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "plans/runner/case_paths.h"
#include "plans/runner/check_case.h"
#include "plans/runner/drawn_program.h"
#include "plans/runner/foreign_cases.h"
#include "plans/runner/modes.h"

namespace tessera::plans {

namespace {

constexpr const char* kUsage =
    "usage: plan_cases [--rewrite] [--mode WORD]... [--every N] [--foreign FOLDER] [--drawn N]\n"
    "                  [--share N] [--coverage] [FILE[:LINE] | FOLDER]...\n"
    "\n"
    "  FILE[:LINE]  the cases of a .test file, or the one that LINE belongs to; of a folder, all\n"
    "  --rewrite    replace what is expected by what is seen; read the diff\n"
    "  --mode WORD  plan and run another way and compare the results with the default's; `all`:\n"
    "               every way there is\n"
    "  --every N    in modes, only every Nth case\n"
    "  --foreign    the equations and programs of test/cases as well, in modes\n"
    "  --drawn N    N drawn programs as well, in modes\n"
    "  --share N    of foreign and drawn ones every Nth, beginning with another one in each mode\n"
    "  --coverage   fail where a rule has no case that expects it, or none that expects it not\n"
    "\n"
    "modes:\n";

struct Options {
  bool is_rewriting = false;
  bool checks_coverage = false;
  std::vector<std::string> modes;
  std::vector<std::string> files;
  std::string foreign;
  int64_t num_drawn = 0;
  size_t share = 1;
  size_t every = 1;
};

Options options_of(const std::vector<std::string>& arguments) {
  Options options;
  for (size_t at = 0; at < arguments.size(); ++at) {
    const std::string& word = arguments[at];
    const auto value = [&] {
      TESSERA_USER_CHECK(at + 1 < arguments.size(), "{} needs a value", word);
      return arguments[++at];
    };
    if (word == "--rewrite") {
      options.is_rewriting = true;
    } else if (word == "--coverage") {
      options.checks_coverage = true;
    } else if (word == "--mode") {
      options.modes.push_back(value());
    } else if (word == "--foreign") {
      options.foreign = value();
    } else if (word == "--drawn") {
      options.num_drawn = std::stoll(value());
    } else if (word == "--share") {
      options.share = std::stoull(value());
    } else if (word == "--every") {
      options.every = std::stoull(value());
    } else {
      TESSERA_USER_CHECK(word.substr(0, 2) != "--", "there is no option {}", word);
      options.files.push_back(word);
    }
  }
  return options;
}

std::vector<Case> cases_of(const std::vector<std::string>& arguments) {
  std::vector<Case> cases;
  for (const CasePath& path : case_paths(arguments, ".test")) {
    std::vector<Case> more = read_cases(text_of_file(path.file), path.file);
    if (path.line) {
      keep_case_at(more, path);
    }
    std::move(more.begin(), more.end(), std::back_inserter(cases));
  }
  return cases;
}

/// Prints the problems; says whether there are none.
bool report(const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) {
    std::cout << problem << (problem.back() == '\n' ? "" : "\n");
  }
  return problems.empty();
}

bool run_as_written(const std::vector<Case>& cases, bool is_rewriting) {
  size_t num_right = 0;
  std::map<std::string, std::vector<Rewrite>> rewrites;
  for (const Case& each : cases) {
    const CaseReport seen = check_case(each);
    num_right += report(seen.problems) ? 1 : 0;
    std::vector<Rewrite>& wanted = rewrites[each.file];
    wanted.insert(wanted.end(), seen.seen.begin(), seen.seen.end());
  }
  for (const auto& [file, wanted] : rewrites) {
    if (is_rewriting && !wanted.empty()) {
      rewrite_file(file, wanted);
      std::cout << file << ": rewritten\n";
    }
  }
  std::cout << num_right << " of " << cases.size() << " cases are as written\n";
  return num_right == cases.size();
}

bool run_in_modes(const std::vector<Case>& cases, const std::vector<const Mode*>& modes,
                  size_t every) {
  std::map<std::string, ModeReport> totals;
  size_t num_cases = 0;
  bool is_right = true;
  for (size_t number = 0; number < cases.size(); number += every) {
    const std::optional<Baseline> baseline = baseline_of(cases[number]);
    num_cases += baseline ? 1 : 0;
    for (const Mode* mode : baseline ? modes : std::vector<const Mode*>{}) {
      ModeReport seen = mode->run(cases[number], *baseline);
      for (std::string& problem : seen.problems) {
        problem = mode->name + ": " + problem;
      }
      is_right = report(seen.problems) && is_right;
      totals[mode->name].num_plans += seen.num_plans;
      totals[mode->name].num_runs += seen.num_runs;
    }
  }
  for (const auto& [mode, total] : totals) {
    std::cout << mode << ": " << total.num_plans << " plans verified and " << total.num_runs
              << " results compared, of " << num_cases << " cases\n";
    is_right = is_right && total.num_runs > 0;
  }
  return is_right && num_cases > 0;
}

std::vector<const Mode*> modes_of(const std::vector<std::string>& words) {
  std::vector<const Mode*> modes;
  for (const std::string& word : words) {
    const size_t before = modes.size();
    for (const Mode& mode : all_modes()) {
      if (word == "all" || word == mode.name) {
        modes.push_back(&mode);
      }
    }
    TESSERA_USER_CHECK(modes.size() > before, "there is no mode {}", word);
  }
  return modes;
}

/// The cases that no .test file has.
std::vector<Case> other_cases(const Options& options) {
  std::vector<Case> cases;
  if (!options.foreign.empty()) {
    cases = foreign_cases(options.foreign);
  }
  for (int64_t seed = 0; seed < options.num_drawn; ++seed) {
    cases.push_back(drawn_program(static_cast<uint64_t>(seed)));
  }
  return cases;
}

int run(const Options& options) {
  std::vector<Case> cases = cases_of(options.files);
  if (options.checks_coverage) {
    return report(rules_without_cases(cases)) ? 0 : 1;
  }
  if (options.modes.empty()) {
    return run_as_written(cases, options.is_rewriting) && !cases.empty() ? 0 : 1;
  }
  const std::vector<const Mode*> modes = modes_of(options.modes);
  std::vector<Case> others = other_cases(options);
  const auto number = static_cast<size_t>(modes.front() - all_modes().data());
  for (size_t each = number % options.share; each < others.size(); each += options.share) {
    cases.push_back(std::move(others[each]));
  }
  return run_in_modes(cases, modes, options.every) ? 0 : 1;
}

}  // namespace

}  // namespace tessera::plans

int main(int argc, char** argv) {
  try {
    return tessera::plans::run(tessera::plans::options_of({argv + 1, argv + argc}));
  } catch (const tessera::Error& error) {
    std::cerr << error.full_text() << "\n\n" << tessera::plans::kUsage;
    for (const tessera::plans::Mode& mode : tessera::plans::all_modes()) {
      std::cerr << "  " << mode.name << ": " << mode.summary << "\n";
    }
    return 2;
  }
}
