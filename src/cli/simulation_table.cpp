#include "cli/simulation_table.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/byte_size.h"
#include "base/table.h"
#include "cli/amounts.h"
#include "simulate/report.h"

namespace tessera::cli {

namespace {

using simulate::ActivityKind;

constexpr size_t kMostRows = 16;

std::string bytes_text(double bytes) {
  return byte_size_text(static_cast<int64_t>(bytes));
}

double seconds_of(const simulate::SiteFigures& site, ActivityKind kind) {
  return site.busy_seconds[static_cast<size_t>(kind)];
}

/// The figures of a site by column; as numbers, so that a middle can be found.
struct Column {
  const char* title;
  double (*figure)(const simulate::SiteFigures& site);
  std::string (*text)(double figure);
};

const std::vector<Column>& columns() {
  using Site = simulate::SiteFigures;
  static const std::vector<Column> all = {
      {"tasks", [](const Site& site) { return static_cast<double>(site.num_activities); },
       [](double count) { return fmt::format("{:.0f}", count); }},
      {"compute", [](const Site& site) { return seconds_of(site, ActivityKind::compute); },
       &seconds_text},
      {"read", [](const Site& site) { return seconds_of(site, ActivityKind::read); },
       &seconds_text},
      {"write", [](const Site& site) { return seconds_of(site, ActivityKind::write); },
       &seconds_text},
      {"move", [](const Site& site) { return seconds_of(site, ActivityKind::move); },
       &seconds_text},
      {"bytes in", [](const Site& site) { return site.bytes_in; }, &bytes_text},
      {"bytes out", [](const Site& site) { return site.bytes_out; }, &bytes_text},
      {"peak", [](const Site& site) { return static_cast<double>(site.peak_bytes); }, &bytes_text},
  };
  return all;
}

double busy_share(const simulate::Simulation& simulation, const simulate::Cluster& cluster,
                  size_t site) {
  const double seconds = simulation.sites[site].core_seconds;
  return simulation.makespan > 0 ? seconds / (cluster.sites[site].cores * simulation.makespan) : 0;
}

std::string share_text(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

Row title_row() {
  Row row = {"site"};
  for (const Column& column : columns()) {
    row.push_back(column.title);
  }
  row.push_back("cores busy");
  return row;
}

std::vector<Row> rows_of_all(const simulate::Simulation& simulation,
                             const simulate::Cluster& cluster) {
  std::vector<Row> rows = {title_row()};
  for (size_t site = 0; site < simulation.sites.size(); ++site) {
    Row row = {fmt::format("s{}", site)};
    for (const Column& column : columns()) {
      row.push_back(column.text(column.figure(simulation.sites[site])));
    }
    row.push_back(share_text(busy_share(simulation, cluster, site)));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Row> rows_of_many(const simulate::Simulation& simulation,
                              const simulate::Cluster& cluster) {
  std::vector<Row> rows = {title_row(), {"least"}, {"middle"}, {"most"}};
  const size_t num_sites = simulation.sites.size();
  const auto add = [&](std::vector<double> figures, std::string (*text)(double)) {
    std::sort(figures.begin(), figures.end());
    rows[1].push_back(text(figures.front()));
    rows[2].push_back(text(figures[num_sites / 2]));
    rows[3].push_back(text(figures.back()));
  };
  for (const Column& column : columns()) {
    std::vector<double> figures;
    for (const simulate::SiteFigures& site : simulation.sites) {
      figures.push_back(column.figure(site));
    }
    add(std::move(figures), column.text);
  }
  std::vector<double> shares;
  for (size_t site = 0; site < num_sites; ++site) {
    shares.push_back(busy_share(simulation, cluster, site));
  }
  add(std::move(shares), &share_text);
  return rows;
}

std::string bounds_text(const simulate::Simulation& simulation) {
  const simulate::Bounds& bounds = simulation.bounds;
  return fmt::format(
      "no order of these tasks takes less than {}: critical path {}, all work over all cores {}, "
      "busiest cores {}, link {}, disk {}\n",
      seconds_text(bounds.largest()), seconds_text(bounds.critical_path), seconds_text(bounds.work),
      seconds_text(bounds.busiest_cores), seconds_text(bounds.busiest_link),
      seconds_text(bounds.busiest_disk));
}

std::string path_text(const simulate::Simulation& simulation) {
  const simulate::CriticalPath& path = simulation.critical_path;
  std::string parts;
  constexpr double kLeastShown = 0.5e-7;  // less is a rounding error
  const auto add = [&](std::string_view name, double seconds) {
    if (seconds >= kLeastShown) {
      parts += fmt::format("{}{} {} ({})", parts.empty() ? "" : ", ", name, seconds_text(seconds),
                           share_text(seconds / simulation.makespan));
    }
  };
  for (size_t kind = 0; kind < simulate::kNumActivityKinds; ++kind) {
    add(simulate::name_of(static_cast<ActivityKind>(kind)), path.seconds[kind]);
  }
  add("slowed by moves or paging", path.slowed_seconds);
  add("waiting for a core", path.waiting_for_core_seconds);
  add("for a link", path.waiting_for_link_seconds);
  return fmt::format("what ended last waited for {} others: {}\n",
                     path.activities.empty() ? 0 : path.activities.size() - 1, parts);
}

/// Describes the paging, if there was any.
std::string memory_text(const simulate::Simulation& simulation) {
  size_t num_sites = 0;
  double bytes = 0;
  for (const simulate::SiteFigures& site : simulation.sites) {
    num_sites += site.paged_bytes > 0 ? 1 : 0;
    bytes += static_cast<double>(site.paged_bytes);
  }
  return num_sites == 0
             ? ""
             : fmt::format(
                   "{} {} more than their memory: {} are written to disks and "
                   "read again\n",
                   num_sites, num_sites == 1 ? "site holds" : "sites hold", bytes_text(bytes));
}

}  // namespace

std::string simulation_text(const simulate::Simulation& simulation,
                            const simulate::Cluster& cluster) {
  std::string text =
      fmt::format("{} on {}\n", seconds_text(simulation.makespan), simulate::to_string(cluster));
  text += bounds_text(simulation) + path_text(simulation);
  text += fmt::format("{} moves of {} in all\n", simulation.num_moves,
                      bytes_text(simulation.moved_bytes));
  text += memory_text(simulation);
  text += table_text(simulation.sites.size() <= kMostRows ? rows_of_all(simulation, cluster)
                                                          : rows_of_many(simulation, cluster),
                     Columns::amounts);
  return text;
}

}  // namespace tessera::cli
