// Tessera beside what the machine can do: rows of work, each beside a loop written by hand or a
// library's direct call, and numpy and torch where they are installed.
//
//   tessera_bench [--workers N,M] [--turns N] [--isa avx2] [--rates FILE] [--generate auto]
//                 [--json FILE] [--peers SCRIPT] [NAME...]

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "engine/calibration/calibrate.h"
#include "engine/calibration/rates_file.h"
#include "engine/explain/rates.h"
#include "engine/session.h"
#include "machine/machine.h"
#include "measurement.h"

namespace tessera::bench {

namespace {

struct Arguments {
  std::vector<int> workers;
  int turns = 5;
  std::string isa;
  std::string rates;
  std::string generate = "always";
  std::string json;
  std::string peers = PEERS_SCRIPT;
  std::vector<std::string> names;
};

std::vector<Row> rows_named(const std::vector<std::string>& names) {
  std::vector<Row> rows;
  for (const auto& group :
       {&matmul_rows, &contraction_rows, &distance_rows, &elementwise_rows, &expression_rows,
        &gather_rows, &movement_rows, &reduction_rows, &reproducible_rows}) {
    for (Row& row : group()) {
      const bool is_wanted =
          names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
            return row.name.find(name) != std::string::npos;
          });
      if (is_wanted) {
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

std::string milliseconds(double seconds) {
  return fmt::format("{:.{}f}", 1e3 * seconds, seconds < 0.01 ? 2 : 1);
}

std::string beside(const Measurement& measurement, const std::string& peer) {
  const auto found = measurement.peers.find(peer);
  return found == measurement.peers.end() ? " | "
                                          : fmt::format("{} | {:.2f}", milliseconds(found->second),
                                                        measurement.seconds / found->second);
}

void print_row(const Row& row, const Measurement& measurement) {
  fmt::print("| {} | {} | {:.1f} {} | {} {} | {:.2f} | {:.2f} | {} | {} | {} | {:.2f} |{}\n",
             row.name, milliseconds(measurement.seconds),
             row.work.amount / measurement.seconds / 1e9, row.work.is_bytes ? "GB/s" : "GFLOP/s",
             measurement.limit, milliseconds(measurement.limit_seconds), measurement.ratio, row.bar,
             beside(measurement, "numpy"), beside(measurement, "torch"),
             milliseconds(measurement.predicted), measurement.predicted / measurement.seconds,
             measurement.difference <= row.tolerance
                 ? ""
                 : fmt::format(" differs by {:.2g}", measurement.difference));
  std::fflush(stdout);
}

nlohmann::json json_of(const Row& row, const Measurement& measurement, int workers) {
  return {{"name", row.name},
          {"workers", workers},
          {"seconds", measurement.seconds},
          {"work", row.work.amount},
          {"unit", row.work.is_bytes ? "bytes" : "flops"},
          {"limit", measurement.limit},
          {"limit_seconds", measurement.limit_seconds},
          {"ratio", measurement.ratio},
          {"bar", row.bar},
          {"predicted_seconds", measurement.predicted},
          {"peers", measurement.peers},
          {"difference", measurement.difference}};
}

/// Prints the table of one number of workers. Returns whether all results are right.
bool run_table(const std::vector<Row>& rows, const Options& options, const std::string& script,
               nlohmann::json& all) {
  const Peaks peaks = measured_peaks(options.workers);
  fmt::print(
      "\n{} worker{}, {}: f32 {:.0f} GFLOP/s, f64 {:.0f} GFLOP/s, reading {:.1f} GB/s; predicted "
      "by "
      "{}\n\n",
      options.workers, options.workers == 1 ? "" : "s", name_of(options.isa.value_or(widest_isa())),
      peaks.f32_per_second / 1e9, peaks.f64_per_second / 1e9, peaks.bytes_per_second / 1e9,
      engine::rates_text(options.machine));
  fmt::print(
      "| work | ms | rate | limit, ms | ratio | bar | numpy, ms | ratio | torch, ms | ratio | "
      "predicted, ms | / actual |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  Peers peers(script, options.workers);
  bool all_right = true;
  for (const Row& row : rows) {
    const Measurement measurement = measured(row, options, peaks, peers);
    print_row(row, measurement);
    all.push_back(json_of(row, measurement, options.workers));
    all_right = all_right && measurement.difference <= row.tolerance;
  }
  return all_right;
}

/// This machine, with the rates of a file where one is given; else they are measured now.
Machine machine_with(const std::string& rates) {
  Machine machine = this_machine();
  if (rates.empty()) {
    const engine::Session session({}, machine);
    return engine::calibrated(session.context(), [](const engine::MeasuredSample&) {});
  }
  const OrRefusal<Done> read = engine::read_rates(rates, machine);
  TESSERA_USER_CHECK(static_cast<bool>(read), "{} has no rates for this machine: {}", rates,
                     read.reason());
  return machine;
}

int run(Arguments arguments) {
  if (arguments.workers.empty()) {
    const auto cores = static_cast<int>(this_machine().threads);
    arguments.workers = cores == 1 ? std::vector<int>{1} : std::vector<int>{1, cores};
  }
  const std::vector<Row> rows = rows_named(arguments.names);
  TESSERA_USER_CHECK(!rows.empty(), "no row of the bench has such a name");
  std::optional<Isa> isa;
  if (!arguments.isa.empty()) {
    isa = isa_named(arguments.isa);
    TESSERA_USER_CHECK(isa.has_value(),
                       "'{}' is no instruction set; there are scalar, avx2, avx512", arguments.isa);
  }
  const auto generating = kernels::generated::generating_named(arguments.generate);
  TESSERA_USER_CHECK(generating.has_value(),
                     "'{}' is no way to make code; there are off, auto, always",
                     arguments.generate);
  const Machine machine = machine_with(arguments.rates);
  nlohmann::json all = nlohmann::json::array();
  bool all_right = true;
  for (const int workers : arguments.workers) {
    const Options options{workers, arguments.turns, isa, machine, *generating};
    all_right = run_table(rows, options, arguments.peers, all) && all_right;
  }
  if (!arguments.json.empty()) {
    std::ofstream(arguments.json) << all.dump(1) << "\n";
  }
  return all_right ? 0 : 1;
}

}  // namespace

}  // namespace tessera::bench

int main(int count, char** words) {
  tessera::bench::Arguments arguments;
  CLI::App app("Times Tessera beside what the machine can do");
  app.add_option("--workers", arguments.workers,
                 "Numbers of workers; the default is 1 and all cores")
      ->delimiter(',');
  app.add_option("--turns", arguments.turns, "Turns of ours and the others; medians count");
  app.add_option("--isa", arguments.isa, "Have ours use no wider instructions: avx2");
  app.add_option(
      "--rates", arguments.rates,
      "Plan and predict by the rates of this file, which `tessera calibrate` wrote; else they are "
      "measured first");
  app.add_option("--generate", arguments.generate,
                 "When ours makes machine code of expressions: off, auto or always, as after many "
                 "runs, which is the default");
  app.add_option("--json", arguments.json, "Write all figures to this file too");
  app.add_option("--peers", arguments.peers, "The script that times numpy and torch; none: ''");
  app.add_option("names", arguments.names, "Only rows whose name has one of these in it");
  CLI11_PARSE(app, count, words);
  try {
    return tessera::bench::run(std::move(arguments));
  } catch (const tessera::Error& error) {
    fmt::print(stderr, "tessera bench: {}\n", error.full_text());
    return 1;
  }
}
