#include "engine/explain/plan_profile.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/planning/frame_plans.h"
#include "plan/memory.h"

namespace tessera::engine {

namespace {

/// Adds every part to the one with the same key, or at the end.
template <class Part, class KeyOf>
void add_parts(std::vector<Part>& sums, std::vector<Part> parts, KeyOf key_of) {
  std::map<decltype(key_of(parts.front())), size_t> number_of;
  for (const Part& sum : sums) {
    number_of.emplace(key_of(sum), number_of.size());
  }
  for (Part& part : parts) {
    const auto known = number_of.find(key_of(part));
    if (known == number_of.end()) {
      sums.push_back(std::move(part));
    } else {
      sums[known->second] += part;
    }
  }
}

/// Sums the bytes moved between a file, tiles and other tiles.
double transferred_by(const plan::TaskGraph& graph) {
  double bytes = 0;
  for (const plan::TaskInfo& task : graph.tasks) {
    bytes += task.kind == plan::TaskKind::compute ? 0 : task.bytes;
  }
  return bytes;
}

}  // namespace

PlanProfile::PlanProfile(const Stages& stages, const Setup& setup) {
  for_each_frame(stages, setup, [&](const FramePlan& part) { add(part.plan.tasks, {}); });
}

void PlanProfile::add(const plan::TaskGraph& graph, const std::vector<runtime::RunReport>& runs) {
  const runtime::RunReport* last = runs.empty() ? nullptr : &runs.back();
  ++num_frames;
  num_tasks += static_cast<int64_t>(graph.tasks.size());
  num_tiles += static_cast<int64_t>(graph.tiles.size());
  peak_bytes = std::max(peak_bytes, plan::largest_proof(graph).peak.at_most);
  transferred_bytes += transferred_by(graph);
  add_parts(statements, profile_of(graph, last),
            [](const StatementProfile& statement) { return to_string(statement.origin); });
  add_parts(files, files_of(graph, last),
            [](const FileProfile& file) { return std::pair(file.name, file.is_written); });
  const std::vector<SiteProfile> more = sites_of(graph, last);
  sites.resize(more.size());
  for (size_t site = 0; site < more.size(); ++site) {
    sites[site] += more[site];
  }
  if (last != nullptr) {
    add_run(graph, runs);
  }
}

void PlanProfile::add_run(const plan::TaskGraph& graph,
                          const std::vector<runtime::RunReport>& runs) {
  if (!run) {
    run.emplace().execution_seconds.resize(runs.size());
  }
  for (size_t number = 0; number < runs.size(); ++number) {
    run->execution_seconds[number] += times_of(graph, runs[number]).execution_seconds;
  }
  const runtime::RunReport& last = runs.back();
  run->times += times_of(graph, last);
  run->waiting += last.waiting;
  run->seconds += last.seconds;
  run->peak_bytes = std::max(run->peak_bytes, last.peak_bytes);
  run->spilled_bytes += last.spilled_bytes;
  run->num_spills += last.num_spills;
  run->copied_bytes += last.copied_bytes;
}

void PlanProfile::add_commit(double seconds) {
  if (run) {
    run->commit_seconds += seconds;
  }
}

}  // namespace tessera::engine
