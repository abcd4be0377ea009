#include "cli/command_line.h"

#include <charconv>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/report.h"
#include "cli/standard_streams.h"

namespace tessera::cli {

namespace {

constexpr double kMostEffort = 1e6;  // seconds: eleven days

/// Adds an option that counts something: a whole number from 1 on.
template <class Integer>
void add_count(CLI::App& command, const std::string& name, Integer& value,
               const std::string& help) {
  const auto fault_of = [](const std::string& text) -> std::string {
    Integer count = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, count);
    if (error == std::errc::result_out_of_range) {
      return "is too large: " + text;
    }
    const bool is_count = error == std::errc() && rest == end && count > 0;
    return is_count ? "" : fmt::format("must be a whole number from 1 on, not '{}'", text);
  };
  command.add_option(name, value, help)->check(fault_of, "POSITIVE");
}

/// Adds an option that may be given several times, each time with one value (so that it swallows no
/// positional), or once with several values between commas.
void add_list(CLI::App& command, const std::string& name, std::vector<std::string>& values,
              const std::string& help, bool split_at_commas) {
  CLI::Option* option = command.add_option(name, values, help)->allow_extra_args(false);
  if (split_at_commas) {
    option->delimiter(',');
  }
}

void add_common_options(CLI::App& command, CommonOptions& options) {
  add_list(command, "--tile", options.tile,
           "Length of the tiles along these labels, for example i=128,j=64", true);
  command.add_option(
      "--planner", options.planner,
      "Planner of cuts: auto, exact, eindecomp, sqrt, data-parallel, or label:h,f to cut "
      "labels h and f; or of placements on several sites: algebra, grid, two-phase, rule1, "
      "rule2, hash, bmm, cmm, rmm or 3d; or one of each, for example exact,grid");
  add_count(command, "--pieces", options.pieces, "Number of kernel calls of a large statement");
  add_list(command, "--rules-off", options.rules_off, "Optimizer rules to leave out, by name",
           true);
  command.add_option("--kernel", options.kernel,
                     "Kernel that runs every statement, for example reference");
  command
      .add_option("--generate", options.generate,
                  "Generate machine code for expressions: off, auto (if that is faster) or always")
      ->check(CLI::IsMember({"off", "auto", "always"}));
  command
      .add_option("--effort", options.effort,
                  "Seconds of further search for the order of each contraction of more than 12 "
                  "tensors; 0 by default")
      ->check(CLI::Range(0.0, kMostEffort));
  add_count(command, "--workers", options.workers,
            "Number of threads that compute; one for each core by default");
  add_count(command, "--sites", options.num_sites,
            "Number of sites that tiles and work are placed on, each with its own memory");
  command.add_flag(
      "--read-again", options.read_again,
      "Let each site read an input itself if that is estimated to be faster than receiving it "
      "from another site");
  add_count(
      command, "--frame-tasks", options.frame_tasks,
      "Most tasks that are made at once, about 262144 by default; a plan of more runs in frames, "
      "one after the other");
  command.add_option("--memory", options.memory,
                     "Memory limit of each site, for example 512MiB; 80 % of what there is by "
                     "default");
  command.add_option("--spill-dir", options.spill_directory,
                     "Directory that tiles are spilled to; $TMPDIR or /var/tmp by default");
  command.add_flag("--reproducible", options.reproducible,
                   "Give the same bits for any tiling, number of workers and memory limit; sums "
                   "take longer");
  command.add_flag("--quiet", options.quiet, "Print only results and errors");
}

void add_precision_option(CLI::App& command, CommonOptions& options) {
  command
      .add_option("--precision", options.precision,
                  "Precision of sums of f32 products: f32 (the default), bf16x6 (nearly as exact), "
                  "bf16x3 or bf16, which are faster on some processors")
      ->check(CLI::IsMember({"f32", "bf16x6", "bf16x3", "bf16"}));
}

void add_checkpoint_options(CLI::App& command, CommonOptions& options) {
  CLI::Option* directory = command.add_option(
      "--checkpoint", options.checkpoint_directory,
      "Directory for checkpoints: a run that is killed and started again goes on from them");
  command
      .add_option("--checkpoint-every", options.checkpoint_seconds,
                  "Most seconds of work to lose, about 60 by default; more if checkpoints would "
                  "take over a twentieth of the time")
      ->needs(directory)
      ->check(CLI::PositiveNumber);
}

void add_planned_options(CLI::App& command, PlannedOptions& options) {
  command
      .add_option("program", options.program, "A .ein file, the text of a stage, or an equation")
      ->required();
  command.add_option(
      "inputs", options.inputs,
      "NAME=f32[1000,64] or NAME=path for each input; without NAME= for an equation");
  command.add_option("--join", options.join, "Function in place of the product of an equation");
  command.add_option("--agg", options.aggregate, "Aggregate in place of the sum of an equation");
  add_list(command, "-D,--define", options.parameters, "Value of a parameter, as NAME=number",
           false);
}

void add_execution_options(CLI::App& command, ExecutionOptions& options) {
  CLI::Option* analyze = command.add_flag("--analyze", options.analyze,
                                          "Print the time of each statement beside its estimate");
  command.add_flag("--json", options.json, "With --analyze, print all figures as one JSON object")
      ->needs(analyze);
  command.add_option("--trace", options.trace,
                     "File for a trace of all tasks, as Chrome trace JSON");
  add_count(command, "--repeat", options.repeat,
            "Run the plan N times; with --analyze, time each run");
  command.add_flag("--sync", options.sync,
                   "Wait until results are on the disk, where they survive a power failure");
}

void add_einsum(CLI::App& app, EinsumOptions& options) {
  CLI::App* command = app.add_subcommand(
      "einsum", "Compute an einsum of .npy files: tessera einsum 'ij,jk->ik' A.npy B.npy -o C.npy");
  command->add_option("equation", options.equation, "Equation in numpy's notation")->required();
  command->add_option("operands", options.operands,
                      "Files of the operands, as path or dtype:path, for example bf16:A.npy");
  command->add_option("--join", options.join,
                      "Function in place of the product, or an expression over x,y or x1..xn");
  command->add_option("--agg", options.aggregate,
                      "Aggregate in place of the sum: max, min, prod, argmax, ...");
  command->add_option("-o,--output", options.output, "File of the result; printed by default");
  add_execution_options(*command, options.execution);
  add_checkpoint_options(*command, options.common);
  add_common_options(*command, options.common);
  add_precision_option(*command, options.common);
  command->callback([&options] { run_einsum(options); });
}

void add_run(CLI::App& app, RunOptions& options) {
  CLI::App* command = app.add_subcommand(
      "run",
      "Run a program, or a plan printed by explain: tessera run prog.ein X=x.npy -o Y=y.npy");
  command->add_option("program", options.program, "A .ein file, or the text of a stage")
      ->required();
  command->add_option("inputs", options.inputs,
                      "NAME=path or NAME=dtype:path for each input; NAME=2.0 for a scalar");
  add_list(*command, "-o,--output", options.outputs,
           "File of a result, as NAME=path; other results are printed", false);
  add_list(*command, "-D,--define", options.parameters, "Value of a parameter, as NAME=number",
           false);
  add_execution_options(*command, options.execution);
  add_checkpoint_options(*command, options.common);
  add_common_options(*command, options.common);
  add_precision_option(*command, options.common);
  command->callback([&options] { run_program(options); });
}

void add_explain(CLI::App& app, ExplainOptions& options) {
  CLI::App* command =
      app.add_subcommand("explain",
                         "Print the plan of a program, stage by stage, without "
                         "data: tessera explain prog.ein X=f32[1000,64], or tessera "
                         "explain 'ij,jk->ik' f32[1000,64] f32[64,30]");
  add_planned_options(*command, options.planned);
  command
      ->add_option("--stage", options.stage,
                   "Stage to print: einsum, optimized, tra, ia, tasks or all")
      ->check(CLI::IsMember({"einsum", "optimized", "tra", "ia", "tasks", "all"}));
  command->add_option("--format", options.format, "Format of a stage: text, json or dot")
      ->check(CLI::IsMember({"text", "json", "dot"}));
  command->add_flag("--json", options.json, "Print the plan's figures as one JSON object");
  command->add_option("--why", options.why,
                      "Explain why this tensor is cut as it is, or where this rule applied and why "
                      "not elsewhere");
  command->add_flag("--candidates", options.candidates,
                    "List the plans that were tried, with their costs");
  command->add_flag("--steps", options.steps, "Print also what each optimizer rule changed");
  add_checkpoint_options(*command, options.common);
  add_common_options(*command, options.common);
  add_precision_option(*command, options.common);
  command->callback([&options] { run_explain(options); });
}

void add_simulate(CLI::App& app, SimulateOptions& options) {
  CLI::App* command = app.add_subcommand("simulate",
                                         "Simulate the plan of a program on a described cluster, "
                                         "without data: tessera simulate "
                                         "prog.ein X=f32[1000,64] --cluster 10x8c,10Gbps,64GiB");
  add_planned_options(*command, options.planned);
  command->add_option(
      "--cluster", options.cluster,
      "Cluster: sites, cores, links and memory, as 10x8c,10Gbps,64GiB, or a TOML file");
  command
      ->add_option("--placement", options.placement,
                   "Placement of a graph with costs (.json): heft, search or given; by default the "
                   "first two")
      ->check(CLI::IsMember({"heft", "search", "given"}));
  command->add_flag(
      "--joins-first", options.joins_first,
      "Finish all joins of a site before it sends and merges partial results, as systems do "
      "that run one operator after the other");
  command->add_flag("--json", options.json, "Print the figures as one JSON object");
  command->add_option("--trace", options.trace,
                      "File for a trace of all tasks, as Chrome trace JSON");
  add_common_options(*command, options.common);
  command->callback([&options] { run_simulate(options); });
}

void add_functions(CLI::App& app, FunctionsOptions& options) {
  CLI::App* command = app.add_subcommand(
      "functions",
      "List the functions of the language, with numpy's names: tessera functions softmax");
  command->add_option("name", options.name, "Function, aggregate or macro to describe in full");
  command->add_flag("--json", options.json, "Print as one JSON object");
  command->callback([&options] { run_functions(options); });
}

void add_calibrate(CLI::App& app, CalibrateOptions& options) {
  CLI::App* command = app.add_subcommand(
      "calibrate", "Measure how fast this machine is; later plans on it use these rates");
  command->add_option("-o,--output", options.output,
                      "File of the rates; $TESSERA_RATES, or a file for this host in "
                      "~/.cache/tessera, by default");
  command->add_flag("--quiet", options.quiet, "Print only the rates");
  command->callback([&options] { run_calibrate(options); });
}

void add_bench(CLI::App& app, BenchOptions& options) {
  CLI::App* command = app.add_subcommand(
      "bench", "Time kernels beside what this machine can do: tessera bench softmax");
  command->add_option("names", options.names,
                      "Rows to time: those whose name contains one of these");
  add_list(*command, "--workers", options.workers,
           "Numbers of threads; 1 and one for each core by default", true);
  add_count(*command, "--turns", options.turns,
            "Turns of each contestant, 5 by default; medians count");
  command->add_option("--isa", options.isa, "Widest instruction set: avx2 or scalar");
  command->add_option("--json", options.json, "File for all figures, as JSON");
  command->callback([&options] { run_bench(options); });
}

void add_sql(CLI::App& app, SqlOptions& options) {
  CLI::App* command = app.add_subcommand(
      "sql", "Run SQL over tables with tensors: tessera sql DIR -c 'SELECT …', or -f script.sql");
  command
      ->add_option("directory", options.directory,
                   "Directory of the database; created if it does not exist")
      ->required();
  add_list(*command, "-c,--command", options.commands, "Statements to run", false);
  add_list(*command, "-f,--file", options.files, "File of statements to run", false);
  CLI::Option* csv = command->add_flag("--csv", options.csv, "Write rows as CSV");
  command->add_flag("--json", options.json, "Write rows as JSON")->excludes(csv);
  command->add_flag("--timing", options.timing,
                    "Print the time of each statement on standard error");
  command->add_option("--seed", options.seed, "Seed of random numbers, 0 by default");
  command->add_option(
      "--frames", options.frames,
      "How a long program is cut into frames, which run one after the other: gqap (the default, "
      "which keeps tensors with their consumers), greedy, min-cut or none");
  command
      ->add_option("--frame-size", options.frame_size, "Most statements of a frame, 48 by default")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--most-steps", options.most_steps,
                   "Most versions that a statement may need, and steps that a recursion over "
                   "tensors may take, 100000 by default")
      ->check(CLI::PositiveNumber);
  command->add_flag("--check", options.check,
                    "Check the whole database for damage, and run nothing");
  command
      ->add_option("--checkpoint-every", options.common.checkpoint_seconds,
                   "Most seconds of work to lose if a MATERIALIZE is killed, 60 by default")
      ->check(CLI::PositiveNumber);
  add_common_options(*command, options.common);
  command->callback([&options] { run_sql(options); });
}

/// Returns the arguments in the reversed order that the option library wants. An equation may start
/// with an arrow (`->`): a blank before it, which equations ignore, keeps it from being read as an
/// option.
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> arguments;
  for (int number = argc - 1; number > 0; --number) {
    const std::string argument = argv[number];
    arguments.push_back(argument.rfind("->", 0) == 0 ? " " + argument : argument);
  }
  return arguments;
}

int run_arguments(CLI::App& app, std::vector<std::string> arguments) {
  try {
    app.parse(std::move(arguments));
    return 0;
  } catch (const CLI::ParseError& error) {
    std::ostringstream help;
    std::ostringstream fault;
    const bool is_usage_error = app.exit(error, help, fault) != 0;
    write_output(help.str());
    if (is_usage_error) {
      std::string text = fault.str();
      text.erase(text.find_last_not_of('\n') + 1);
      write_message(text);
    }
    return is_usage_error ? kExitUsage : 0;
  }
}

}  // namespace

int run_command(CommandLine& line, int argc, char** argv) {
  CLI::App app(
      "Tessera plans and runs tensor programs: it decides how to cut, order and run them, and "
      "shows "
      "you why.");
  app.set_version_flag("--version", "tessera " TESSERA_VERSION);
  app.require_subcommand(1);
  add_einsum(app, line.einsum);
  add_run(app, line.program);
  add_explain(app, line.explain);
  add_simulate(app, line.simulate);
  add_functions(app, line.functions);
  add_sql(app, line.sql);
  add_calibrate(app, line.calibrate);
  add_bench(app, line.bench);
  return run_arguments(app, arguments_of(argc, argv));
}

}  // namespace tessera::cli
