#include "engine/setup/common_file.h"

#include <utility>

#include "net/messages.h"

namespace tessera::engine {

io::Reach reach_of(const net::Link& link) {
  for (int32_t process = 1; process < link.num_processes(); ++process) {
    if (link.host(process) != link.host(0)) {
      return io::Reach::network;
    }
  }
  return io::Reach::host;
}

CommonFile common_file(
    net::Link& link, const std::string& name, const ArrayType& type,
    const std::function<std::unique_ptr<io::SharedSink>(io::Reach reach)>& make) {
  if (link.process() == 0) {
    std::unique_ptr<io::SharedSink> made = make(reach_of(link));
    std::string meeting_place = net::broadcast(link, made->meeting_place());
    net::broadcast(link, name);
    return {std::move(made), std::move(meeting_place)};
  }
  std::string meeting_place = net::broadcast(link, std::string());
  const std::string shown = net::broadcast(link, std::string());
  return {io::join_shared(meeting_place, shown, type), std::move(meeting_place)};
}

void commit_files(net::Link* link, std::vector<std::unique_ptr<store::TileSink>>& sinks,
                  store::Durability durability) {
  const auto commit = [&] {
    for (const std::unique_ptr<store::TileSink>& sink : sinks) {
      sink->commit(durability);
    }
    sinks.clear();
  };
  if (link == nullptr || sinks.empty()) {
    commit();
    return;
  }
  if (link->process() != 0) {
    commit();
  }
  net::barrier(*link);
  if (link->process() == 0) {
    commit();
  }
  net::barrier(*link);
}

}  // namespace tessera::engine
