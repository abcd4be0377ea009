#include "engine/checkpoints/checkpoint_plan.h"

#include <filesystem>
#include <numeric>
#include <sstream>
#include <system_error>

#include "base/error.h"
#include "engine/checkpoints/cuts.h"
#include "engine/checkpoints/names.h"
#include "engine/checkpoints/vertex_work.h"
#include "net/messages.h"

namespace tessera::engine {

namespace {

/// The work that a death may cost by default.
constexpr double kUsualSeconds = 60;
/// The factor by which a run may exceed its plan's estimate, on a machine that is shared or slower
/// than the one with known rates: bench/checkpoints, 2 to 8 times beside other programs.
constexpr double kMostSlowness = 4;
/// The most time of a checkpoint, relative to the work since the one before.
constexpr double kMostPrice = 0.05;

/// Returns the rules. If the settings state the work that may be lost, half of that is kept at any
/// price, as long as making it again would take longer.
CutRules rules_of(const Settings& settings) {
  const double lost = settings.checkpoint_seconds.value_or(kUsualSeconds);
  CutRules rules{lost / kMostSlowness, kMostPrice};
  if (settings.checkpoint_seconds) {
    rules.dear_seconds = lost / 2;
  }
  return rules;
}

std::vector<VertexCost> costs_of(const einsum::Graph& graph, const VertexWork& work,
                                 const Setup& setup) {
  const std::vector<size_t> last = read_until(graph);
  std::vector<VertexCost> costs;
  for (size_t vertex = 0; vertex < graph.vertices.size(); ++vertex) {
    costs.push_back({work.seconds[vertex], seconds_to_keep(graph.vertices[vertex].type, setup),
                     last[vertex], work.is_joined[vertex]});
  }
  return costs;
}

/// This process's search, which looks at each file once.
class Search {
 public:
  Search(const CheckpointPlan& plan, const einsum::Graph& graph, const Setup& setup)
      : plan_(plan), graph_(graph), setup_(setup) {}

  KeptAlready found() {
    KeptAlready found;
    found.parts = parts_to_run(graph_, plan_.cuts, [&](size_t vertex) { return is_kept(vertex); });
    found.vertices = std::move(kept_);
    found.damaged = std::move(damaged_);
    return found;
  }

 private:
  bool is_kept(size_t vertex) {
    if (looked_at_.insert(vertex).second && !plan_.names[vertex].empty()) {
      look(vertex);
    }
    return kept_.contains(vertex);
  }

  void look(size_t vertex) {
    const io::CheckedArray file = kept_file(plan_, graph_, vertex);
    std::error_code ignored;
    const std::filesystem::file_status status = std::filesystem::symlink_status(file.path, ignored);
    if (!std::filesystem::exists(status)) {
      return;
    }
    TESSERA_USER_CHECK(std::filesystem::is_regular_file(status),
                       "{}, where a checkpoint of {} would be kept, is no file: remove it",
                       file.path, graph_.vertices[vertex].origin.statement);
    const auto fault = io::fault_of(file, setup_.budget().workers);
    if (fault) {
      damaged_[vertex] = *fault;
    } else {
      kept_.insert(vertex);
    }
  }

  const CheckpointPlan& plan_;
  const einsum::Graph& graph_;
  const Setup& setup_;
  std::set<size_t> looked_at_;
  std::set<size_t> kept_;
  std::map<size_t, std::string> damaged_;
};

std::string text_of(const std::set<size_t>& vertices) {
  std::string text;
  for (const size_t vertex : vertices) {
    text += std::to_string(vertex) + " ";
  }
  return text;
}

std::set<size_t> vertices_in(const std::string& text) {
  std::istringstream words(text);
  std::set<size_t> vertices;
  for (size_t vertex = 0; words >> vertex;) {
    vertices.insert(vertex);
  }
  return vertices;
}

}  // namespace

double CheckpointPlan::all_seconds() const {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

CheckpointPlan checkpoint_plan(const Stages& stages,
                               const std::map<std::string, std::string>& identities,
                               const Setup& setup) {
  const Settings& settings = setup.settings();
  const einsum::Graph& graph = checkpointed_program(stages);
  CheckpointPlan plan;
  plan.directory = *settings.checkpoint_directory;
  CutRules rules = rules_of(settings);
  rules.keeps_results = stages.goes_on();
  plan.most_seconds = rules.most_seconds;
  const VertexWork work = work_of_vertices(stages, setup);
  plan.seconds = work.seconds;
  plan.cuts = cuts_of(costs_of(graph, work, setup), rules);
  plan.names = names_of_vertices(graph, identities, setup);
  return plan;
}

io::CheckedArray kept_file(const CheckpointPlan& plan, const einsum::Graph& graph, size_t vertex) {
  const std::string& name = plan.names[vertex];
  return {(std::filesystem::path(plan.directory) / (name + ".npy")).string(), name,
          graph.vertices[vertex].type};
}

std::vector<size_t> KeptAlready::reused() const {
  std::set<size_t> reused;
  for (const ProgramPart& part : parts) {
    for (const size_t vertex : part.reads) {
      if (vertices.contains(vertex)) {
        reused.insert(vertex);
      }
    }
  }
  return {reused.begin(), reused.end()};
}

double KeptAlready::seconds_left(const CheckpointPlan& plan) const {
  double seconds = 0;
  for (const ProgramPart& part : parts) {
    for (const size_t vertex : part.made) {
      seconds += plan.seconds[vertex];
    }
  }
  return seconds;
}

KeptAlready kept_already(const CheckpointPlan& plan, const einsum::Graph& graph,
                         const Setup& setup) {
  net::Link* const link = setup.link();
  KeptAlready found;
  if (link == nullptr || link->process() == 0) {
    found = Search(plan, graph, setup).found();
  }
  if (link != nullptr) {
    found.vertices = vertices_in(net::broadcast(*link, text_of(found.vertices)));
    found.parts = parts_to_run(graph, plan.cuts,
                               [&](size_t vertex) { return found.vertices.contains(vertex); });
  }
  return found;
}

}  // namespace tessera::engine
