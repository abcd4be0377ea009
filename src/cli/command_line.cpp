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

/// An option that counts something: a whole number from 1 on.
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

/// An option that may be given several times, each time with one value (so that it swallows no
/// positional), or once with several values between commas.
void add_list(CLI::App& command, const std::string& name, std::vector<std::string>& values,
              const std::string& help, bool split_at_commas) {
  CLI::Option* option = command.add_option(name, values, help)->allow_extra_args(false);
  if (split_at_commas) {
    option->delimiter(',');
  }
}

void add_common_options(CLI::App& command, CommonOptions& options) {
  add_list(command, "--tile", options.tile, "Cut every tensor along these labels: i=128,j=64",
           true);
  command.add_option(
      "--planner", options.planner,
      "What chooses the cuts: auto, exact, eindecomp, sqrt, data-parallel, or "
      "label:h,f to cut those labels; and what places tiles on sites: algebra, grid, "
      "two-phase, rule1, rule2, hash, bmm, cmm, rmm or 3d");
  add_count(command, "--pieces", options.pieces,
            "Cut every large statement into so many kernel calls");
  add_list(command, "--rules-off", options.rules_off, "Optimizer rules not to apply, by name",
           true);
  command.add_option("--kernel", options.kernel,
                     "Run every statement with this kernel, for example reference");
  command
      .add_option("--generate", options.generate,
                  "Make machine code for expressions: off, auto (where that is quicker) or always")
      ->check(CLI::IsMember({"off", "auto", "always"}));
  command
      .add_option("--effort", options.effort,
                  "Search about so many seconds longer for an order of each contraction of more "
                  "than 12 tensors; the default is 0")
      ->check(CLI::Range(0.0, kMostEffort));
  add_count(command, "--workers", options.workers,
            "Compute with so many threads instead of one for each core");
  add_count(command, "--sites", options.num_sites,
            "Place tiles and work on so many sites, each with a memory of its own");
  command.add_flag(
      "--read-again", options.read_again,
      "Let every site read an input that it needs where that is estimated to take less "
      "than to move it there from the site that reads it");
  add_count(
      command, "--frame-tasks", options.frame_tasks,
      "Make at most about so many tasks at once, 262144 by default: a plan of more is made and "
      "run by statement, one frame after the other");
  command.add_option("--memory", options.memory,
                     "Use at most so much memory on each site, 512MiB for example; the default is "
                     "80 % of what there is");
  command.add_option("--spill-dir", options.spill_directory,
                     "Where tiles go when memory is short; the default is $TMPDIR or /var/tmp");
  command.add_flag("--reproducible", options.reproducible,
                   "The same bits for any tiling, number of workers and memory; sums take longer");
  command.add_flag("--quiet", options.quiet, "Print results and errors only");
}

void add_precision_option(CLI::App& command, CommonOptions& options) {
  command
      .add_option("--precision", options.precision,
                  "How exact sums of f32 products are: f32, or bf16x6 (nearly as exact), bf16x3 or "
                  "bf16 where the processor multiplies bf16 faster; the default is f32")
      ->check(CLI::IsMember({"f32", "bf16x6", "bf16x3", "bf16"}));
}

void add_checkpoint_options(CLI::App& command, CommonOptions& options) {
  CLI::Option* directory = command.add_option(
      "--checkpoint", options.checkpoint_directory,
      "Keep in this directory what a run that is killed can go on from, and go on from it");
  command
      .add_option("--checkpoint-every", options.checkpoint_seconds,
                  "Lose at most about so many seconds of work; the default is 60, or more where "
                  "keeping what there is would take over a twentieth of them")
      ->needs(directory)
      ->check(CLI::PositiveNumber);
}

void add_planned_options(CLI::App& command, PlannedOptions& options) {
  command
      .add_option("program", options.program, "A .ein file, the text of a stage, or an equation")
      ->required();
  command.add_option("inputs", options.inputs,
                     "NAME=f32[1000,64] or NAME=path for every input; an equation's operands need "
                     "no NAME=");
  command.add_option("--join", options.join, "Of an equation: what replaces the product");
  command.add_option("--agg", options.aggregate, "Of an equation: what replaces the sum");
  add_list(command, "-D,--define", options.parameters, "NAME=number for a parameter", false);
}

void add_execution_options(CLI::App& command, ExecutionOptions& options) {
  CLI::Option* analyze = command.add_flag("--analyze", options.analyze,
                                          "Print what each statement took beside its estimate");
  command.add_flag("--json", options.json, "With --analyze: print all figures as one JSON object")
      ->needs(analyze);
  command.add_option("--trace", options.trace,
                     "Write when each task ran, as Chrome trace JSON, to this file");
  add_count(command, "--repeat", options.repeat,
            "Run the plan so many times; --analyze times each");
  command.add_flag("--sync", options.sync,
                   "Wait until the results are on the disk, so that they survive a power failure");
}

void add_einsum(CLI::App& app, EinsumOptions& options) {
  CLI::App* command = app.add_subcommand(
      "einsum", "Compute an einsum of .npy files: tessera einsum 'ij,jk->ik' A.npy B.npy -o C.npy");
  command->add_option("equation", options.equation, "numpy's notation")->required();
  command->add_option("operands", options.operands,
                      "Files, each as path or dtype:path (bf16:A.npy)");
  command->add_option("--join", options.join,
                      "What replaces the product: a function, or an expression over x,y or x1..xn");
  command->add_option("--agg", options.aggregate,
                      "What replaces the sum: max, min, prod, argmax, ...");
  command->add_option("-o,--output", options.output,
                      "Where the result goes; without it, it is printed");
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
  command->add_option(
      "inputs", options.inputs,
      "NAME=path or NAME=dtype:path for every input; NAME=2.0 for one without modes");
  add_list(*command, "-o,--output", options.outputs,
           "NAME=path for a result; those without one are printed", false);
  add_list(*command, "-D,--define", options.parameters, "NAME=number for a parameter", false);
  add_execution_options(*command, options.execution);
  add_checkpoint_options(*command, options.common);
  add_common_options(*command, options.common);
  add_precision_option(*command, options.common);
  command->callback([&options] { run_program(options); });
}

void add_explain(CLI::App& app, ExplainOptions& options) {
  CLI::App* command =
      app.add_subcommand("explain",
                         "Print the plan of a program, stage by stage; needs no "
                         "data: tessera explain prog.ein X=f32[1000,64], or tessera "
                         "explain 'ij,jk->ik' f32[1000,64] f32[64,30]");
  add_planned_options(*command, options.planned);
  command->add_option("--stage", options.stage, "einsum, optimized, tra, ia, tasks or all")
      ->check(CLI::IsMember({"einsum", "optimized", "tra", "ia", "tasks", "all"}));
  command->add_option("--format", options.format, "text, json or dot")
      ->check(CLI::IsMember({"text", "json", "dot"}));
  command->add_flag("--json", options.json, "Print the plan's figures as one JSON object");
  command->add_option("--why", options.why,
                      "Say why this tensor is cut as it is, or what this rule did and why no more");
  command->add_flag("--candidates", options.candidates,
                    "List the plans that were tried, and what came of each");
  command->add_flag("--steps", options.steps, "Also print what every optimizer rule changed");
  add_checkpoint_options(*command, options.common);
  add_common_options(*command, options.common);
  add_precision_option(*command, options.common);
  command->callback([&options] { run_explain(options); });
}

void add_simulate(CLI::App& app, SimulateOptions& options) {
  CLI::App* command = app.add_subcommand("simulate",
                                         "Play the plan of a program on a cluster that need not "
                                         "exist; needs no data: tessera simulate "
                                         "prog.ein X=f32[1000,64] --cluster 10x8c,10Gbps,64GiB");
  add_planned_options(*command, options.planned);
  command->add_option("--cluster", options.cluster,
                      "Its sites, cores, links and memory, as 10x8c,10Gbps,64GiB, or a TOML file");
  command
      ->add_option("--placement", options.placement,
                   "Of a graph with costs (.json): heft, search or given; without it the first two")
      ->check(CLI::IsMember({"heft", "search", "given"}));
  command->add_flag(
      "--joins-first", options.joins_first,
      "Let a site send and merge partial results only when all its joins are done, as "
      "systems do that run one operator after the other");
  command->add_flag("--json", options.json, "Print the figures as one JSON object");
  command->add_option("--trace", options.trace,
                      "Write when each task ran, as Chrome trace JSON, to this file");
  add_common_options(*command, options.common);
  command->callback([&options] { run_simulate(options); });
}

void add_functions(CLI::App& app, FunctionsOptions& options) {
  CLI::App* command = app.add_subcommand(
      "functions", "List what a program may call, with numpy's names: tessera functions softmax");
  command->add_option("name", options.name, "Say all about this function, aggregate or macro");
  command->add_flag("--json", options.json, "Print the same as one JSON object");
  command->callback([&options] { run_functions(options); });
}

void add_calibrate(CLI::App& app, CalibrateOptions& options) {
  CLI::App* command = app.add_subcommand(
      "calibrate", "Measure how fast this machine is, once: plans on it go by that from then on");
  command->add_option("-o,--output", options.output,
                      "Where the rates go; the default is $TESSERA_RATES, or a file for this host "
                      "in ~/.cache/tessera");
  command->add_flag("--quiet", options.quiet, "Print the rates only");
  command->callback([&options] { run_calibrate(options); });
}

void add_bench(CLI::App& app, BenchOptions& options) {
  CLI::App* command = app.add_subcommand(
      "bench", "Time rows of work beside what this machine can do: tessera bench softmax");
  command->add_option("names", options.names, "Only rows whose name has one of these in it");
  add_list(*command, "--workers", options.workers,
           "Numbers of threads; the default is 1 and one for each core", true);
  add_count(*command, "--turns", options.turns,
            "Turns of ours and the others, 5 by default; medians count");
  command->add_option("--isa", options.isa, "Use no wider instructions: avx2 or scalar");
  command->add_option("--json", options.json, "Write all figures to this file too");
  command->callback([&options] { run_bench(options); });
}

void add_sql(CLI::App& app, SqlOptions& options) {
  CLI::App* command = app.add_subcommand(
      "sql", "Run SQL over tables with tensors: tessera sql DIR -c 'SELECT …', or -f script.sql");
  command->add_option("directory", options.directory, "The database, made if there is none")
      ->required();
  add_list(*command, "-c,--command", options.commands, "Statements to run", false);
  add_list(*command, "-f,--file", options.files, "A file of statements to run", false);
  CLI::Option* csv = command->add_flag("--csv", options.csv, "Write rows as CSV");
  command->add_flag("--json", options.json, "Write rows as JSON")->excludes(csv);
  command->add_flag("--timing", options.timing, "Say on standard error what each statement took");
  command->add_option("--seed", options.seed, "Draw random numbers with this seed, 0 by default");
  command->add_option(
      "--frames", options.frames,
      "How a program of many statements is cut in frames, which run one after the other: gqap (the "
      "default: where few tensors would have been computed together with what reads them), greedy, "
      "min-cut or none");
  command
      ->add_option("--frame-size", options.frame_size,
                   "The most statements of a frame; the default is 48")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--most-steps", options.most_steps,
                   "The most versions that a statement may need, and steps that a recursion over "
                   "tensors may take; the default is 100000")
      ->check(CLI::PositiveNumber);
  command->add_flag("--check", options.check,
                    "Look at all of the database for damage, and run nothing");
  command
      ->add_option("--checkpoint-every", options.common.checkpoint_seconds,
                   "Lose at most about so many seconds of what MATERIALIZE computes where it is "
                   "killed; the default is 60")
      ->check(CLI::PositiveNumber);
  add_common_options(*command, options.common);
  command->callback([&options] { run_sql(options); });
}

/// The arguments in the reversed order that the option library wants. An equation may start with an
/// arrow (`->`): the blank before it keeps it from being read as an option, and means nothing in an
/// equation.
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
      "Tessera plans and runs tensor programs: it decides how to cut, order and run them, and says "
      "why.");
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
