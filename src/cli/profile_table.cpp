#include "cli/profile_table.h"

#include <fmt/ranges.h>

#include "base/byte_size.h"
#include "base/table.h"
#include "cli/amounts.h"
#include "cli/standard_streams.h"
#include "engine/explain/rates.h"

namespace tessera::cli {

namespace {

Row row_of(const engine::StatementProfile& statement) {
  return {to_string(statement.origin),
          fmt::format("{}", statement.num_tasks),
          fmt::format("{}", statement.num_tiles),
          fmt::format("{}", statement.num_spills),
          count_text(statement.flops),
          byte_size_text(static_cast<int64_t>(statement.bytes)),
          seconds_text(statement.estimated_seconds),
          statement.actual_seconds ? seconds_text(*statement.actual_seconds) : "",
          fmt::format("{}", fmt::join(statement.kernels, ", "))};
}

Row row_of(const engine::FileProfile& file) {
  return {file.name,
          file.is_written ? "write" : "read",
          fmt::format("{}", file.num_tasks),
          byte_size_text(static_cast<int64_t>(file.bytes)),
          count_text(static_cast<double>(file.runs)),
          seconds_text(file.estimated_seconds),
          file.actual_seconds ? seconds_text(*file.actual_seconds) : ""};
}

Row row_of(size_t number, const engine::SiteProfile& site) {
  return {fmt::format("s{}", number),
          fmt::format("{}", site.num_tasks),
          byte_size_text(static_cast<int64_t>(site.bytes_in)),
          site.actual_bytes_in ? byte_size_text(static_cast<int64_t>(*site.actual_bytes_in)) : "",
          byte_size_text(static_cast<int64_t>(site.bytes_out)),
          site.actual_bytes_out ? byte_size_text(static_cast<int64_t>(*site.actual_bytes_out)) : "",
          byte_size_text(site.peak_bytes),
          seconds_text(site.estimated_seconds),
          site.actual_seconds ? seconds_text(*site.actual_seconds) : ""};
}

/// Describes the time that only files took, as far as a run measures it, and the waits.
std::string waiting_text(const engine::RunProfile& run) {
  return fmt::format(
      "read for {} and wrote for {}, during {} of which nothing was computed; committing the "
      "results took {}\n"
      "a worker waited for data during {} and for memory during {}, and tasks for a worker during "
      "{}\n",
      seconds_text(run.times.read_seconds), seconds_text(run.times.write_seconds),
      seconds_text(run.times.waiting_seconds), seconds_text(run.commit_seconds),
      seconds_text(run.waiting.input), seconds_text(run.waiting.memory),
      seconds_text(run.waiting.worker));
}

/// Describes the sites of a plan; for one site it is empty, because it adds nothing.
std::string sites_text(const std::vector<engine::SiteProfile>& sites) {
  std::vector<Row> rows = {{"site", "tasks", "bytes in", "received", "bytes out", "sent", "peak",
                            "estimated", "actual"}};
  for (size_t number = 0; number < sites.size(); ++number) {
    rows.push_back(row_of(number, sites[number]));
  }
  return sites.size() > 1 ? table_text(rows, Columns::amounts) : "";
}

}  // namespace

void print_profile(const engine::PlanProfile& profile, double planning_seconds,
                   const Machine& machine) {
  std::vector<Row> rows = {{"statement", "tasks", "tiles", "spills", "flops", "bytes", "estimated",
                            "actual", "kernels"}};
  for (const engine::StatementProfile& statement : profile.statements) {
    rows.push_back(row_of(statement));
  }
  rows.push_back(row_of(engine::total_of(profile.statements)));
  std::vector<Row> files = {{"file", "", "tasks", "bytes", "runs", "estimated", "actual"}};
  for (const engine::FileProfile& file : profile.files) {
    files.push_back(row_of(file));
  }
  std::string text = table_text(rows, Columns::amounts) + table_text(files, Columns::amounts) +
                     sites_text(profile.sites);
  text += profile.run ? waiting_text(*profile.run) : "";
  text += fmt::format("planned in {} by {}", seconds_text(planning_seconds),
                      engine::rates_text(machine));
  if (profile.num_frames > 1) {
    text += fmt::format(", tasks made in {} frames", profile.num_frames);
  }
  if (profile.run) {
    text += fmt::format(", ran in {}, peak {}", seconds_text(profile.run->seconds),
                        byte_size_text(profile.run->peak_bytes));
    if (profile.run->num_spills > 0) {
      text += fmt::format(", spilled {}", byte_size_text(profile.run->spilled_bytes));
    }
    if (profile.run->copied_bytes > 0) {
      text += fmt::format(", copied {} of inputs that lie in short runs",
                          byte_size_text(profile.run->copied_bytes));
    }
  }
  write_output(text + "\n");
}

}  // namespace tessera::cli
