#include "simulate/costs/cost_graph.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <queue>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/diagnostic.h"
#include "base/error.h"

namespace tessera::simulate {

namespace {

using Json = nlohmann::json;

Json parsed(const SourceText& text) {
  try {
    return Json::parse(text.text);
  } catch (const Json::parse_error& error) {
    Diagnostics diagnostics(text);
    const auto end = static_cast<int64_t>(text.text.size());
    const int64_t at = std::clamp<int64_t>(static_cast<int64_t>(error.byte) - 1, 0, end);
    diagnostics.add({ErrorKind::user, {at, std::min(at + 1, end)}, "this is no JSON", "", {}});
    throw Error(diagnostics);
  }
}

/// A member that is a number from 0 on; nothing where it is not there.
std::optional<double> number_of(const Json& task, const char* member, size_t number) {
  const auto found = task.find(member);
  if (found == task.end()) {
    return std::nullopt;
  }
  TESSERA_USER_CHECK(
      found->is_number() && std::isfinite(found->get<double>()) && found->get<double>() >= 0,
      "tasks[{}].{} is a number from 0 on, not {}", number, member, found->dump());
  return found->get<double>();
}

std::optional<int64_t> count_of(const Json& object, const char* member, const std::string& where,
                                int64_t least) {
  const auto found = object.find(member);
  if (found == object.end()) {
    return std::nullopt;
  }
  TESSERA_USER_CHECK(found->is_number_integer() && found->get<int64_t>() >= least,
                     "{} is a whole number from {} on, not {}", where, least, found->dump());
  return found->get<int64_t>();
}

std::vector<int64_t> inputs_of(const Json& task, size_t number, size_t num_tasks) {
  std::vector<int64_t> inputs;
  for (const Json& input : task.value("inputs", Json::array())) {
    const bool is_task = input.is_number_integer() && input.get<int64_t>() >= 0 &&
                         input.get<int64_t>() < static_cast<int64_t>(num_tasks);
    TESSERA_USER_CHECK(is_task, "tasks[{}].inputs holds {}, and there are tasks 0 to {}", number,
                       input.dump(), num_tasks - 1);
    if (std::find(inputs.begin(), inputs.end(), input.get<int64_t>()) == inputs.end()) {
      inputs.push_back(input.get<int64_t>());
    }
  }
  return inputs;
}

void check_members(const Json& task, size_t number) {
  static const std::vector<std::string> known = {"name",  "seconds", "move_seconds",
                                                 "bytes", "inputs",  "site"};
  TESSERA_USER_CHECK(task.is_object(), "tasks[{}] is an object, not {}", number, task.dump());
  for (const auto& [member, value] : task.items()) {
    TESSERA_USER_CHECK(std::find(known.begin(), known.end(), member) != known.end(),
                       "tasks[{}] has a member {}; there are name, seconds, move_seconds, bytes, "
                       "inputs and site",
                       number, member);
  }
}

CostTask task_of(const Json& task, size_t number, size_t num_tasks) {
  check_members(task, number);
  TESSERA_USER_CHECK(!(task.contains("move_seconds") && task.contains("bytes")),
                     "tasks[{}] has both move_seconds and bytes: its result takes one or the other",
                     number);
  const std::optional<double> seconds = number_of(task, "seconds", number);
  TESSERA_USER_CHECK(seconds.has_value(), "tasks[{}] does not say its seconds", number);
  CostTask result;
  result.name = task.contains("name") && task["name"].is_string() ? task["name"].get<std::string>()
                                                                  : fmt::format("{}", number);
  result.seconds = *seconds;
  result.move_seconds = number_of(task, "move_seconds", number);
  result.bytes = number_of(task, "bytes", number).value_or(0);
  result.inputs = inputs_of(task, number, num_tasks);
  result.site = count_of(task, "site", fmt::format("tasks[{}].site", number), 0);
  return result;
}

/// The numbers of tasks such that each comes after its inputs, else in their own order.
std::vector<size_t> sorted_by_inputs(const std::vector<CostTask>& tasks) {
  std::vector<std::vector<size_t>> users(tasks.size());
  std::vector<size_t> num_waits(tasks.size());
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t task = 0; task < tasks.size(); ++task) {
    num_waits[task] = tasks[task].inputs.size();
    for (const int64_t input : tasks[task].inputs) {
      users[static_cast<size_t>(input)].push_back(task);
    }
    if (num_waits[task] == 0) {
      ready.push(task);
    }
  }
  std::vector<size_t> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const size_t user : users[order.back()]) {
      if (--num_waits[user] == 0) {
        ready.push(user);
      }
    }
  }
  if (order.size() < tasks.size()) {
    const auto waiting =
        std::find_if(num_waits.begin(), num_waits.end(), [](size_t waits) { return waits > 0; });
    throw_error(ErrorKind::user, "tasks[{}] waits for itself, through its inputs",
                waiting - num_waits.begin());
  }
  return order;
}

}  // namespace

CostGraph parse_cost_graph(const SourceText& text) {
  const Json json = parsed(text);
  TESSERA_USER_CHECK(json.is_object() && json.contains("tasks") && json["tasks"].is_array() &&
                         !json["tasks"].empty(),
                     "{} holds no graph with costs: an object with the array tasks", text.name);
  CostGraph graph;
  graph.num_sites = count_of(json, "sites", "sites", 1);
  std::vector<CostTask> tasks;
  for (const Json& task : json["tasks"]) {
    tasks.push_back(task_of(task, tasks.size(), json["tasks"].size()));
  }
  const std::vector<size_t> order = sorted_by_inputs(tasks);
  std::vector<int64_t> place(tasks.size());
  for (size_t number = 0; number < order.size(); ++number) {
    place[order[number]] = static_cast<int64_t>(number);
  }
  for (const size_t number : order) {
    CostTask task = std::move(tasks[number]);
    for (int64_t& input : task.inputs) {
      input = place[static_cast<size_t>(input)];
    }
    graph.tasks.push_back(std::move(task));
  }
  return graph;
}

CostGraph load_cost_graph(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw_error(ErrorKind::resource, "the graph {} cannot be read", path);
  }
  std::ostringstream text;
  text << file.rdbuf();
  return parse_cost_graph({path, std::move(text).str()});
}

}  // namespace tessera::simulate
