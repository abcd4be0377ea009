#include "engine/explain/report.h"

#include <nlohmann/json.hpp>

#include "engine/explain/candidates.h"
#include "engine/explain/checkpoints.h"
#include "engine/explain/lower_bound.h"
#include "engine/explain/placement_cost.h"
#include "ir/description.h"
#include "ir/einsum/text.h"

namespace tessera::engine {

namespace {

using Json = nlohmann::ordered_json;

Json warnings_json(const Diagnostics& warnings) {
  Json list = Json::array();
  for (const Diagnostic& warning : warnings.found()) {
    const SourcePosition place = position_of(warnings.source(), warning.span.begin);
    list.push_back({{"source", warnings.source().name},
                    {"line", place.line},
                    {"column", place.column},
                    {"message", warning.message},
                    {"help", warning.help}});
  }
  return list;
}

Json statement_json(const StatementProfile& statement) {
  Json json = {{"name", statement.origin.statement},
               {"source", to_string(statement.origin)},
               {"tasks", statement.num_tasks},
               {"tiles", statement.num_tiles},
               {"spills", statement.num_spills},
               {"flops", statement.flops},
               {"bytes", statement.bytes},
               {"kernels", statement.kernels},
               {"estimated_seconds", statement.estimated_seconds}};
  if (statement.actual_seconds) {
    json["actual_seconds"] = *statement.actual_seconds;
  }
  return json;
}

Json file_json(const FileProfile& file) {
  Json json = {{"name", file.name},       {"direction", file.is_written ? "write" : "read"},
               {"tasks", file.num_tasks}, {"bytes", file.bytes},
               {"runs", file.runs},       {"estimated_seconds", file.estimated_seconds}};
  if (file.actual_seconds) {
    json["actual_seconds"] = *file.actual_seconds;
  }
  return json;
}

/// Returns the figures of the runs; times are of the last run except in the list of all executions.
Json actual_json(const RunProfile& run) {
  return {{"execution_seconds", run.execution_seconds},
          {"waiting_seconds", run.times.waiting_seconds},
          {"waiting_for_input_seconds", run.waiting.input},
          {"waiting_for_memory_seconds", run.waiting.memory},
          {"waiting_for_worker_seconds", run.waiting.worker},
          {"read_seconds", run.times.read_seconds},
          {"write_seconds", run.times.write_seconds},
          {"commit_seconds", run.commit_seconds},
          {"run_seconds", run.seconds},
          {"bytes_spilled", run.spilled_bytes},
          {"spills", run.num_spills},
          {"bytes_copied", run.copied_bytes},
          {"peak_bytes", run.peak_bytes}};
}

/// Returns the statement in the language, in the printed form of the stage.
std::string equation_of(const ir::Document& document, einsum::VertexId vertex) {
  return document.nodes[vertex.index()].parameters.front().text;
}

Json vertex_json(const Choices& choices, const ir::Document& document,
                 const optimizer::partition::StatementPartition& statement) {
  const einsum::Vertex& vertex = choices.optimized.at(statement.vertex);
  const std::vector<expr::LabelDecl>& labels = einsum::labels_of(vertex.op);
  Json vector = Json::object();
  for (size_t label = 0; label < statement.pieces.size(); ++label) {
    vector[labels[label].name] = statement.pieces[label];
  }
  Json sliced = Json::array();
  for (const int32_t label : statement.sliced) {
    sliced.push_back(labels[static_cast<size_t>(label)].name);
  }
  Json others = Json::array();
  for (const optimizer::partition::StatementPartition::Alternative& other : statement.runners_up) {
    others.push_back({{"partition_vector", other.pieces}, {"plan_cost_floats", other.plan_cost}});
  }
  return {{"name", vertex.name},
          {"source", to_string(vertex.origin)},
          {"line", vertex.origin.line},
          {"column", vertex.origin.column},
          {"equation", equation_of(document, statement.vertex)},
          {"partition_vector", vector},
          {"sliced", sliced},
          {"cost", statement.join + statement.aggregation + statement.repartition},
          {"join_floats", statement.join},
          {"aggregation_floats", statement.aggregation},
          {"repartition_floats", statement.repartition},
          {"read_runs", statement.reading.runs},
          {"read_seconds", statement.reading.seconds},
          {"write_runs", statement.writing.runs},
          {"write_seconds", statement.writing.seconds},
          {"alternatives_considered", statement.num_alternatives},
          {"alternatives", others}};
}

void add_partition(Json& json, const Stages& stages, const Session& session) {
  const Choices& choices = *stages.choices();
  const optimizer::partition::GraphPartition& partition = choices.partition;
  json["planner"] = partition.planner.empty() ? "tile" : partition.planner;
  json["pieces"] = partition.pieces;
  json["floats_moved"] = partition.communication_volume;
  json["file_seconds"] = partition.file_seconds;
  json["cost_floats"] = partition.cost;
  if (partition.lower_bound) {
    json["lower_bound_floats"] = *partition.lower_bound;
    json["gap"] = partition.cost > 0 ? 1 - *partition.lower_bound / partition.cost : 0.0;
  }
  const ir::Document document = einsum::describe(choices.optimized, session.aggregates());
  json["candidates"] = candidates_json(stages, session);
  const std::optional<ProgramBounds> bounds = bounds_of(stages, session);
  json["vertices"] = Json::array();
  for (const optimizer::partition::StatementPartition& statement : partition.statements) {
    json["vertices"].push_back(vertex_json(choices, document, statement));
    if (bounds) {
      json["vertices"].back()["lower_bound_bytes"] =
          bounds->vertices[statement.vertex.index()].moved_bytes;
    }
  }
}

void add_tasks(Json& json, const PlanProfile& profile) {
  const StatementProfile total = total_of(profile.statements);
  json["frames"] = profile.num_frames;
  json["tasks"] = profile.num_tasks;
  json["tiles"] = profile.num_tiles;
  json["flops"] = total.flops;
  json["bytes"] = total.bytes;
  json["bytes_moved"] = profile.transferred_bytes;
  json["estimated_seconds"] = total.estimated_seconds;
  json["peak_bytes"] = profile.peak_bytes;
  json["statements"] = Json::array();
  for (const StatementProfile& statement : profile.statements) {
    json["statements"].push_back(statement_json(statement));
  }
  json["files"] = Json::array();
  for (const FileProfile& file : profile.files) {
    json["files"].push_back(file_json(file));
  }
}

void add_sites(Json& json, const std::vector<SiteProfile>& sites) {
  json["by_site"] = Json::array();
  for (const SiteProfile& site : sites) {
    Json profile = {{"tasks", site.num_tasks},
                    {"bytes_in", site.bytes_in},
                    {"bytes_out", site.bytes_out},
                    {"peak_bytes", site.peak_bytes},
                    {"estimated_seconds", site.estimated_seconds}};
    if (site.actual_seconds) {
      profile["actual_seconds"] = *site.actual_seconds;
      profile["actual_bytes_in"] = *site.actual_bytes_in;
      profile["actual_bytes_out"] = *site.actual_bytes_out;
    }
    json["by_site"].push_back(std::move(profile));
  }
}

}  // namespace

std::string json_report(const Stages& stages, const std::optional<PlanProfile>& profile,
                        const Session& session, const Sources* sources) {
  Json json;
  json["planning_seconds"] = stages.planning_seconds;
  if (stages.warnings && !stages.warnings->empty()) {
    json["warnings"] = warnings_json(*stages.warnings);
  }
  json["rates"] =
      session.machine().rates_measured.empty() ? "built in" : session.machine().rates_measured;
  json["sites"] =
      profile ? static_cast<int64_t>(profile->sites.size()) : stages.placed()->num_sites;
  if (stages.choices() != nullptr) {
    add_partition(json, stages, session);
  }
  if (profile) {
    add_tasks(json, *profile);
  }
  if (profile && profile->sites.size() > 1) {
    add_sites(json, profile->sites);
  }
  if (stages.placed() != nullptr && stages.placed()->num_sites > 1) {
    json["placement"] = placement_json(stages, session);
  }
  if (sources != nullptr && session.settings().checkpoint_directory) {
    json["checkpoints"] = checkpoints_json(stages, *sources, session);
  }
  if (profile && profile->run) {
    json["actual"] = actual_json(*profile->run);
  }
  return json.dump(2);
}

}  // namespace tessera::engine
