#include "engine/report.h"

#include <nlohmann/json.hpp>

#include "engine/profile.h"

namespace tessera::engine {

namespace {

using Json = nlohmann::ordered_json;

Json statement_json(const StatementProfile& statement) {
  Json json = {{"name", statement.origin.statement},
               {"source", to_string(statement.origin)},
               {"tasks", statement.num_tasks},
               {"flops", statement.flops},
               {"bytes", statement.bytes},
               {"kernels", statement.kernels},
               {"estimated_seconds", statement.estimated_seconds}};
  if (statement.actual_seconds) {
    json["actual_seconds"] = *statement.actual_seconds;
  }
  return json;
}

/// What the runs took; times are of the last run but for the list of all executions.
Json actual_json(const plan::TaskGraph& graph, const std::vector<runtime::RunReport>& runs) {
  Json executions = Json::array();
  for (const runtime::RunReport& run : runs) {
    executions.push_back(times_of(graph, run).execution_seconds);
  }
  const runtime::RunReport& last = runs.back();
  const RunTimes times = times_of(graph, last);
  return {{"execution_seconds", executions},      {"read_seconds", times.read_seconds},
          {"write_seconds", times.write_seconds}, {"run_seconds", last.seconds},
          {"bytes_spilled", last.spilled_bytes},  {"spills", last.num_spills},
          {"peak_bytes", last.peak_bytes}};
}

void add_tasks(Json& json, const plan::TaskGraph& graph, const runtime::RunReport* run) {
  const std::vector<StatementProfile> statements = profile_of(graph, run);
  const StatementProfile total = total_of(statements);
  json["tasks"] = graph.tasks.size();
  json["tiles"] = graph.tiles.size();
  json["flops"] = total.flops;
  json["bytes"] = total.bytes;
  json["estimated_seconds"] = total.estimated_seconds;
  json["peak_bytes"] = graph.peak_bytes;
  json["statements"] = Json::array();
  for (const StatementProfile& statement : statements) {
    json["statements"].push_back(statement_json(statement));
  }
}

}  // namespace

std::string json_report(const Stages& stages, const std::vector<runtime::RunReport>& runs) {
  Json json;
  json["planning_seconds"] = stages.planning_seconds;
  json["sites"] = stages.placed ? stages.placed->num_sites : 1;
  if (stages.tasks) {
    add_tasks(json, *stages.tasks, runs.empty() ? nullptr : &runs.back());
  }
  if (!runs.empty()) {
    json["actual"] = actual_json(*stages.tasks, runs);
  }
  return json.dump(2);
}

}  // namespace tessera::engine
