#include "engine/explain/checkpoints.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/byte_size.h"
#include "engine/checkpoints/checkpoint_plan.h"
#include "engine/checkpoints/checkpointed_run.h"
#include "engine/checkpoints/vertex_work.h"

namespace tessera::engine {

namespace {

/// A tensor that a run keeps or resumes from.
struct Relation {
  const einsum::Vertex& vertex;
  double after_seconds = 0;  // of work, until it is kept
  double keep_seconds = 0;
  std::string file;  // empty if it has no name yet
  std::string state;
};

struct Report {
  CheckpointPlan plan;
  double seconds_left = 0;
  std::vector<Relation> relations;
};

/// Returns what a run would do with a tensor that it keeps if nothing exists.
std::string state_of(size_t vertex, const KeptAlready& kept, const std::set<size_t>& reused) {
  const bool is_made =
      std::any_of(kept.parts.begin(), kept.parts.end(), [&](const ProgramPart& part) {
        return std::find(part.leaves.begin(), part.leaves.end(), vertex) != part.leaves.end();
      });
  if (reused.contains(vertex)) {
    return "reused";
  }
  if (kept.damaged.contains(vertex)) {
    return "damaged";
  }
  return is_made ? "kept" : "passed";
}

/// Returns when a vertex is kept: at the first cut behind it.
double seconds_until_kept(size_t vertex, const CheckpointPlan& plan) {
  const auto cut = std::upper_bound(plan.cuts.begin(), plan.cuts.end(), vertex);
  const size_t end = cut == plan.cuts.end() ? plan.seconds.size() : *cut;
  double seconds = 0;
  for (size_t number = 0; number < end; ++number) {
    seconds += plan.seconds[number];
  }
  return seconds;
}

/// Returns the tensors that a run keeps if nothing exists, and those it would resume from, in
/// order.
std::set<size_t> listed(const einsum::Graph& graph, const CheckpointPlan& plan,
                        const std::vector<size_t>& reused) {
  std::set<size_t> vertices(reused.begin(), reused.end());
  for (const ProgramPart& part : parts_to_run(graph, plan.cuts, [](size_t) { return false; })) {
    vertices.insert(part.leaves.begin(), part.leaves.end());
  }
  return vertices;
}

Report report_of(const Stages& stages, const Sources& sources, const Session& session) {
  const Setup& setup = session.setup();
  const einsum::Graph& graph = checkpointed_program(stages);
  Report report{checkpoint_plan(stages, common_identities(sources, {}, setup), setup), 0, {}};
  const KeptAlready kept = kept_already(report.plan, graph, setup);
  report.seconds_left = kept.seconds_left(report.plan);
  const std::vector<size_t> reused = kept.reused();
  for (const size_t vertex : listed(graph, report.plan, reused)) {
    const einsum::Vertex& tensor = graph.vertices[vertex];
    report.relations.push_back(
        {tensor, seconds_until_kept(vertex, report.plan), seconds_to_keep(tensor.type, setup),
         report.plan.names[vertex].empty() ? "" : kept_file(report.plan, graph, vertex).path,
         state_of(vertex, kept, {reused.begin(), reused.end()})});
  }
  return report;
}

/// Returns the tensor's name and place; parts of an expression have names of their own.
std::string words_of(const einsum::Vertex& vertex) {
  Origin origin = vertex.origin;
  origin.statement = vertex.name;
  return to_string(origin);
}

std::string line_of(const Relation& relation) {
  return fmt::format("# {:7} after {:.1f} s: {}, {}, {}, {:.3f} s to keep{}\n", relation.state,
                     relation.after_seconds, words_of(relation.vertex),
                     to_string(relation.vertex.type),
                     byte_size_text(size_in_bytes(relation.vertex.type)), relation.keep_seconds,
                     relation.file.empty() ? "" : ", in " + relation.file);
}

}  // namespace

std::string checkpoints_text(const Stages& stages, const Sources& sources, const Session& session) {
  const Report report = report_of(stages, sources, session);
  const bool has_names =
      std::all_of(report.relations.begin(), report.relations.end(),
                  [](const Relation& relation) { return !relation.file.empty(); });
  std::string text = fmt::format(
      "# checkpoints in {}: {:.1f} s of {:.1f} s of work are left, as estimated; {:g} s are to lie "
      "between two{}\n",
      report.plan.directory, report.seconds_left, report.plan.all_seconds(),
      report.plan.most_seconds,
      has_names ? "" : "; what is there already is known once all data are given");
  for (const Relation& relation : report.relations) {
    text += line_of(relation);
  }
  return text;
}

nlohmann::ordered_json checkpoints_json(const Stages& stages, const Sources& sources,
                                        const Session& session) {
  const Report report = report_of(stages, sources, session);
  nlohmann::ordered_json json = {{"directory", report.plan.directory},
                                 {"most_seconds", report.plan.most_seconds},
                                 {"work_seconds", report.plan.all_seconds()},
                                 {"left_seconds", report.seconds_left}};
  json["relations"] = nlohmann::ordered_json::array();
  for (const Relation& relation : report.relations) {
    json["relations"].push_back({{"name", relation.vertex.name},
                                 {"source", to_string(relation.vertex.origin)},
                                 {"type", to_string(relation.vertex.type)},
                                 {"bytes", size_in_bytes(relation.vertex.type)},
                                 {"after_seconds", relation.after_seconds},
                                 {"keep_seconds", relation.keep_seconds},
                                 {"file", relation.file},
                                 {"state", relation.state}});
  }
  return json;
}

}  // namespace tessera::engine
