#include "runtime/threads/exchange.h"

#include <span>
#include <utility>

#include "net/run_error.h"

namespace tessera::runtime {

Exchange::Exchange(const plan::TaskGraph& graph, net::Link* link) : graph_(graph), link_(link) {
  for (int32_t site = 0; link != nullptr && site < link->num_processes(); ++site) {
    sent_before_.push_back(link->num_sent(site));
  }
}

void Exchange::listen(net::Listener* listener) {
  if (link_ != nullptr) {
    link_->listen(listener);
  }
}

void Exchange::fail(const Error& error) {
  if (link_ != nullptr) {
    const bool is_of_run =
        error.kind() == ErrorKind::user || error.kind() == ErrorKind::unsupported;
    link_->fail(error.kind(), is_of_run ? net::reason_of_run(error) : error.full_text());
  }
}

int64_t Exchange::num_offered(int32_t by) const {
  return link_->num_offered(by) - sent_before_[static_cast<size_t>(by)];
}

void Exchange::post(plan::TaskId id, std::byte* tile, std::function<void(int64_t bytes)> done) {
  const plan::TaskInfo& task = graph_.tasks[id.index()];
  const bool is_sent = task.kind == plan::TaskKind::send;
  const plan::TileInfo& info = graph_.at((is_sent ? task.inputs : task.outputs)[0].tile);
  const int64_t bytes = bytes_of(info.type).at_most;
  const std::span<std::byte> memory(tile, static_cast<size_t>(bytes));
  net::Link::Done told = [done = std::move(done), bytes] { done(bytes); };
  if (is_sent) {
    link_->send(task.peer.value, memory, std::move(told));
  } else {
    link_->receive(task.peer.value, memory, std::move(told));
  }
}

}  // namespace tessera::runtime
