#include "cli/profile_table.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "base/byte_size.h"
#include "cli/standard_streams.h"
#include "engine/explain/profile.h"

namespace tessera::cli {

namespace {

using Row = std::vector<std::string>;

std::string seconds_text(double seconds) {
  return seconds >= 1      ? fmt::format("{:.2f} s", seconds)
         : seconds >= 1e-3 ? fmt::format("{:.2f} ms", 1e3 * seconds)
                           : fmt::format("{:.1f} us", 1e6 * seconds);
}

std::string count_text(double count) {
  for (const auto& [unit, name] : {std::pair{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}) {
    if (count >= unit) {
      return fmt::format("{:.3g} {}", count / unit, name);
    }
  }
  return fmt::format("{:.3g}", count);
}

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
          byte_size_text(static_cast<int64_t>(site.bytes_out)),
          byte_size_text(site.peak_bytes),
          seconds_text(site.estimated_seconds),
          site.actual_seconds ? seconds_text(*site.actual_seconds) : ""};
}

/// What only files took, as far as a run tells.
std::string waiting_text(const engine::RunTimes& times, double commit_seconds) {
  return fmt::format(
      "read for {} and wrote for {}, during {} of which nothing was computed; committing the "
      "results took {}\n",
      seconds_text(times.read_seconds), seconds_text(times.write_seconds),
      seconds_text(times.waiting_seconds), seconds_text(commit_seconds));
}

/// Columns aligned: the first and the last to the left, numbers to the right.
std::string text_of(const std::vector<Row>& rows) {
  std::vector<size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  std::string text;
  for (const Row& row : rows) {
    text += fmt::format("{:<{}}", row.front(), widths.front());
    for (size_t column = 1; column + 1 < row.size(); ++column) {
      text += fmt::format("  {:>{}}", row[column], widths[column]);
    }
    text += fmt::format("  {}\n", row.back());
  }
  return text;
}

/// Of a plan for several sites; of one it would say nothing new.
std::string sites_text(const std::vector<engine::SiteProfile>& sites) {
  std::vector<Row> rows = {
      {"site", "tasks", "bytes in", "bytes out", "peak", "estimated", "actual"}};
  for (size_t number = 0; number < sites.size(); ++number) {
    rows.push_back(row_of(number, sites[number]));
  }
  return sites.size() > 1 ? text_of(rows) : "";
}

}  // namespace

void print_profile(const engine::Stages& stages, const runtime::RunReport* report) {
  const plan::TaskGraph& tasks = stages.plan().tasks;
  const std::vector<engine::StatementProfile> statements = engine::profile_of(tasks, report);
  std::vector<Row> rows = {{"statement", "tasks", "tiles", "spills", "flops", "bytes", "estimated",
                            "actual", "kernels"}};
  for (const engine::StatementProfile& statement : statements) {
    rows.push_back(row_of(statement));
  }
  rows.push_back(row_of(engine::total_of(statements)));
  std::vector<Row> files = {{"file", "", "tasks", "bytes", "runs", "estimated", "actual"}};
  for (const engine::FileProfile& file : engine::files_of(tasks, report)) {
    files.push_back(row_of(file));
  }
  std::string text = text_of(rows) + text_of(files) + sites_text(engine::sites_of(tasks, report));
  if (report != nullptr) {
    text += waiting_text(engine::times_of(tasks, *report), report->commit_seconds);
  }
  text += "planned in " + seconds_text(stages.planning_seconds);
  if (report != nullptr) {
    text += fmt::format(", ran in {}, peak {}", seconds_text(report->seconds),
                        byte_size_text(report->peak_bytes));
    if (report->num_spills > 0) {
      text += fmt::format(", spilled {}", byte_size_text(report->spilled_bytes));
    }
  }
  write_output(text + "\n");
}

}  // namespace tessera::cli
