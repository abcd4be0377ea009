#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tessera::optimizer {

/// A rule's reason for leaving a statement alone, or its note on how it rewrote one.
struct Reason {
  std::string rule;
  std::string vertex;  // the statement
  std::string text;
};

/// One sweep of a rule, or one pass, that changed something.
struct Step {
  std::string rule;
  std::vector<std::string> vertices;  // the ones it was applied to
  std::string before;                 // the whole graph, printed
  std::string after;
};

/// A report of the rewrites of a graph, of one stage or of several in turn.
struct OptimizeReport {
  std::map<std::string, int64_t> applications;  // by enabled rule and pass, zeros included
  std::vector<Step> steps;
  /// From the last sweep of every rule: its reasons for leaving vertices of the result alone, and
  /// its notes on those it rewrote.
  std::vector<Reason> reasons;
  /// Notes of passes on the whole graph, a line each.
  std::vector<std::string> notes;
};

/// Appends the report of later stages.
void append(OptimizeReport& report, OptimizeReport later);

}  // namespace tessera::optimizer
