#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plans/runner/modes.h"

namespace tessera::plans {

/// One other way to plan and run a case.
struct Variation {
  std::string label;  // "tile i=1,j=1": for messages
  engine::Settings settings;
  bool is_tight = false;              // run under the plan's smallest budget
  std::optional<uint64_t> cost_seed;  // kernels are chosen by costs times drawn factors
};

/// Plans, verifies, runs and compares a case in every one of these ways.
ModeReport run_variations(const Case& each, const Baseline& baseline,
                          const std::vector<Variation>& variations);

/// Calls a step; adds what it throws to the problems, with the case's place and a label.
void noting_problems(ModeReport& report, const Case& each, const std::string& label,
                     const std::function<void()>& step);

/// The case's settings with every label of the program cut to pieces of `length_of(extent, n)`, n
/// counting the labels, made longer until the plan has few enough calls.
using LengthOf = std::function<int64_t(int64_t extent, int64_t n, int64_t coarseness)>;
engine::Settings cut_settings(const Case& each, const Baseline& baseline,
                              const LengthOf& length_of);

/// Whether cuts can still be chosen for a case: its source is no text of a stage behind them.
bool has_free_cuts(const Baseline& baseline);

std::string tile_text(const engine::Settings& settings);

}  // namespace tessera::plans
