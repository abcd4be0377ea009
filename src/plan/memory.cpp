#include "plan/memory.h"

#include <algorithm>

#include "base/byte_size.h"
#include "base/error.h"
#include "plan/dependencies.h"
#include "plan/plan_size.h"

namespace tessera::plan {

namespace {

/// Names the place of a space in the terms of reports: the site whose memory it is.
std::string place_text(const TaskGraph& graph, SpaceId space) {
  const auto site = std::find_if(graph.sites.begin(), graph.sites.end(),
                                 [&](const SiteInfo& each) { return each.space == space; });
  return site == graph.sites.end() ? fmt::format(" in its space m{}", space.value)
                                   : fmt::format(" on its site s{}", site - graph.sites.begin());
}

int64_t sum_of(int64_t a, int64_t b) {
  return std::min(a + b, kMostBytes);
}

Bytes sum_of(const Bytes& a, const Bytes& b) {
  return {sum_of(a.expected, b.expected), sum_of(a.at_most, b.at_most)};
}

Bytes exactly(int64_t bytes) {
  return {bytes, bytes};
}

void note_largest(MemoryNeed& largest, int64_t bytes, TaskId task) {
  if (bytes > largest.bytes) {
    largest = {bytes, task};
  }
}

void note_peak(MemoryPeak& peak, const Bytes& bytes, TaskId task) {
  peak.bytes.expected = std::max(peak.bytes.expected, bytes.expected);
  if (bytes.at_most > peak.bytes.at_most) {
    peak.bytes.at_most = bytes.at_most;
    peak.task = task;
  }
}

/// Returns, by space, the task whose tiles and workspace there are the most.
std::vector<MemoryNeed> smallest_budgets(const TaskGraph& graph) {
  const Incidence<TaskId, TileId> tiles = tiles_of(graph);
  std::vector<MemoryNeed> largest(graph.spaces.size());
  for (size_t number = 0; number < graph.tasks.size(); ++number) {
    const TaskId id(static_cast<int64_t>(number));
    const TaskInfo& task = graph.tasks[number];
    SpaceBytes bytes(graph.space_of(task), charged_workspace(task));
    for (const TileId tile : tiles.of(id)) {
      const TileInfo& info = graph.tiles[tile.index()];
      bytes.add(info.space, charged_bytes(info).at_most);
    }
    for (const auto& [space, needed] : bytes.entries()) {
      note_largest(largest[space.index()], needed, id);
    }
  }
  return largest;
}

/// Returns, by space, the most bytes in use in the plan's order.
std::vector<MemoryPeak> serial_peaks(const TaskGraph& graph) {
  std::vector<TaskId> order;
  for (size_t number = 0; number < graph.tasks.size(); ++number) {
    order.emplace_back(static_cast<int64_t>(number));
  }
  return plan::serial_peaks(graph, tiles_of(graph), order);
}

/// Formats bytes: "1.06 KiB (1088 bytes)".
std::string exact_text(int64_t bytes) {
  const std::string text = byte_size_text(bytes);
  return bytes < 1024 ? text : fmt::format("{} ({} bytes)", text, bytes);
}

/// True if a process holds the plan beside the tiles of this space.
bool is_first_of_process(const TaskGraph& graph, SpaceId space) {
  return std::none_of(graph.spaces.begin(), graph.spaces.begin() + space.value,
                      [&](const SpaceInfo& before) {
                        return before.process == graph.spaces[space.index()].process;
                      });
}

/// Formats other held bytes: " and 1.06 KiB for what holds them"; empty if there are none.
std::string and_for(const Held& held) {
  return held.bytes == 0 ? "" : fmt::format(" and {} for {}", byte_size_text(held.bytes), held.by);
}

}  // namespace

Bytes charged_bytes(const TileInfo& tile) {
  const Bytes bytes = bytes_of(tile.type);
  return {charged_bytes(bytes.expected), charged_bytes(bytes.at_most)};
}

int64_t charged_workspace(const TaskInfo& task) {
  return task.workspace_bytes == 0 ? 0 : charged_bytes(task.workspace_bytes);
}

void SpaceBytes::add(SpaceId space, int64_t bytes) {
  if (bytes == 0) {
    return;
  }
  for (Entry& entry : std::span(entries_).first(size_)) {
    if (entry.space == space) {
      entry.bytes = sum_of(entry.bytes, bytes);
      return;
    }
  }
  TESSERA_CHECK(size_ < entries_.size(), "a task touches a third space, {}", space.value);
  entries_[size_++] = {space, bytes};
}

int64_t SpaceBytes::of(SpaceId space) const {
  for (const Entry& entry : entries()) {
    if (entry.space == space) {
      return entry.bytes;
    }
  }
  return 0;
}

MemoryNeed smallest_budget(const TaskGraph& graph, SpaceId space) {
  return smallest_budgets(graph)[space.index()];
}

MemoryNeed largest_need(const TaskGraph& graph) {
  const std::vector<MemoryNeed> needs = smallest_budgets(graph);
  return *std::max_element(
      needs.begin(), needs.end(),
      [](const MemoryNeed& a, const MemoryNeed& b) { return a.bytes < b.bytes; });
}

MemoryPeak serial_peak(const TaskGraph& graph, SpaceId space) {
  return serial_peaks(graph)[space.index()];
}

std::vector<MemoryPeak> serial_peaks(const TaskGraph& graph, const Incidence<TaskId, TileId>& tiles,
                                     std::span<const TaskId> order) {
  std::vector<TaskId> last_use(graph.tiles.size());
  for (const TaskId task : order) {
    for (const TileId tile : tiles.of(task)) {
      last_use[tile.index()] = task;
    }
  }
  std::vector<bool> is_live(graph.tiles.size(), false);
  std::vector<Bytes> now(graph.spaces.size());
  std::vector<MemoryPeak> peaks(graph.spaces.size());
  for (const TaskId task : order) {
    for (const TileId tile : tiles.of(task)) {
      if (!is_live[tile.index()]) {
        const TileInfo& info = graph.tiles[tile.index()];
        is_live[tile.index()] = true;
        Bytes& bytes = now[info.space.index()];
        bytes = sum_of(bytes, charged_bytes(info));
        note_peak(peaks[info.space.index()], bytes, task);
      }
    }
    const TaskInfo& info = graph.tasks[task.index()];
    const size_t own = graph.space_of(info).index();
    note_peak(peaks[own], sum_of(now[own], exactly(charged_workspace(info))), task);
    for (const TileId tile : tiles.of(task)) {
      if (last_use[tile.index()] == task) {
        is_live[tile.index()] = false;
        const Bytes freed = charged_bytes(graph.at(tile));
        Bytes& bytes = now[graph.at(tile).space.index()];
        bytes = {bytes.expected - freed.expected, bytes.at_most - freed.at_most};
      }
    }
  }
  return peaks;
}

std::string peak_text(const Bytes& peak) {
  const std::string expected = byte_size_text(peak.expected);
  return peak.expected == peak.at_most
             ? expected
             : fmt::format("{} expected, at most {}", expected, byte_size_text(peak.at_most));
}

std::vector<MemoryProof> memory_proofs(const TaskGraph& graph) {
  const std::vector<MemoryPeak> peaks = serial_peaks(graph);
  const std::vector<MemoryNeed> budgets = smallest_budgets(graph);
  std::vector<MemoryProof> proofs;
  for (size_t space = 0; space < graph.spaces.size(); ++space) {
    proofs.push_back({peaks[space].bytes, budgets[space].bytes});
  }
  return proofs;
}

MemoryProof largest_proof(const TaskGraph& graph) {
  MemoryProof largest;
  for (const SpaceInfo& space : graph.spaces) {
    const MemoryProof& proof = space.proof;
    largest.peak.expected = std::max(largest.peak.expected, proof.peak.expected);
    largest.peak.at_most = std::max(largest.peak.at_most, proof.peak.at_most);
    largest.smallest_budget = std::max(largest.smallest_budget, proof.smallest_budget);
  }
  return largest;
}

std::optional<Shortage> shortage_of(const TaskGraph& graph, const Budgets& budgets,
                                    const Held& held) {
  const std::vector<MemoryNeed> needs = smallest_budgets(graph);
  std::optional<Shortage> largest;
  for (size_t number = 0; number < needs.size(); ++number) {
    const SpaceId space(static_cast<int64_t>(number));
    const bool has_plan = is_first_of_process(graph, space);
    const int64_t plan_bytes = has_plan ? counted_plan_bytes(graph) : 0;
    const int64_t held_bytes = has_plan ? held.bytes : 0;
    const int64_t least = sum_of(needs[number].bytes, plan_bytes + held_bytes);
    if (least > budgets.of(space) && (!largest || least > largest->smallest_budget)) {
      const std::string plan =
          fmt::format("the plan itself, which has {} tasks", graph.tasks.size());
      const std::string besides = and_for({plan_bytes, plan}) + and_for({held_bytes, held.by});
      largest =
          Shortage{budgets.of(space), least, needs.size() == 1 ? "" : place_text(graph, space),
                   to_string(graph.tasks[needs[number].task.index()].origin), besides};
    }
  }
  return largest;
}

std::string Shortage::reason() const {
  return fmt::format(
      "this plan does not fit a memory budget of {}{}: the smallest that it runs under is {}, for "
      "a task of {}{}",
      exact_text(budget), place, exact_text(smallest_budget), statement, besides);
}

BudgetError::BudgetError(Shortage shortage, std::string advice)
    : Error(
          std::move(Error(ErrorKind::resource,
                          fmt::format("{}; that would work{}", shortage.reason(), advice))
                        .suggest({Setting::memory, fmt::format("{}", shortage.smallest_budget)}))),
      shortage_(std::move(shortage)),
      advice_(std::move(advice)) {}

void refuse(const Shortage& shortage, const std::string& advice) {
  throw BudgetError(shortage, advice);
}

void check_budget(const TaskGraph& graph, const Budgets& budgets, const Held& held,
                  const std::string& advice) {
  if (const std::optional<Shortage> shortage = shortage_of(graph, budgets, held)) {
    refuse(*shortage, advice);
  }
}

}  // namespace tessera::plan
