// Runs `.sqltest` files: test/sql/README.md.
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "plans/runner/case_paths.h"
#include "sql/runner/check_sql_case.h"

namespace tessera::sql_cases {

namespace {

constexpr const char* kUsage =
    "usage: sql_cases [--rewrite] [--mode WORD]... [--every N] [FILE[:LINE] | FOLDER]...\n"
    "\n"
    "  FILE[:LINE]  the cases of a .sqltest file, or the one that LINE belongs to; of a folder, "
    "all\n"
    "  --rewrite    replace what is expected by what is seen; read the diff\n"
    "  --mode WORD  run another way and expect the same; `all`: every way there is\n"
    "  --every N    in modes, only every Nth case, beginning with another one in each mode\n"
    "\n"
    "modes:\n";

struct Options {
  bool is_rewriting = false;
  std::vector<std::string> modes;
  std::vector<std::string> files;
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
    } else if (word == "--mode") {
      options.modes.push_back(value());
    } else if (word == "--every") {
      options.every = std::stoull(value());
    } else {
      TESSERA_USER_CHECK(!word.starts_with("--"), "there is no option {}", word);
      options.files.push_back(word);
    }
  }
  return options;
}

std::vector<SqlCase> cases_of(const std::vector<std::string>& arguments) {
  std::vector<SqlCase> cases;
  for (const plans::CasePath& path : plans::case_paths(arguments, ".sqltest")) {
    std::vector<SqlCase> more = read_sql_cases(plans::text_of_file(path.file), path.file);
    if (path.line) {
      plans::keep_case_at(more, path);
    }
    std::move(more.begin(), more.end(), std::back_inserter(cases));
  }
  return cases;
}

/// Prints the problems. True if there are none.
bool report(const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) {
    std::cout << problem << (problem.back() == '\n' ? "" : "\n");
  }
  return problems.empty();
}

bool run_as_written(const std::vector<SqlCase>& cases, bool is_rewriting) {
  size_t num_right = 0;
  std::map<std::string, std::vector<plans::Rewrite>> rewrites;
  for (const SqlCase& each : cases) {
    const plans::CaseReport seen = check_sql_case(each);
    num_right += report(seen.problems) ? 1 : 0;
    std::vector<plans::Rewrite>& wanted = rewrites[each.file];
    wanted.insert(wanted.end(), seen.seen.begin(), seen.seen.end());
  }
  for (const auto& [file, wanted] : rewrites) {
    if (is_rewriting && !wanted.empty()) {
      plans::rewrite_file(file, wanted);
      std::cout << file << ": rewritten\n";
    }
  }
  std::cout << num_right << " of " << cases.size() << " cases are as written\n";
  return num_right == cases.size() && !cases.empty();
}

bool run_in_mode(const std::vector<SqlCase>& cases, const SqlMode& mode, size_t first,
                 size_t every) {
  size_t num_run = 0;
  size_t num_right = 0;
  for (size_t number = first % every; number < cases.size(); number += every) {
    if (cases[number].runs_in_modes) {
      ++num_run;
      num_right += report(check_sql_case(cases[number], mode).problems) ? 1 : 0;
    }
  }
  std::cout << mode.name << ": " << num_right << " of " << num_run << " cases are as written"
            << std::endl;
  return num_right == num_run && num_run > 0;
}

bool run_in_modes(const std::vector<SqlCase>& cases, const Options& options) {
  bool is_right = true;
  for (const std::string& word : options.modes) {
    size_t first = 0;
    bool is_known = false;
    for (const SqlMode& mode : all_sql_modes()) {
      if (word == "all" || word == mode.name) {
        is_known = true;
        is_right = run_in_mode(cases, mode, first, options.every) && is_right;
      }
      ++first;
    }
    TESSERA_USER_CHECK(is_known, "there is no mode {}", word);
  }
  return is_right;
}

int run(const Options& options) {
  const std::vector<SqlCase> cases = cases_of(options.files);
  const bool is_right = options.modes.empty() ? run_as_written(cases, options.is_rewriting)
                                              : run_in_modes(cases, options);
  return is_right ? 0 : 1;
}

}  // namespace

}  // namespace tessera::sql_cases

int main(int argc, char** argv) {
  try {
    return tessera::sql_cases::run(tessera::sql_cases::options_of({argv + 1, argv + argc}));
  } catch (const tessera::Error& error) {
    std::cerr << error.full_text() << "\n\n" << tessera::sql_cases::kUsage;
    for (const tessera::sql_cases::SqlMode& mode : tessera::sql_cases::all_sql_modes()) {
      std::cerr << "  " << mode.name << ": " << mode.summary << "\n";
    }
    return 2;
  }
}
