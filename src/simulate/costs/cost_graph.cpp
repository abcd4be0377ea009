#include "simulate/costs/cost_graph.h"

#include <algorithm>
#include <fstream>
#include <queue>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/byte_order_mark.h"
#include "base/diagnostic.h"
#include "base/error.h"
#include "simulate/cluster.h"
#include "simulate/costs/json_places.h"

namespace tessera::simulate {

namespace {

using Json = nlohmann::json;

/// The bound that keeps sums of many finite.
constexpr double kMostOfATask = 1e15;

/// A reader of tasks. It reports an error at the beginning of its task.
class CostGraphReader {
 public:
  explicit CostGraphReader(const SourceText& text) : text_(text), json_(parsed()) {
    if (const std::optional<RepeatedMember> repeated = repeated_member(text.text)) {
      refuse_at(repeated->place, fmt::format("this object has {} twice", repeated->name));
    }
  }

  CostGraph read() {
    if (!json_.is_object() || !json_.contains("tasks") || !json_["tasks"].is_array() ||
        json_["tasks"].empty()) {
      refuse_at(0, "a graph with costs is an object with the array tasks, of one task at least");
    }
    check_members_of_graph();
    CostGraph graph;
    if (const auto sites = json_.find("sites"); sites != json_.end()) {
      if (!is_whole(*sites, 1, kMostClusterSites)) {
        refuse_at(0, fmt::format("sites is a whole number from 1 to {}, not {}", kMostClusterSites,
                                 sites->dump()));
      }
      graph.num_sites = sites->get<int64_t>();
    }
    num_tasks_ = json_["tasks"].size();
    for (const Json& task : json_["tasks"]) {
      graph.tasks.push_back(task_of(task));
      ++number_;
    }
    return graph;
  }

  /// Reports an error of a task, at its place.
  [[noreturn]] void refuse(size_t number, const std::string& message) const {
    refuse_at(begin_of_element(text_.text, "tasks", number),
              fmt::format("tasks[{}]{}", number, message));
  }

 private:
  Json parsed() const {
    try {
      return Json::parse(text_.text);
    } catch (const Json::parse_error& error) {
      refuse_at(static_cast<int64_t>(error.byte) - 1, "this is no JSON");
    } catch (const Json::out_of_range&) {
      refuse_at(0, "this holds a number that is too large to read");
    }
  }

  [[noreturn]] void refuse_at(int64_t place, std::string message) const {
    Diagnostics diagnostics(text_);
    const auto end = static_cast<int64_t>(text_.text.size());
    const int64_t at = std::clamp<int64_t>(place, 0, end);
    diagnostics.add({ErrorKind::user, {at, std::min(at + 1, end)}, std::move(message), "", {}});
    throw Error(diagnostics);
  }

  static bool is_whole(const Json& value, int64_t least, int64_t most) {
    return value.is_number_integer() && value.get<int64_t>() >= least &&
           value.get<int64_t>() <= most;
  }

  /// Reads a member that is a number from 0 on; nothing if it is missing.
  std::optional<double> number_of(const Json& task, const char* member) const {
    const auto found = task.find(member);
    if (found == task.end()) {
      return std::nullopt;
    }
    const double number = found->is_number() ? found->get<double>() : -1;
    if (!(number >= 0 && number <= kMostOfATask)) {
      refuse(number_, fmt::format(".{} is a number from 0 to {:g}, not {}", member, kMostOfATask,
                                  found->dump()));
    }
    return number;
  }

  std::optional<int64_t> site_of(const Json& task) const {
    const auto found = task.find("site");
    if (found == task.end()) {
      return std::nullopt;
    }
    if (!is_whole(*found, 0, kMostClusterSites - 1)) {
      refuse(number_, fmt::format(".site is a whole number from 0 to {}, not {}",
                                  kMostClusterSites - 1, found->dump()));
    }
    return found->get<int64_t>();
  }

  std::vector<int64_t> inputs_of(const Json& task) const {
    const Json listed = task.value("inputs", Json::array());
    if (!listed.is_array()) {
      refuse(number_, fmt::format(".inputs is an array, not {}", listed.dump()));
    }
    std::vector<int64_t> inputs;
    for (const Json& input : listed) {
      if (!is_whole(input, 0, static_cast<int64_t>(num_tasks_) - 1)) {
        refuse(number_, fmt::format(".inputs holds {}, and there are tasks 0 to {}", input.dump(),
                                    num_tasks_ - 1));
      }
      if (std::find(inputs.begin(), inputs.end(), input.get<int64_t>()) == inputs.end()) {
        inputs.push_back(input.get<int64_t>());
      }
    }
    return inputs;
  }

  void check_members_of_graph() const {
    for (const auto& [member, value] : json_.items()) {
      if (member != "tasks" && member != "sites") {
        refuse_at(begin_of_member(text_.text, member),
                  fmt::format("a graph has no member {}; there are tasks and sites", member));
      }
    }
  }

  void check_members(const Json& task) const {
    static const std::vector<std::string> known = {"name",  "seconds", "move_seconds",
                                                   "bytes", "inputs",  "site"};
    if (!task.is_object()) {
      refuse(number_, fmt::format(" is an object, not {}", task.dump()));
    }
    for (const auto& [member, value] : task.items()) {
      if (std::find(known.begin(), known.end(), member) == known.end()) {
        refuse(number_, fmt::format(" has a member {}; there are name, seconds, move_seconds, "
                                    "bytes, inputs and site",
                                    member));
      }
    }
    if (task.contains("move_seconds") && task.contains("bytes")) {
      refuse(number_, " has both move_seconds and bytes: its result takes one or the other");
    }
    if (!task.contains("seconds")) {
      refuse(number_, " does not say its seconds");
    }
  }

  CostTask task_of(const Json& task) const {
    check_members(task);
    CostTask result;
    result.name = task.contains("name") && task["name"].is_string()
                      ? task["name"].get<std::string>()
                      : fmt::format("{}", number_);
    result.seconds = number_of(task, "seconds").value();
    result.move_seconds = number_of(task, "move_seconds");
    result.bytes = number_of(task, "bytes").value_or(0);
    result.inputs = inputs_of(task);
    result.site = site_of(task);
    return result;
  }

  const SourceText& text_;
  Json json_;
  size_t num_tasks_ = 0;
  size_t number_ = 0;  // of the current task
};

/// Orders the numbers of tasks so that each comes after its inputs, and else as given.
std::vector<size_t> sorted_by_inputs(const std::vector<CostTask>& tasks,
                                     const CostGraphReader& reader) {
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
    reader.refuse(static_cast<size_t>(waiting - num_waits.begin()),
                  " waits for itself, through its inputs");
  }
  return order;
}

}  // namespace

CostGraph parse_cost_graph(const SourceText& text) {
  CostGraphReader reader(text);
  CostGraph graph = reader.read();
  std::vector<CostTask> tasks = std::exchange(graph.tasks, {});
  const std::vector<size_t> order = sorted_by_inputs(tasks, reader);
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
  return parse_cost_graph({path, without_byte_order_mark(std::move(text).str())});
}

}  // namespace tessera::simulate
