#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "kernels/generated/generating.h"
#include "kernels/precision.h"
#include "machine/isa.h"

namespace tessera::engine {

/// Whether every graph is verified where the settings do not say: in builds with assertions.
#ifdef NDEBUG
constexpr bool kVerifiesByDefault = false;
#else
constexpr bool kVerifiesByDefault = true;
#endif

/// What a user may choose about planning and running; the defaults suit one machine.
struct Settings {
  std::map<std::string, int64_t>
      tile;  // piece length by label; a label that is not named is not cut
  std::optional<std::string> planner;  // what cuts where `tile` does not, what places: "exact",
                                       // "two-phase", "exact,two-phase" (planner_names.h)
  std::optional<int64_t> pieces;       // kernel calls of every statement; without it chosen
  std::optional<int64_t> frame_tasks;  // that are made and held at once; without it 2^18
  int64_t num_sites = 1;
  bool read_again = false;  // sites read what others read, where that is cheaper than to send it
  std::set<std::string> rules_off;    // optimizer rules and passes by name
  std::optional<std::string> kernel;  // only this kernel runs statements ("reference")
  std::optional<Isa> isa;             // no wider instruction set is used; else the machine's
  kernels::Precision precision = kernels::Precision::f32;  // of sums of f32 products
  /// Whether machine code is made for expressions.
  kernels::generated::Generating generating = kernels::generated::Generating::automatic;
  std::optional<std::string> code_directory;  // where that is kept for other runs; else nowhere
  bool plans_for_others = false;  // for a machine that need not be this one: its build counts not
  bool reproducible = false;      // the same bits however tensors are cut
  double effort_seconds = 0;      // for the order of each contraction, beside the usual
  bool keep_steps = false;        // record what every optimizer rule did
  bool verify = kVerifiesByDefault;     // look at what every arrow of the ladder makes
  std::optional<int32_t> workers;       // threads that compute; without it all that the machine has
  std::optional<int64_t> memory_bytes;  // the budget of a run; without it 80 % of the machine's
  std::optional<std::string> spill_directory;       // without it $TMPDIR or /var/tmp
  std::optional<std::string> checkpoint_directory;  // where a run keeps what it can go on from
  std::optional<double> checkpoint_seconds;  // of work that may be lost; without it what is usual
};

}  // namespace tessera::engine
