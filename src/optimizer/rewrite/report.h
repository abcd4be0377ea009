#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tessera::optimizer {

/// Why a rule left a statement alone, or what is to be said of how it was rewritten.
struct Reason {
  std::string rule;
  std::string vertex;  // the statement
  std::string text;
};

/// One sweep of a rule, or one pass, that changed something.
struct Step {
  std::string rule;
  std::vector<std::string> vertices;  // where it was applied
  std::string before;                 // the whole graph, printed
  std::string after;
};

/// What was done to a graph, of one stage or of one after the other.
struct OptimizeReport {
  std::map<std::string, int64_t>
      applications;  // of every rule and pass that is not disabled, also where it is 0
  std::vector<Step> steps;
  /// Of the last sweep of every rule: why it left a vertex of the result alone, or what is to be
  /// said of how it rewrote one.
  std::vector<Reason> reasons;
  /// What passes have to say of the whole graph, a line each.
  std::vector<std::string> notes;
};

/// Adds what was done to the graphs of later stages.
void append(OptimizeReport& report, OptimizeReport later);

}  // namespace tessera::optimizer
