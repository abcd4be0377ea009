#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "placement/two_phase/problem.h"

/// The optimum of two-phase placement as the integer program of the paper (Two-phase §5.2), which
/// CBC solves. Written apart from the planner: it shares the problem with it and nothing else.
namespace tessera::placement::two_phase {

/// The program in CPLEX's LP format. X_j_s and Y_g_s are the paper's; H_t_s is 1 where a tuple that
/// may start anywhere does, Z_t_s where site s is sent a tuple, W_j_s where the result of join
/// group j is sent to site s.
class IntegerProgram {
 public:
  explicit IntegerProgram(const Problem& problem) : problem_(problem) {
    for (int32_t site = 0; site < problem.num_sites; ++site) {
      add_site(site);
    }
    for (size_t join = 0; join < problem.num_joins(); ++join) {
      add_one_of("X", join);
    }
    for (size_t group = 0; group < problem.num_groups(); ++group) {
      add_one_of("Y", group);
    }
    for (size_t tuple = 0; tuple < problem.num_tuples(); ++tuple) {
      if (problem.sites.is_empty(tuple)) {
        add_one_of("H", tuple);
      }
    }
  }

  std::string text() const {
    return "Minimize\n cost: TF + TP + TG + TS\nSubject To\n" + constraints_ + "Binary\n" +
           binaries_ + "End\n";
  }

 private:
  static std::string name(const char* kind, size_t number, int32_t site) {
    return fmt::format("{}_{}_{}", kind, number, site);
  }

  void add(const std::string& constraint) { constraints_ += " " + constraint + "\n"; }

  /// Exactly one site for each.
  void add_one_of(const char* kind, size_t number) {
    std::string sum;
    for (int32_t site = 0; site < problem_.num_sites; ++site) {
      sum += (site == 0 ? "" : " + ") + name(kind, number, site);
      binaries_ += " " + name(kind, number, site) + "\n";
    }
    add(sum + " = 1");
  }

  void add_site(int32_t site) {
    std::string joined = "TP";
    std::string merged = "TS";
    std::string collected = "TG";
    std::string sent = "TF";
    for (size_t join = 0; join < problem_.num_joins(); ++join) {
      joined += fmt::format(" - {} {}", problem_.join_cost[join], name("X", join, site));
      for (const int32_t tuple : problem_.tuples[join]) {
        add_sent(static_cast<size_t>(tuple), join, site);
      }
    }
    for (size_t group = 0; group < problem_.num_groups(); ++group) {
      merged += fmt::format(" - {} {}", problem_.merge_cost[group], name("Y", group, site));
      for (const int32_t number : problem_.joins[group]) {
        const auto join = static_cast<size_t>(number);
        add(fmt::format("{} - {} + {} >= 0", name("W", join, site), name("Y", group, site),
                        name("X", join, site)));
        collected += fmt::format(" - {} {}", problem_.result_cost[join], name("W", join, site));
      }
    }
    for (size_t tuple = 0; tuple < problem_.num_tuples(); ++tuple) {
      sent += fmt::format(" - {} {}", problem_.send_cost[tuple], name("Z", tuple, site));
    }
    for (const std::string& stage : {joined, merged, collected, sent}) {
      add(stage + " >= 0");
    }
  }

  void add_sent(size_t tuple, size_t join, int32_t site) {
    if (problem_.sites.has(tuple, site)) {
      return;
    }
    const std::string home = problem_.sites.is_empty(tuple) ? " + " + name("H", tuple, site) : "";
    add(name("Z", tuple, site) + " - " + name("X", join, site) + home + " >= 0");
  }

  const Problem& problem_;
  std::string constraints_;
  std::string binaries_;
};

/// What the cheapest plan costs; nothing where CBC is not installed or found no optimum.
inline std::optional<int64_t> optimum_by_cbc(const Problem& problem) {
  const auto folder = std::filesystem::temp_directory_path() /
                      fmt::format("tessera_cbc_{}", static_cast<int64_t>(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "p.lp") << IntegerProgram(problem).text();
  const std::string command =
      fmt::format("cd {} && cbc p.lp solve solu s.txt > log.txt 2>&1", folder.string());
  std::optional<int64_t> optimum;
  if (std::system(command.c_str()) == 0) {
    std::ifstream solution(folder / "s.txt");
    std::string line;
    std::getline(solution, line);
    double value = 0;
    if (std::sscanf(line.c_str(), "Optimal - objective value %lf", &value) == 1) {
      optimum = static_cast<int64_t>(value + 0.5);
    }
  }
  std::filesystem::remove_all(folder);
  return optimum;
}

}  // namespace tessera::placement::two_phase
