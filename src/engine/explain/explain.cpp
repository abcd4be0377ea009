#include "engine/explain/explain.h"

#include <utility>
#include <vector>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/byte_size.h"
#include "base/error.h"
#include "engine/forecast/duration.h"
#include "ir/einsum/text.h"
#include "ir/ia/text.h"
#include "ir/tra/text.h"
#include "plan/memory.h"
#include "plan/paging.h"
#include "plan/plan_size.h"
#include "plan/text.h"

namespace tessera::engine {

namespace {

struct NamedDocument {
  std::string name;
  ir::Document document;
};

/// The stage that is asked for is not there.
[[noreturn]] void refuse_stage(const Stages& stages, const std::string& wanted) {
  if (wanted == "tasks") {
    throw_error(ErrorKind::unsupported,
                "the plan has no stage tasks: it is for {} sites, and the step from a placement on "
                "several sites to tasks is not built yet; its last stage is ia, and a plan for one "
                "site has tasks",
                stages.placed()->num_sites);
  }
  throw_error(ErrorKind::user,
              "the plan has no stage {}: it starts from the text of a later one, {}", wanted,
              stages.relations() != nullptr ? "tra"
              : stages.placed() != nullptr  ? "ia"
                                            : "tasks");
}

/// The stages that are asked for, in order; the text of one is not made where another is wanted.
std::vector<NamedDocument> documents_of(const Stages& stages, const std::string& wanted,
                                        const expr::AggregateRegistry& aggregates) {
  std::vector<NamedDocument> documents;
  const auto add = [&](const char* name, const auto* stage) {
    if (stage != nullptr && (wanted == "all" || wanted == name)) {
      documents.push_back({name, describe(*stage, aggregates)});
    }
  };
  const Choices* choices = stages.choices();
  add("einsum", choices == nullptr ? nullptr : &choices->bound);
  add("optimized", choices == nullptr ? nullptr : &choices->optimized);
  add("tra", stages.relations());
  add("ia", stages.placed());
  add("tasks", stages.tasks());
  if (documents.empty()) {
    refuse_stage(stages, wanted);
  }
  return documents;
}

std::string steps_text(const optimizer::OptimizeReport& optimization) {
  std::string text;
  for (const optimizer::Step& step : optimization.steps) {
    text += fmt::format("\n# {} at {}\n{}", step.rule, fmt::join(step.vertices, ", "), step.after);
  }
  return text;
}

/// What passes over placements found, as comments behind the placement.
std::string notes_text(const optimizer::OptimizeReport& optimization) {
  std::string text;
  for (const std::string& note : optimization.notes) {
    text += fmt::format("# {}\n", note);
  }
  return text;
}

std::string text_of(const std::vector<NamedDocument>& documents,
                    const optimizer::OptimizeReport* optimization) {
  std::string text;
  for (const NamedDocument& document : documents) {
    const bool named = documents.size() > 1;
    text += (text.empty() ? "" : "\n") + (named ? "# " + document.name + "\n" : "") +
            ir::to_text(document.document);
    text += document.name == "ia" && optimization != nullptr ? notes_text(*optimization) : "";
  }
  return optimization == nullptr ? text : text + steps_text(*optimization);
}

std::string json_of(const std::vector<NamedDocument>& documents) {
  if (documents.size() == 1) {
    return ir::to_json(documents.front().document).dump(2);
  }
  nlohmann::ordered_json all;
  for (const NamedDocument& document : documents) {
    all[document.name] = ir::to_json(document.document);
  }
  return all.dump(2);
}

/// What a memory budget does to a plan, as a comment behind it.
std::string memory_text(const plan::TaskGraph& graph, int64_t budget) {
  plan::MemoryNeed least = plan::smallest_budget(graph);
  least.bytes += plan::counted_plan_bytes(graph);
  std::string text = fmt::format(
      "# memory {}: without a bound one task at a time takes {}; these cuts need {} ({} bytes)",
      byte_size_text(budget), plan::peak_text(graph.proof().peak), byte_size_text(least.bytes),
      least.bytes);
  if (least.task.valid()) {
    text += fmt::format(" for {}", to_string(graph.tasks[least.task.index()].origin));
  }
  if (least.bytes > budget) {
    return text + ", so they do not fit\n";
  }
  text += ", others may need less";
  const plan::Paging paging = plan::forecast_paging(graph, left_by(graph, {budget, 1}).bytes);
  return text + fmt::format("; in serial order {} are spilled and {} loaded again\n",
                            byte_size_text(paging.spilled_bytes),
                            byte_size_text(paging.loaded_bytes));
}

void drop_last_line_break(std::string& text) {
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
}

}  // namespace

std::string explain(const Stages& stages, const std::string& stage, const std::string& format,
                    const Session& session) {
  const std::vector<NamedDocument> documents = documents_of(stages, stage, session.aggregates());
  if (format == "dot" && documents.size() != 1) {
    throw Error(ErrorKind::user, "DOT draws one stage, not all of them")
        .suggest({Setting::stage, "tra"});
  }
  std::string text = format == "json"  ? json_of(documents)
                     : format == "dot" ? ir::to_dot(documents.front().document)
                                       : text_of(documents, stages.optimization());
  const std::optional<int64_t> budget = session.settings().memory_bytes;
  if (format == "text" && documents.back().name == "tasks" && budget) {
    text += memory_text(*stages.tasks(), *budget);
  }
  if (format == "text" && documents.back().name == "tasks") {
    const std::optional<std::string> reason = never_ends(*stages.tasks());
    text += reason ? fmt::format("# warning: {}\n", *reason) : "";
  }
  drop_last_line_break(text);
  return text;
}

}  // namespace tessera::engine
