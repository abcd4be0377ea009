#include "engine/checkpoints/checkpointed_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/checkpoints/names.h"
#include "engine/checkpoints/vertex_work.h"
#include "net/messages.h"

namespace tessera::engine {

CheckpointedRun::CheckpointedRun(const Stages& whole, const Round& round, const Setup& setup)
    : graph_(checkpointed_program(whole)),
      plan_(
          checkpoint_plan(whole, common_identities(round.sources, round.identities, setup), setup)),
      kept_(kept_already(plan_, graph_, setup)),
      files_(plan_, graph_, setup) {}

bool CheckpointedRun::is_whole() const {
  return plan_.cuts.empty() && kept_.reused().empty();
}

std::vector<std::string> CheckpointedRun::notes() const {
  std::vector<std::string> notes;
  for (const auto& [vertex, fault] : kept_.damaged) {
    const std::string& name = graph_.vertices[vertex].name;
    notes.push_back(fmt::format("the checkpoint {} is damaged, so {} is made again: {}",
                                kept_file(plan_, graph_, vertex).path, name, fault));
  }
  std::vector<std::string> names;
  for (const size_t vertex : kept_.reused()) {
    names.push_back(graph_.vertices[vertex].name);
  }
  if (!names.empty()) {
    notes.push_back(fmt::format(
        "goes on from {} in {}: {:.1f} s of {:.1f} s of work are left, as estimated",
        fmt::join(names, ", "), plan_.directory, kept_.seconds_left(plan_), plan_.all_seconds()));
  }
  return notes;
}

std::map<std::string, std::string> CheckpointedRun::identities_of_results() const {
  std::map<std::string, std::string> identities;
  for (const einsum::Output& output : graph_.outputs) {
    identities[output.name] = plan_.names[output.vertex.index()];
  }
  return identities;
}

std::map<std::string, std::string> common_identities(
    const Sources& sources, const std::map<std::string, std::string>& known, const Setup& setup) {
  Sources unknown = sources;
  std::erase_if(unknown, [&](const auto& source) { return known.contains(source.first); });
  std::map<std::string, std::string> identities;
  net::Link* const link = setup.link();
  if (link == nullptr || link->process() == 0) {
    identities = identities_of(unknown);
  }
  if (link != nullptr) {
    for (const auto& [name, source] : unknown) {
      identities[name] = net::broadcast(*link, identities[name]);
    }
  }
  identities.insert(known.begin(), known.end());
  return identities;
}

}  // namespace tessera::engine
