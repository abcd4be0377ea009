#include "engine/checkpoints/kept_files.h"

#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "engine/setup/reach.h"
#include "net/messages.h"

namespace tessera::engine {

namespace {

bool is_first(const net::Link* link) {
  return link == nullptr || link->process() == 0;
}

}  // namespace

KeptFiles::KeptFiles(const CheckpointPlan& plan, const einsum::Graph& graph, const Setup& setup)
    : plan_(plan), graph_(graph), setup_(setup) {
  if (is_first(setup.link())) {
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
  std::unique_ptr<io::SharedSink> made;
  std::string meeting_place;
  if (is_first(link)) {
    made = io::create_checked(file, reach_of(*link), setup_.budget().workers);
    meeting_place = made->meeting_place();
  }
  meeting_place = net::broadcast(*link, meeting_place);
  return made != nullptr ? std::move(made) : io::join_shared(meeting_place, file.type);
}

Sinks KeptFiles::open(const ProgramPart& part) {
  Sinks sinks;
  for (const size_t vertex : part.leaves) {
    sinks_.push_back(sink_of(kept_file(plan_, graph_, vertex)));
    sinks[kept_name(graph_.vertices[vertex])] = sinks_.back().get();
  }
  return sinks;
}

/// The others close a file before the first names it, so that what they wrote is seen on any
/// filesystem; nobody reads it before it is named.
void KeptFiles::commit() {
  const auto commit_all = [&] {
    for (const std::unique_ptr<store::TileSink>& sink : sinks_) {
      sink->commit(store::Durability::process);
    }
    sinks_.clear();
  };
  net::Link* const link = setup_.link();
  if (link == nullptr || sinks_.empty()) {
    commit_all();
    return;
  }
  if (!is_first(link)) {
    commit_all();
    net::barrier(*link);
    net::barrier(*link);
    return;
  }
  net::barrier(*link);
  commit_all();
  net::barrier(*link);
}

}  // namespace tessera::engine
