#include "engine/explain/explain.h"

#include <functional>
#include <utility>
#include <vector>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/byte_size.h"
#include "base/error.h"
#include "engine/candidates/candidate.h"
#include "engine/explain/placement_cost.h"
#include "engine/explain/precision.h"
#include "engine/explain/rates.h"
#include "engine/forecast/duration.h"
#include "engine/planning/frame_plans.h"
#include "engine/planning/program_size.h"
#include "ir/einsum/text.h"
#include "ir/ia/text.h"
#include "ir/tra/text.h"
#include "plan/memory.h"
#include "plan/paging.h"
#include "plan/plan_size.h"
#include "plan/text.h"

namespace tessera::engine {

namespace {

template <class Graph>
std::string stage_text(const Graph& graph, const expr::AggregateRegistry& aggregates) {
  return ir::to_text(describe(graph, aggregates));
}
/// Formats a plan's text line by line: it has more lines than all other stages.
std::string stage_text(const plan::TaskGraph& graph, const expr::AggregateRegistry& aggregates) {
  return ir::to_text(plan::lines_of(graph, aggregates));
}

/// A stage that can be printed.
struct NamedStage {
  std::string name;
  std::function<std::string()> text;
  std::function<nlohmann::json()> json;
  std::function<std::string()> dot;
};

template <class Graph>
NamedStage named_stage(const char* name, const Graph& stage,
                       const expr::AggregateRegistry& aggregates) {
  const auto document = [&stage, &aggregates] { return describe(stage, aggregates); };
  return {name, [&stage, &aggregates] { return stage_text(stage, aggregates); },
          [document] { return ir::to_json(document()); },
          [document] { return ir::to_dot(document()); }};
}

/// Throws the error for a requested stage that the plan lacks.
[[noreturn]] void refuse_stage(const Stages& stages, const std::string& wanted) {
  if (wanted == "tasks") {
    throw_error(ErrorKind::unsupported, "the plan has no stage tasks, its last is ia: {}",
                why_no_tasks(*stages.placed()));
  }
  throw_error(ErrorKind::user,
              "the plan has no stage {}: it starts from the text of a later one, {}", wanted,
              stages.relations() != nullptr ? "tra"
              : stages.placed() != nullptr  ? "ia"
                                            : "tasks");
}

/// Formats the effects of a memory budget on a plan, as a comment behind it.
std::string memory_text(const plan::TaskGraph& graph, int64_t held, int64_t budget) {
  plan::MemoryNeed least = plan::largest_need(graph);
  least.bytes += plan::counted_plan_bytes(graph) + held;
  std::string text = fmt::format(
      "# memory {}: without a bound one task at a time takes {}; these cuts need {} ({} bytes)",
      byte_size_text(budget), plan::peak_text(plan::largest_proof(graph).peak),
      byte_size_text(least.bytes), least.bytes);
  if (least.task.valid()) {
    text += fmt::format(" for {}", to_string(graph.tasks[least.task.index()].origin));
  }
  if (least.bytes > budget) {
    return text + ", so they do not fit\n";
  }
  text += ", others may need less";
  const plan::Paging paging = plan::forecast_paging(graph, left_by(graph, held, {budget, 1}).bytes);
  return text + fmt::format("; in serial order {} are spilled and {} loaded again\n",
                            byte_size_text(paging.spilled_bytes),
                            byte_size_text(paging.loaded_bytes));
}

/// Formats the text before the tasks of a frame; nothing before those of a whole plan.
std::string frame_text(const FramePlan& part) {
  if (part.frame == nullptr) {
    return "";
  }
  const auto listed = [](const char* what, const std::vector<std::string>& names) {
    return names.empty() ? "" : fmt::format("; {} {}", what, fmt::join(names, ", "));
  };
  return fmt::format("# frame {} of {}, run one after the other{}{}\n", part.number + 1,
                     part.num_frames, listed("reads", part.frame->reads),
                     listed("leaves", part.frame->leaves));
}

/// Formats the tasks, by frame if a plan has frames, each with the effects of a budget.
std::string tasks_text(const Stages& stages, const Session& session) {
  const int64_t held = held_by(stages).bytes;
  std::string text;
  for_each_frame(stages, session.setup(), [&](const FramePlan& part) {
    const plan::TaskGraph& tasks = part.plan.tasks;
    text += frame_text(part) + stage_text(tasks, session.aggregates());
    if (const std::optional<int64_t> budget = session.settings().memory_bytes) {
      text += memory_text(tasks, held, *budget);
    }
    const std::optional<std::string> reason = never_ends(tasks);
    text += reason ? fmt::format("# warning: {}\n", *reason) : "";
  });
  if (stages.placed() != nullptr) {  // else they are those of the text
    text += fmt::format("# seconds by {}\n", rates_text(session.machine()));
  }
  return text;
}

/// Returns the tasks as JSON: for a plan in frames a list of them.
nlohmann::json tasks_json(const Stages& stages, const Session& session) {
  auto frames = nlohmann::json::array();
  for_each_frame(stages, session.setup(), [&](const FramePlan& part) {
    frames.push_back(ir::to_json(describe(part.plan.tasks, session.aggregates())));
  });
  return stages.frames() == nullptr ? std::move(frames.front()) : std::move(frames);
}

/// Returns the tasks as DOT: for a plan in frames a drawing for each.
std::string tasks_dot(const Stages& stages, const Session& session) {
  std::string text;
  for_each_frame(stages, session.setup(), [&](const FramePlan& part) {
    text += ir::to_dot(describe(part.plan.tasks, session.aggregates()));
  });
  return text;
}

/// Returns the requested stages, in order.
std::vector<NamedStage> stages_of(const Stages& stages, const std::string& wanted,
                                  const Session& session) {
  std::vector<NamedStage> named;
  const auto is_wanted = [&](const std::string& name) { return wanted == "all" || wanted == name; };
  const auto add = [&](const char* name, const auto* stage) {
    if (stage != nullptr && is_wanted(name)) {
      named.push_back(named_stage(name, *stage, session.aggregates()));
    }
  };
  const Choices* choices = stages.choices();
  add("einsum", choices == nullptr ? nullptr : &choices->bound);
  add("optimized", choices == nullptr ? nullptr : &choices->optimized);
  add("tra", stages.relations());
  add("ia", stages.placed());
  if (stages.is_planned() && is_wanted("tasks")) {
    named.push_back({"tasks", [&] { return tasks_text(stages, session); },
                     [&] { return tasks_json(stages, session); },
                     [&] { return tasks_dot(stages, session); }});
  }
  if (named.empty()) {
    refuse_stage(stages, wanted);
  }
  return named;
}

std::string steps_text(const optimizer::OptimizeReport& optimization) {
  std::string text;
  for (const optimizer::Step& step : optimization.steps) {
    text += fmt::format("\n# {} at {}\n{}", step.rule, fmt::join(step.vertices, ", "), step.after);
  }
  return text;
}

/// Formats the findings of passes over placements, as comments behind the placement.
std::string notes_text(const optimizer::OptimizeReport& optimization) {
  std::string text;
  for (const std::string& note : optimization.notes) {
    text += fmt::format("# {}\n", note);
  }
  return text;
}

/// Formats why the tasks multiply in f32 although less was asked for, as a comment behind them.
std::string precision_text(const Session& session) {
  const std::optional<std::string> note = precision_note(session);
  return note ? fmt::format("# {}\n", *note) : "";
}

std::string text_of(const std::vector<NamedStage>& stages, const Stages& plan,
                    const Session& session) {
  const optimizer::OptimizeReport* optimization = plan.optimization();
  std::string text;
  for (const NamedStage& stage : stages) {
    if (stages.size() == 1) {
      text = stage.text();
    } else {
      text += (text.empty() ? "# " : "\n# ") + stage.name + "\n" + stage.text();
    }
    if (stage.name == "ia") {
      text += placement_text(plan, session) +
              (optimization == nullptr ? "" : notes_text(*optimization));
    }
    text += stage.name == "tasks" ? precision_text(session) : "";
  }
  text += optimization == nullptr ? "" : steps_text(*optimization);
  return text;
}

std::string json_of(const std::vector<NamedStage>& stages) {
  if (stages.size() == 1) {
    return stages.front().json().dump(2);
  }
  nlohmann::ordered_json all;
  for (const NamedStage& stage : stages) {
    all[stage.name] = stage.json();
  }
  return all.dump(2);
}

void drop_last_line_break(std::string& text) {
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
}

}  // namespace

std::string explain(const Stages& stages, const std::string& stage, const std::string& format,
                    const Session& session) {
  const std::vector<NamedStage> wanted = stages_of(stages, stage, session);
  if (format == "dot" && wanted.size() != 1) {
    throw Error(ErrorKind::user, "DOT draws one stage, not all of them")
        .suggest({Setting::stage, "tra"});
  }
  std::string text = format == "json"  ? json_of(wanted)
                     : format == "dot" ? wanted.front().dot()
                                       : text_of(wanted, stages, session);
  drop_last_line_break(text);
  return text;
}

}  // namespace tessera::engine
