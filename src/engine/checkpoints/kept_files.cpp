#include "engine/checkpoints/kept_files.h"

#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "engine/setup/common_file.h"

namespace tessera::engine {

KeptFiles::KeptFiles(const CheckpointPlan& plan, const einsum::Graph& graph, const Setup& setup)
    : plan_(plan), graph_(graph), setup_(setup) {
  if (setup.link() == nullptr || setup.link()->process() == 0) {
    std::error_code error;
    std::filesystem::create_directories(plan.directory, error);
    TESSERA_USER_CHECK(!error, "cannot make the directory {} for checkpoints: {}", plan.directory,
                       error.message());
  }
}

Sources KeptFiles::read(const ProgramPart& part) {
  sources_.clear();
  Sources sources;
  for (const size_t vertex : part.reads) {
    sources_.push_back(io::open_checked(kept_file(plan_, graph_, vertex)));
    sources[kept_name(graph_.vertices[vertex])] = sources_.back().get();
  }
  return sources;
}

std::unique_ptr<store::TileSink> KeptFiles::sink_of(const io::CheckedArray& file) const {
  net::Link* const link = setup_.link();
  if (link == nullptr) {
    return io::create_checked(file, std::nullopt, setup_.budget().workers);
  }
  const auto make = [&](io::Reach reach) {
    return io::create_checked(file, reach, setup_.budget().workers);
  };
  return common_file(*link, file.path, file.type, make).sink;
}

Sinks KeptFiles::open(const ProgramPart& part) {
  Sinks sinks;
  for (const size_t vertex : part.leaves) {
    sinks_.push_back(sink_of(kept_file(plan_, graph_, vertex)));
    sinks[kept_name(graph_.vertices[vertex])] = sinks_.back().get();
  }
  return sinks;
}

void KeptFiles::commit() {
  commit_files(setup_.link(), sinks_, store::Durability::process);
}

}  // namespace tessera::engine
