#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/session.h"
#include "types/array_type.h"

namespace tessera::plans {

/// An input of a case: its type and the rule that its elements follow (data_rule.h).
struct InputData {
  ArrayType type;
  std::string rule;
};

/// That a rule fires, or does not, somewhere or at a statement, for a reason or for any.
struct Expectation {
  bool fires = true;
  std::string rule;
  std::string statement;  // empty: anywhere
  std::string reason;     // of a rule that does not fire; empty: any
  int64_t line = 0;
};

/// What a case prints and is compared with: the text of a stage, its results, or its error.
struct Section {
  std::string what;  // "einsum", "optimized", "tra", "ia", "tasks"; "why C"; "values"; "error"
  std::string wanted;
  int64_t line = 0;        // of its first line
  int64_t first_line = 0;  // of the wanted text, and behind its last
  int64_t end_line = 0;
};

/// One program, how it is planned, and what is expected of it.
struct Case {
  std::string file;
  int64_t line = 0;
  std::string name;
  engine::Source source;
  std::map<std::string, InputData> inputs;
  engine::Settings settings;
  double tolerance = 0;  // relative, where a function of the program is not exact
  std::vector<Expectation> expectations;
  std::vector<Section> sections;

  std::string place() const;  // "test/plans/a.test:12"
};

/// Settings of a case that says nothing: with workers and memory, so that nothing depends on the
/// machine.
engine::Settings default_settings();

/// Reads a `.test` file (test/plans/README.md describes the format). `name` is what errors call it.
/// Errors: `user`, with file and line, for a line that is not understood.
std::vector<Case> read_cases(const std::string& text, const std::string& name);

/// The text with the wanted texts of some sections replaced by what was seen.
struct Rewrite {
  Section section;
  std::string seen;
};
std::string rewritten(const std::string& text, std::vector<Rewrite> rewrites);

}  // namespace tessera::plans
