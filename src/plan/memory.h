#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/error.h"
#include "plan/incidence.h"
#include "plan/task_graph.h"

namespace tessera::plan {

using tessera::charged_bytes;

/// Returns the bytes a tile is charged in memory. The store reserves the most that it can take.
Bytes charged_bytes(const TileInfo& tile);

/// Returns the bytes a task's workspace is charged while it runs; 0 without one.
int64_t charged_workspace(const TaskInfo& task);

/// Bytes in the spaces that one task touches: one space, or two for a move.
class SpaceBytes {
 public:
  struct Entry {
    SpaceId space;
    int64_t bytes = 0;
  };

  SpaceBytes() = default;
  SpaceBytes(SpaceId space, int64_t bytes) { add(space, bytes); }

  /// REQUIRES at most two spaces.
  void add(SpaceId space, int64_t bytes);
  int64_t of(SpaceId space) const;
  bool is_zero() const { return size_ == 0; }
  std::span<const Entry> entries() const { return std::span(entries_).first(size_); }

 private:
  std::array<Entry, 2> entries_;  // with bytes
  size_t size_ = 0;
};

/// The budgets of a plan's spaces.
class Budgets {
 public:
  /// Gives all spaces the same budget.
  Budgets(int64_t each) : each_(each) {}  // NOLINT(google-explicit-constructor): mostly all are one
  explicit Budgets(std::vector<int64_t> by_space) : by_space_(std::move(by_space)) {}

  int64_t of(SpaceId space) const { return by_space_.empty() ? each_ : by_space_[space.index()]; }

 private:
  int64_t each_ = 0;
  std::vector<int64_t> by_space_;
};

/// An amount of memory and the task that needs it; no task in an empty plan.
struct MemoryNeed {
  int64_t bytes = 0;
  TaskId task;
};

/// The most bytes in use at once, with tiles of expected size and with tiles of largest size; and
/// the task that needs the latter.
struct MemoryPeak {
  Bytes bytes;
  TaskId task;
};

/// Returns the task whose tiles and workspace in a space, which have to be in memory at once, are
/// the most, with every tile at its largest. All other tiles can be paged, so its bytes are the
/// smallest budget of the space that the plan runs under.
MemoryNeed smallest_budget(const TaskGraph& graph, SpaceId space);

/// Returns the largest need of all spaces.
MemoryNeed largest_need(const TaskGraph& graph);

/// Returns the most bytes in use in a space when the plan runs one task at a time and nothing is
/// paged.
MemoryPeak serial_peak(const TaskGraph& graph, SpaceId space);

/// Returns the serial peaks by space for some of its tasks in another order; `tiles` are
/// tiles_of(graph) (dependencies.h).
std::vector<MemoryPeak> serial_peaks(const TaskGraph& graph, const Incidence<TaskId, TileId>& tiles,
                                     std::span<const TaskId> order);

/// Formats a peak: "1.06 KiB"; if it is not exact, "1.06 KiB expected, at most 4.00 KiB".
std::string peak_text(const Bytes& peak);

/// Returns the proof of every space of a plan whose tasks are in their order.
std::vector<MemoryProof> memory_proofs(const TaskGraph& graph);

/// Returns a proof that holds for every space: each of its figures is the largest.
MemoryProof largest_proof(const TaskGraph& graph);

/// A part of a budget that is taken by neither tiles nor the plan.
struct Held {
  int64_t bytes = 0;
  std::string by;  // its holder: "the program itself, which has 20000 statements"
};

/// The cure for a plan that does not fit its budget, after the larger budget.
inline constexpr const char* kSmallerPieces = ", or smaller pieces of its tensors";

/// The reason that a plan does not fit a budget.
struct Shortage {
  int64_t budget = 0;           // that is too small
  int64_t smallest_budget = 0;  // that the plan runs under
  std::string place;            // " on its site s1"; empty if there is one
  std::string statement;        // to blame: "Y (p.ein:2:1)"
  std::string besides;          // bytes held besides: " and 1.06 KiB for the plan itself"

  /// Returns a sentence that names the smallest budget and the statement.
  std::string reason() const;
};

/// The error that refuses a plan. It can be restated for the steps before or after the plan.
class BudgetError : public Error {
 public:
  /// States the reason and the advice, and suggests the budget that would work.
  BudgetError(Shortage shortage, std::string advice);

  const Shortage& shortage() const { return shortage_; }
  const std::string& advice() const { return advice_; }

 private:
  Shortage shortage_;
  std::string advice_;
};

/// Returns the shortage of the space that lacks its budget and needs most; nothing if the plan
/// fits. In the first space of every process, the plan's own bytes (plan_size.h) and other held
/// bytes are included.
std::optional<Shortage> shortage_of(const TaskGraph& graph, const Budgets& budgets,
                                    const Held& held = {});

/// Throws the error. Errors: BudgetError, a `resource`, always.
[[noreturn]] void refuse(const Shortage& shortage, const std::string& advice);

/// Refuses a plan that does not fit its budgets.
void check_budget(const TaskGraph& graph, const Budgets& budgets, const Held& held = {},
                  const std::string& advice = kSmallerPieces);

}  // namespace tessera::plan
