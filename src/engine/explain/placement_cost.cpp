#include "engine/explain/placement_cost.h"

#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/byte_size.h"
#include "engine/candidates/candidate.h"
#include "engine/explain/lower_bound.h"
#include "engine/planning/frame_plans.h"
#include "ir/ia/placement_of.h"
#include "optimizer/ia/communication.h"
#include "optimizer/ia/floats_moved.h"
#include "optimizer/ia/moves.h"

namespace tessera::engine {

namespace {

using Json = nlohmann::ordered_json;

/// Sums the bytes of tasks that move tiles between sites.
double bytes_of_moves(const plan::TaskGraph& graph) {
  double bytes = 0;
  for (const plan::TaskInfo& task : graph.tasks) {
    bytes += task.kind == plan::TaskKind::move ? task.bytes : 0;
  }
  return bytes;
}

double bytes_between_sites(const Stages& stages, const Session& session) {
  if (!stages.is_planned()) {
    return optimizer::Communication().of(*stages.placed()).moved_bytes;
  }
  if (const Choices* choices = stages.choices()) {
    return choices->trials[choices->chosen].figures()->moved_bytes;
  }
  double bytes = 0;
  for_each_frame(stages, session.setup(),
                 [&](const FramePlan& part) { bytes += bytes_of_moves(part.plan.tasks); });
  return bytes;
}

/// Returns the bytes of inputs that a site reads although another site reads them too; 0 without
/// tasks.
double bytes_read_again(const Stages& stages, const Session& session) {
  double bytes = 0;
  if (stages.is_planned()) {
    for_each_frame(stages, session.setup(),
                   [&](const FramePlan& part) { bytes += read_again_bytes(part.plan.tasks); });
  }
  return bytes;
}

/// Formats a placement for a list, which has no room for a table of many sites.
std::string short_text(const ia::Placement& placement) {
  constexpr size_t kLongest = 60;
  std::string text = ia::to_string(placement);
  if (text.size() > kLongest) {
    text.resize(kLongest);
    text += "...";
  }
  return text;
}

}  // namespace

nlohmann::ordered_json placement_json(const Stages& stages, const Session& session) {
  const ia::Graph& graph = *stages.placed();
  const std::vector<double> floats = optimizer::floats_moved(graph);
  Json json = {{"bytes_between_sites", bytes_between_sites(stages, session)},
               {"read_again_bytes", bytes_read_again(stages, session)},
               {"tra_floats", std::accumulate(floats.begin(), floats.end(), 0.0)},
               {"moves", Json::array()}};
  if (const std::optional<ProgramBounds> bounds = bounds_of(stages, session)) {
    json["lower_bound_bytes"] = bounds->least().moved_bytes;
    json["lower_bound_as_written_bytes"] = bounds->as_written.moved_bytes;
    json["lower_bound_with_paging_bytes"] = bounds->least().moved_or_paged_bytes;
  }
  for (size_t number = 0; number < graph.nodes.size(); ++number) {
    const ia::Node& node = graph.nodes[number];
    if (const std::optional<ia::NodeId> moved = optimizer::moved_by(node)) {
      json["moves"].push_back({{"node", number},
                               {"statement", node.origin.statement},
                               {"kind", ia::is_everywhere(node.placement) ? "bcast" : "shuf"},
                               {"from", short_text(graph.at(*moved).placement)},
                               {"to", short_text(node.placement)},
                               {"tra_floats", floats[number]}});
    }
  }
  return json;
}

std::string placement_text(const Stages& stages, const Session& session) {
  const ia::Graph& graph = *stages.placed();
  if (graph.num_sites == 1) {
    return "";
  }
  const double moved_bytes = bytes_between_sites(stages, session);
  const double again_bytes = bytes_read_again(stages, session);
  std::string text;
  if (const std::optional<ProgramBounds> bounds = bounds_of(stages, session)) {
    const std::string bound = bound_text(bounds->least(), graph.num_sites, session.budget().bytes);
    const std::optional<double> times = times_bound(moved_bytes + again_bytes, bounds->least());
    text += bound.empty() ? "" : fmt::format("# {}", bound);
    text += times ? fmt::format("; {:.2f} times that is moved{}", *times,
                                again_bytes > 0 ? " or read again" : "")
                  : "";
    text += bound.empty() ? "" : "\n";
  }
  if (again_bytes > 0) {
    text += fmt::format("# inputs are read by several sites: {} more than once\n",
                        byte_size_text(static_cast<int64_t>(again_bytes)));
  }
  return text + fmt::format("# between sites: {}; by TRA's cost {:.3g} floats\n",
                            byte_size_text(static_cast<int64_t>(moved_bytes)),
                            optimizer::total_floats_moved(graph));
}

}  // namespace tessera::engine
