#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/table.h"
#include "cli/amounts.h"
#include "cli/options.h"
#include "cli/rates.h"
#include "cli/standard_streams.h"
#include "engine/calibration/calibrate.h"
#include "engine/calibration/rates_file.h"
#include "engine/calibration/samples.h"
#include "engine/session.h"
#include "machine/rate_names.h"

namespace tessera::cli {

namespace {

/// Returns a table of each measured rate beside the built-in one.
std::string table_of(const Machine& measured, const Machine& built_in) {
  std::vector<Row> rows = {{"rate", "built in", "measured"}};
  const auto add = [&](std::string_view name, double before, double after) {
    rows.push_back(
        {std::string(name), fmt::format("{:.3g}", before), fmt::format("{:.3g}", after)});
  };
  add("shared_bytes_per_second", built_in.shared_bytes_per_second,
      measured.shared_bytes_per_second);
  for (const engine::Sample& sample : engine::samples_of(measured)) {
    const auto rate = kernel_rates().at(std::string(sample.rate));
    add(sample.rate, built_in.rates.*rate, measured.rates.*rate);
  }
  return table_text(rows, Columns::words);
}

}  // namespace

void run_calibrate(const CalibrateOptions& options) {
  TESSERA_USER_CHECK(!options.is_one_of_several,
                     "calibrate measures the machine it runs on: start it alone, on every host");
  const std::string path = options.output.empty() ? rates_path() : options.output;
  TESSERA_USER_CHECK(!path.empty(),
                     "there is no place for the rates, TESSERA_RATES is empty or there is no HOME: "
                     "say where with -o FILE");
  const engine::Session session({}, this_machine());
  const Machine machine =
      engine::calibrated(session.context(), [&](const engine::MeasuredSample& sample) {
        if (!options.quiet) {
          write_message(fmt::format("{}: a call took {}, {} by the built-in rate", sample.rate,
                                    seconds_text(sample.seconds), seconds_text(sample.predicted)));
        }
      });
  write_output(table_of(machine, session.machine()));
  engine::write_rates(path, machine);
  if (!options.quiet) {
    write_message(path == rates_path()
                      ? fmt::format("wrote {}: plans on this host go by it", path)
                      : fmt::format("wrote {}: TESSERA_RATES={} has plans go by it", path, path));
  }
}

}  // namespace tessera::cli
