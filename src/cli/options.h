#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/session.h"
#include "net/link.h"

namespace tessera::cli {

/// The options of every command that plans.
struct CommonOptions {
  std::vector<std::string> tile;  // "i=128,j=64"
  std::string planner;            // the planner of cuts without --tile
  int64_t pieces = 0;             // kernel calls of every statement; 0: chosen
  std::vector<std::string> rules_off;
  std::string kernel;     // run everything with this kernel
  std::string precision;  // of f32 products; empty for f32
  std::string generate;   // when code is made: off, auto or always
  double effort = 0;      // seconds for the order of each large contraction, beside the usual
  int32_t workers = 0;    // threads that compute; 0 for all of the machine
  int64_t num_sites = 1;
  bool read_again = false;
  int64_t frame_tasks = 0;  // made at once; 0 for the default
  std::string memory;       // "512MiB"
  std::string spill_directory;
  bool reproducible = false;
  std::string checkpoint_directory;
  double checkpoint_seconds = 0;  // 0 if not given
  bool quiet = false;
  net::Link* link = nullptr;  // to the processes started with this one; null if there are none
};

/// The options of every command that runs.
struct ExecutionOptions {
  bool analyze = false;
  bool json = false;   // the plan's and the runs' figures as one object on stdout
  std::string trace;   // a file for a Chrome trace of the last run
  int64_t repeat = 1;  // runs of the one plan
  bool sync = false;   // the results are on the disk when the command ends
};

struct EinsumOptions {
  CommonOptions common;
  std::string equation;
  std::vector<std::string> operands;  // files, each as [dtype:]path
  std::string join;
  std::string aggregate;
  std::string output;
  ExecutionOptions execution;
};

struct RunOptions {
  CommonOptions common;
  std::string program;
  std::vector<std::string> inputs;      // NAME=[dtype:]path
  std::vector<std::string> outputs;     // NAME=path, or a path if there is one result
  std::vector<std::string> parameters;  // NAME=number
  ExecutionOptions execution;
};

/// The source of a plan that needs no data.
struct PlannedOptions {
  std::string program;              // a file, or an equation
  std::vector<std::string> inputs;  // NAME=f32[1000,64] or NAME=[dtype:]path; the name is the
                                    // user's choice for an equation
  std::string join;                 // of an equation
  std::string aggregate;
  std::vector<std::string> parameters;
};

struct ExplainOptions {
  CommonOptions common;
  PlannedOptions planned;
  std::string stage;   // empty for all
  std::string format;  // empty for text
  bool steps = false;
  bool json = false;        // the plan's figures as one object instead of its stages
  std::string why;          // a tensor whose cuts are explained
  bool candidates = false;  // the candidates of the plan instead of its stages
};

struct SimulateOptions {
  CommonOptions common;
  PlannedOptions planned;
  std::string cluster;       // "10x8c,10Gbps,64GiB", or a file
  std::string placement;     // of a graph with costs; empty for the best
  bool json = false;         // the figures as one object
  std::string trace;         // a file for a Chrome trace
  bool joins_first = false;  // merges after all joins, as in a system without pipelining
};

struct SqlOptions {
  CommonOptions common;
  std::string directory;
  std::vector<std::string> commands;
  std::vector<std::string> files;
  bool csv = false;
  bool json = false;
  bool timing = false;
  int64_t seed = 0;  // of random numbers
  std::string frames = "gqap";
  int64_t frame_size = 48;
  int64_t most_steps = 100'000;  // of a recursion, and versions
  bool check = false;            // look for damage instead of running anything
};

struct FunctionsOptions {
  std::string name;  // empty for all
  bool json = false;
};

struct CalibrateOptions {
  std::string output;  // empty for rates_path()
  bool quiet = false;
  bool is_one_of_several = false;  // processes
};

struct BenchOptions {
  std::vector<std::string> workers;  // numbers of them; none: 1 and all cores
  int turns = 5;
  std::string isa;   // empty for the machine's
  std::string json;  // a file for all figures
  std::vector<std::string> names;
};

/// The commands. They print results on stdout and throw tessera::Error.
void run_einsum(const EinsumOptions& options);
void run_program(const RunOptions& options);
void run_explain(const ExplainOptions& options);
void run_simulate(const SimulateOptions& options);
void run_functions(const FunctionsOptions& options);
void run_sql(const SqlOptions& options);
void run_calibrate(const CalibrateOptions& options);
/// Replaces the process by the bench; returns only with an error.
void run_bench(const BenchOptions& options);

/// Returns the session settings of the common options.
engine::Settings settings_of(const CommonOptions& options);

/// Returns a session with these settings, for all processes that were started with this one. One
/// process plans by the measured rates of its host, if there are any. Several plan by the built-in
/// rates and with the least instruction set of all, so that all of them, on any hosts, make the
/// same plan and the same bits.
engine::Session session_of(const CommonOptions& options, engine::Settings settings);

/// Splits NAME=VALUE. Errors: `user`, with the expected form.
std::pair<std::string, std::string> split_binding(const std::string& text,
                                                  const std::string& expected);

/// Splits several NAME=VALUE. Errors: `user`, also for a name that is given twice.
std::vector<std::pair<std::string, std::string>> split_bindings(
    const std::vector<std::string>& texts, const std::string& expected);

/// Parses a number of the command line: an integer, a float, a complex (1+2j), true or false.
/// Nothing if the text is none.
std::optional<Literal> parse_number(const std::string& text);

/// Reads -D NAME=VALUE: an integer, a float, a complex (1+2j), true or false.
std::map<std::string, Literal> parameters_of(const std::vector<std::string>& texts);

}  // namespace tessera::cli
