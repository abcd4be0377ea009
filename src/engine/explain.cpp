#include "engine/explain.h"

#include <utility>
#include <vector>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "ir/einsum/text.h"
#include "ir/ia/text.h"
#include "ir/tra/text.h"
#include "plan/text.h"

namespace tessera::engine {

namespace {

struct NamedDocument {
  std::string name;
  ir::Document document;
};

/// The stages that a plan has, in order.
std::vector<NamedDocument> documents_of(const Stages& stages,
                                        const expr::AggregateRegistry& aggregates) {
  std::vector<NamedDocument> documents;
  if (stages.bound) {
    documents.push_back({"einsum", einsum::describe(*stages.bound, aggregates)});
  }
  if (stages.optimized) {
    documents.push_back({"optimized", einsum::describe(*stages.optimized, aggregates)});
  }
  if (stages.relations) {
    documents.push_back({"tra", tra::describe(*stages.relations, aggregates)});
  }
  if (stages.placed) {
    documents.push_back({"ia", ia::describe(*stages.placed, aggregates)});
  }
  if (stages.tasks) {
    documents.push_back({"tasks", plan::describe(*stages.tasks, aggregates)});
  }
  return documents;
}

std::vector<NamedDocument> chosen(std::vector<NamedDocument> documents, const std::string& stage) {
  if (stage == "all") {
    return documents;
  }
  for (NamedDocument& document : documents) {
    if (document.name == stage) {
      return {std::move(document)};
    }
  }
  throw_error(ErrorKind::user,
              "this plan has no stage {}: it starts behind it, or is for more than one site",
              stage);
}

std::string text_of(const std::vector<NamedDocument>& documents,
                    const optimizer::OptimizeReport& optimization) {
  std::string text;
  for (const NamedDocument& document : documents) {
    const bool named = documents.size() > 1;
    text += (text.empty() ? "" : "\n") + (named ? "# " + document.name + "\n" : "") +
            ir::to_text(document.document);
  }
  for (const optimizer::Step& step : optimization.steps) {
    text += fmt::format("\n# {} at {}\n{}", step.rule, fmt::join(step.vertices, ", "), step.after);
  }
  return text;
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

void drop_last_line_break(std::string& text) {
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
}

}  // namespace

std::string explain(const Stages& stages, const std::string& stage, const std::string& format,
                    const Session& session) {
  const std::vector<NamedDocument> documents =
      chosen(documents_of(stages, session.aggregates()), stage);
  TESSERA_USER_CHECK(format != "dot" || documents.size() == 1,
                     "DOT draws one stage: add --stage tra, for example");
  std::string text = format == "json"  ? json_of(documents)
                     : format == "dot" ? ir::to_dot(documents.front().document)
                                       : text_of(documents, stages.optimization);
  drop_last_line_break(text);
  return text;
}

}  // namespace tessera::engine
