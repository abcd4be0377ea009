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

/// True if every graph is verified by default: in builds with assertions.
#ifdef NDEBUG
constexpr bool kVerifiesByDefault = false;
#else
constexpr bool kVerifiesByDefault = true;
#endif

/// The user's choices for planning and running; the defaults suit one machine.
struct Settings {
  std::map<std::string, int64_t> tile;  // piece length by label; other labels are not cut
  std::optional<std::string> planner;   // cuts if `tile` does not, and places: "exact",
                                        // "two-phase", "exact,two-phase" (planner_names.h)
  std::optional<int64_t> pieces;        // kernel calls of every statement; chosen by default
  std::optional<int64_t> frame_tasks;   // made and held at once; by default 2^18
  int64_t num_sites = 1;
  // sites read the tiles that others read if that is cheaper than sending them
  bool read_again = false;
  std::set<std::string> rules_off;    // optimizer rules and passes by name
  std::optional<std::string> kernel;  // only this kernel runs statements ("reference")
  std::optional<Isa> isa;             // the widest allowed; by default the machine's
  kernels::Precision precision = kernels::Precision::f32;  // of sums of f32 products
  /// The policy of making machine code for expressions.
  kernels::generated::Generating generating = kernels::generated::Generating::automatic;
  std::optional<std::string> code_directory;  // for keeping it for other runs; none by default
  bool plans_for_others = false;              // for any machine: this one's build does not count
  bool reproducible = false;                  // the same bits for all cuts
  double effort_seconds = 0;                  // extra, for the order of each contraction
  bool keep_steps = false;                    // record what every optimizer rule did
  bool verify = kVerifiesByDefault;           // check the graphs of every arrow of the ladder
  std::optional<int32_t> workers;             // computing threads; by default all of the machine
  std::optional<int64_t> memory_bytes;  // the budget of a run; by default 80 % of the machine's
  std::optional<std::string> spill_directory;       // by default $TMPDIR or /var/tmp
  std::optional<std::string> checkpoint_directory;  // for checkpoints to resume from
  std::optional<double> checkpoint_seconds;  // work that may be lost; a usual value by default
};

}  // namespace tessera::engine
