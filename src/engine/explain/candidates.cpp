#include "engine/explain/candidates.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/byte_size.h"
#include "base/error.h"
#include "base/table.h"
#include "engine/explain/lower_bound.h"

namespace tessera::engine {

namespace {

using Json = nlohmann::ordered_json;
/// The bounds of a plan for several sites.
using Bounds = std::optional<ProgramBounds>;

/// Formats "T.k by 256": the label, at its first place, and the longest slice of it.
std::string slice_text(const optimizer::partition::Slice& slice, const einsum::Graph& program) {
  const einsum::Vertex& vertex = program.at(slice.vertex);
  return fmt::format("{}.{} by {}", vertex.name,
                     einsum::labels_of(vertex.op)[static_cast<size_t>(slice.label)].name,
                     slice.length);
}

/// Formats slices. They name places in the optimized program; the program of another order of
/// contraction is gone, so only their number is known.
std::string slices_text(const Choices& choices, const Candidate& candidate) {
  const Candidate& chosen = choices.trials[choices.chosen].candidate;
  if (candidate.most_intermediate_bytes != chosen.most_intermediate_bytes) {
    return candidate.slices.empty()       ? ""
           : candidate.slices.size() == 1 ? "1 label"
                                          : fmt::format("{} labels", candidate.slices.size());
  }
  std::vector<std::string> slices;
  for (const optimizer::partition::Slice& slice : candidate.slices) {
    slices.push_back(slice_text(slice, choices.optimized));
  }
  return fmt::format("{}", fmt::join(slices, ", "));
}

std::string order_text(const Candidate& candidate) {
  return candidate.most_intermediate_bytes
             ? fmt::format("at most {} each", byte_size_text(*candidate.most_intermediate_bytes))
             : "fewest operations";
}

std::string fate_of(const Choices& choices, size_t number, const Budget& budget) {
  const Trial& trial = choices.trials[number];
  const Figures* chosen = choices.trials[choices.chosen].figures();
  const Figures* figures = trial.figures();
  if (number == choices.chosen) {
    return "chosen";
  }
  if (const auto* no_plan = std::get_if<NoPlan>(&trial.outcome)) {
    return "no plan: " + no_plan->reason;
  }
  if (const auto* beaten = std::get_if<Beaten>(&trial.outcome)) {
    return fmt::format("cannot end sooner than {:.3g} s, as it moves at least {}",
                       beaten->least_seconds,
                       byte_size_text(static_cast<int64_t>(beaten->least_moved_bytes)));
  }
  if (figures == nullptr || chosen == nullptr) {
    return "moves no less";
  }
  if (!fits(*figures, budget)) {
    return "does not fit";
  }
  if (!runs_well(*figures, budget)) {
    return "leaves no room for a task of each worker";
  }
  return figures->seconds > chosen->seconds   ? "ends later"
         : figures->seconds < chosen->seconds ? "ends hardly sooner"
                                              : "ends no sooner";
}

/// Returns the columns of every candidate; on several sites, also its placement planner.
Row asked_of(const Choices& choices, const Candidate& candidate, bool is_placed) {
  Row row = {order_text(candidate),
             candidate.most_calls ? fmt::format("{}", *candidate.most_calls) : "",
             candidate.most_call_bytes ? byte_size_text(*candidate.most_call_bytes) : "",
             slices_text(choices, candidate)};
  if (is_placed) {
    row.push_back(candidate.places.value_or(""));
  }
  return row;
}

std::string tasks_text(const Figures& figures) {
  return figures.num_frames == 1
             ? fmt::format("{}", figures.num_tasks)
             : fmt::format("{} in {} frames", figures.num_tasks, figures.num_frames);
}

Row header_of(bool is_placed) {
  Row header = {"intermediates", "calls", "a call takes", "sliced"};
  if (is_placed) {
    header.emplace_back("placed by");
  }
  header.insert(header.end(), {"tasks", "peak", "smallest budget", "spilled"});
  if (is_placed) {
    header.insert(header.end(), {"moved between sites", "times the bound"});
  }
  header.insert(header.end(), {"expected", "fate"});
  return header;
}

std::string bytes_text(double bytes) {
  return byte_size_text(static_cast<int64_t>(bytes));
}

/// Returns the bytes that a plan moves between sites; nothing if there is none.
std::optional<double> moved_bytes_of(const Trial& trial) {
  if (const Figures* figures = trial.figures()) {
    return figures->moved_bytes;
  }
  const PlacedFigures* placed = trial.placed();
  return placed != nullptr ? std::optional(placed->moved_bytes) : std::nullopt;
}

/// Returns the bytes that a candidate moves or reads again, divided by the lower bound. Each order
/// of contraction has its own bound.
std::optional<double> times_bound_of(const Choices& choices, const Trial& trial,
                                     const Bounds& bounds) {
  const Candidate& chosen = choices.trials[choices.chosen].candidate;
  const std::optional<double> moved = moved_bytes_of(trial);
  const double again = trial.figures() == nullptr ? 0 : trial.figures()->read_again_bytes;
  return bounds && moved &&
                 trial.candidate.most_intermediate_bytes == chosen.most_intermediate_bytes
             ? times_bound(*moved + again, bounds->least())
             : std::nullopt;
}

Row row_of(const Choices& choices, size_t number, const Budget& budget, const Bounds& bounds,
           bool is_placed) {
  const Trial& trial = choices.trials[number];
  Row row = asked_of(choices, trial.candidate, is_placed);
  const Figures* figures = trial.figures();
  const bool runs = figures != nullptr && fits(*figures, budget);
  if (figures != nullptr) {
    row.insert(row.end(), {tasks_text(*figures), byte_size_text(figures->peak_bytes),
                           byte_size_text(figures->smallest_budget),
                           runs ? byte_size_text(figures->paging.spilled_bytes) : ""});
  } else {
    row.insert(row.end(), 4, "");
  }
  if (is_placed) {
    const std::optional<double> moved = moved_bytes_of(trial);
    const std::optional<double> times = times_bound_of(choices, trial, bounds);
    row.push_back(moved ? bytes_text(*moved) : "");
    row.push_back(times ? fmt::format("{:.2f}", *times) : "");
  }
  row.push_back(runs ? fmt::format("{:.3g} s", figures->seconds) : "");
  row.push_back(fate_of(choices, number, budget));
  return row;
}

/// Formats "1 worker", "2 workers".
std::string counted(size_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string budget_text(const Budget& budget) {
  return fmt::format("a memory budget of {} and {}", byte_size_text(budget.bytes),
                     counted(static_cast<size_t>(budget.workers), "worker"));
}

}  // namespace

std::string candidates_text(const Stages& stages, const Session& session) {
  const Choices* choices = stages.choices();
  TESSERA_USER_CHECK(
      choices != nullptr,
      "there are no candidates: the text says already how tensors are cut, so nothing "
      "was chosen");
  const int64_t num_sites = stages.placed()->num_sites;
  const Budget& budget = session.budget();
  const Bounds bounds = bounds_of(stages, session);
  std::vector<Row> rows = {header_of(num_sites > 1)};
  for (size_t number = 0; number < choices->trials.size(); ++number) {
    rows.push_back(row_of(*choices, number, budget, bounds, num_sites > 1));
  }
  std::string text =
      fmt::format("{} for {}{}:\n{}", counted(choices->trials.size(), "candidate"),
                  num_sites > 1 ? fmt::format("{} sites, each with ", num_sites) : "",
                  budget_text(budget), table_text(rows, Columns::words));
  if (bounds) {
    text += bound_text(bounds->least(), num_sites, budget.bytes) + "\n";
  }
  text.pop_back();
  return text;
}

Json candidates_json(const Stages& stages, const Session& session) {
  const Choices& choices = *stages.choices();
  const Bounds bounds = bounds_of(stages, session);
  const Budget& budget = session.budget();
  Json list = Json::array();
  for (size_t number = 0; number < choices.trials.size(); ++number) {
    const Trial& trial = choices.trials[number];
    const auto size_or_null = [](const std::optional<int64_t>& bytes) {
      return bytes ? Json(*bytes) : Json(nullptr);
    };
    Json json = {{"most_intermediate_bytes", size_or_null(trial.candidate.most_intermediate_bytes)},
                 {"most_calls", size_or_null(trial.candidate.most_calls)},
                 {"most_call_bytes", size_or_null(trial.candidate.most_call_bytes)},
                 {"slices", trial.candidate.slices.size()}};
    if (trial.candidate.places) {
      json["places"] = *trial.candidate.places;
    }
    const bool is_placed = stages.placed()->num_sites > 1;
    if (const std::optional<double> moved = moved_bytes_of(trial); moved && is_placed) {
      json["moved_bytes"] = *moved;
    }
    if (const std::optional<double> times = times_bound_of(choices, trial, bounds)) {
      json["times_lower_bound"] = *times;
    }
    if (const Figures* figures = trial.figures()) {
      if (is_placed) {
        json["read_again_bytes"] = figures->read_again_bytes;
      }
      json["frames"] = figures->num_frames;
      json["tasks"] = figures->num_tasks;
      json["peak_bytes"] = figures->peak_bytes;
      json["smallest_budget"] = figures->smallest_budget;
      if (fits(*figures, budget)) {
        json["spilled_bytes"] = figures->paging.spilled_bytes;
        json["expected_seconds"] = figures->seconds;
      }
    }
    if (const PlacedFigures* placed = trial.placed()) {
      json["excess_bytes"] = placed->excess_bytes;
    }
    if (const auto* beaten = std::get_if<Beaten>(&trial.outcome)) {
      json["least_moved_bytes"] = beaten->least_moved_bytes;
      json["least_seconds"] = beaten->least_seconds;
    }
    json["fate"] = fate_of(choices, number, budget);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace tessera::engine
