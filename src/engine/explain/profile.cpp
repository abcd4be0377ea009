#include "engine/explain/profile.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tessera::engine {

namespace {

void note_kernel(StatementProfile& profile, const std::string& kernel) {
  if (std::find(profile.kernels.begin(), profile.kernels.end(), kernel) == profile.kernels.end()) {
    profile.kernels.push_back(kernel);
  }
}

/// Adds a measured part; nothing if neither was measured.
void add_measured(std::optional<double>& sum, const std::optional<double>& part) {
  if (part) {
    sum = sum.value_or(0) + *part;
  }
}

/// Counts the tiles that a task is the first to write, and their spills.
void count_made(const plan::TaskInfo& task, const runtime::RunReport* report,
                std::vector<bool>& is_made, StatementProfile& part) {
  for (const plan::Argument& output : task.outputs) {
    const size_t tile = output.tile.index();
    if (!is_made[tile]) {
      is_made[tile] = true;
      ++part.num_tiles;
      part.num_spills += report != nullptr && !report->spills.empty() ? report->spills[tile] : 0;
    }
  }
}

struct Interval {
  double begin;
  double end;
};

/// Returns the length of the union of intervals.
double covered(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  double total = 0;
  double reached = 0;
  for (const Interval& interval : intervals) {
    total += std::max(0.0, interval.end - std::max(interval.begin, reached));
    reached = std::max(reached, interval.end);
  }
  return total;
}

bool reads_files(plan::TaskKind kind) {
  return kind == plan::TaskKind::read_source || kind == plan::TaskKind::gather_source;
}

bool moves_files(plan::TaskKind kind) {
  return reads_files(kind) || kind == plan::TaskKind::write_sink;
}

/// True if a task takes a worker: computing and gathering do.
bool takes_worker(plan::TaskKind kind) {
  return !moves_files(kind) || kind == plan::TaskKind::gather_source;
}

}  // namespace

StatementProfile& StatementProfile::operator+=(const StatementProfile& other) {
  num_tasks += other.num_tasks;
  num_tiles += other.num_tiles;
  num_spills += other.num_spills;
  flops += other.flops;
  bytes += other.bytes;
  estimated_seconds += other.estimated_seconds;
  add_measured(actual_seconds, other.actual_seconds);
  for (const std::string& kernel : other.kernels) {
    note_kernel(*this, kernel);
  }
  return *this;
}

FileProfile& FileProfile::operator+=(const FileProfile& other) {
  num_tasks += other.num_tasks;
  bytes += other.bytes;
  runs += other.runs;
  estimated_seconds += other.estimated_seconds;
  add_measured(actual_seconds, other.actual_seconds);
  return *this;
}

SiteProfile& SiteProfile::operator+=(const SiteProfile& other) {
  num_tasks += other.num_tasks;
  bytes_in += other.bytes_in;
  bytes_out += other.bytes_out;
  add_measured(actual_bytes_in, other.actual_bytes_in);
  add_measured(actual_bytes_out, other.actual_bytes_out);
  peak_bytes = std::max(peak_bytes, other.peak_bytes);
  estimated_seconds += other.estimated_seconds;
  add_measured(actual_seconds, other.actual_seconds);
  return *this;
}

RunTimes& RunTimes::operator+=(const RunTimes& other) {
  execution_seconds += other.execution_seconds;
  waiting_seconds += other.waiting_seconds;
  read_seconds += other.read_seconds;
  write_seconds += other.write_seconds;
  return *this;
}

std::string work_of(const plan::TaskInfo& task) {
  switch (task.kind) {
    case plan::TaskKind::read_source:
      return "read";
    case plan::TaskKind::gather_source:
      return "gather";
    case plan::TaskKind::compute:
      return task.kernel;
    case plan::TaskKind::copy_box:
      return "copy";
    case plan::TaskKind::move:
      return "move";
    case plan::TaskKind::write_sink:
      return "write";
    case plan::TaskKind::send:
      return "send";
    case plan::TaskKind::receive:
      return "receive";
  }
  return "";
}

std::vector<SiteProfile> sites_of(const plan::TaskGraph& graph, const runtime::RunReport* report) {
  std::vector<SiteProfile> sites(graph.sites.size());
  std::vector<size_t> site_of_space(graph.spaces.size(), 0);
  for (size_t site = 0; site < sites.size(); ++site) {
    const plan::SpaceId space = graph.sites[site].space;
    sites[site].peak_bytes = graph.proof(space).peak.at_most;
    site_of_space[space.index()] = site;
    if (report != nullptr) {
      sites[site].actual_seconds = sites[site].actual_bytes_in = sites[site].actual_bytes_out = 0;
    }
  }
  for (size_t number = 0; number < graph.tasks.size(); ++number) {
    const plan::TaskInfo& task = graph.tasks[number];
    SiteProfile& site = sites[task.site.index()];
    ++site.num_tasks;
    site.estimated_seconds += task.seconds;
    if (report != nullptr) {
      *site.actual_seconds += report->tasks[number].seconds;
    }
    if (task.kind == plan::TaskKind::move) {
      const plan::SpaceId from = graph.at(task.inputs.front().tile).space;
      SiteProfile& giver = sites[site_of_space[from.index()]];
      site.bytes_in += task.bytes;
      giver.bytes_out += task.bytes;
      if (report != nullptr) {
        const auto moved = static_cast<double>(report->tasks[number].moved_bytes);
        *site.actual_bytes_in += moved;
        *giver.actual_bytes_out += moved;
      }
    }
  }
  return sites;
}

RunTimes times_of(const plan::TaskGraph& graph, const runtime::RunReport& report) {
  RunTimes times;
  std::vector<Interval> computing;
  std::vector<Interval> all;
  for (size_t task = 0; task < report.tasks.size(); ++task) {
    const runtime::TaskTiming& timing = report.tasks[task];
    const Interval interval = {timing.start, timing.start + timing.seconds};
    const plan::TaskKind kind = graph.tasks[task].kind;
    all.push_back(interval);
    if (takes_worker(kind)) {
      computing.push_back(interval);
    }
    times.read_seconds += reads_files(kind) ? timing.seconds : 0;
    times.write_seconds += kind == plan::TaskKind::write_sink ? timing.seconds : 0;
  }
  // Time of files alone is covered by all intervals but not by the computing ones.
  times.waiting_seconds = covered(all) - covered(computing);
  times.execution_seconds = report.seconds - times.waiting_seconds;
  return times;
}

std::vector<StatementProfile> profile_of(const plan::TaskGraph& graph,
                                         const runtime::RunReport* report) {
  std::vector<StatementProfile> profiles;
  std::map<std::string, size_t> number_of;
  std::vector<bool> is_made(graph.tiles.size(), false);
  for (size_t task = 0; task < graph.tasks.size(); ++task) {
    const plan::TaskInfo& info = graph.tasks[task];
    const auto [number, fresh] = number_of.emplace(to_string(info.origin), profiles.size());
    if (fresh) {
      profiles.emplace_back().origin = info.origin;
    }
    StatementProfile part;
    part.num_tasks = 1;
    count_made(info, report, is_made, part);
    part.flops = info.flops;
    part.bytes = info.bytes;
    part.estimated_seconds = info.seconds;
    if (report != nullptr) {
      part.actual_seconds = report->tasks[task].seconds;
    }
    part.kernels = {work_of(info)};
    profiles[number->second] += part;
  }
  return profiles;
}

std::vector<FileProfile> files_of(const plan::TaskGraph& graph, const runtime::RunReport* report) {
  std::vector<FileProfile> files;
  std::map<std::pair<std::string, bool>, size_t> number_of;
  for (size_t task = 0; task < graph.tasks.size(); ++task) {
    const plan::TaskInfo& info = graph.tasks[task];
    if (!moves_files(info.kind)) {
      continue;
    }
    const bool is_written = info.kind == plan::TaskKind::write_sink;
    const auto [number, fresh] = number_of.emplace(std::pair(*info.name, is_written), files.size());
    if (fresh) {
      files.emplace_back().name = info.name;
      files.back().is_written = is_written;
    }
    FileProfile& file = files[number->second];
    ++file.num_tasks;
    file.bytes += info.bytes;
    file.runs += info.runs;
    file.estimated_seconds += info.seconds;
    if (report != nullptr) {
      file.actual_seconds = file.actual_seconds.value_or(0) + report->tasks[task].seconds;
    }
  }
  return files;
}

StatementProfile total_of(const std::vector<StatementProfile>& statements) {
  StatementProfile total;
  total.origin.statement = "total";
  for (const StatementProfile& statement : statements) {
    total += statement;
  }
  return total;
}

}  // namespace tessera::engine
