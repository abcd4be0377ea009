#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "net/link.h"
#include "plan/task_graph.h"

namespace tessera::runtime {

/// What the sends and receives of one run ask of the link, if it has one.
///
/// Threads: as net::Link; the messages of a pair of sites are posted in the plan's order.
class Exchange {
 public:
  /// Null where the plan has one site. REQUIRES that both outlive it.
  Exchange(const plan::TaskGraph& graph, net::Link* link);

  /// Who hears of the link; null for nobody, who is told nothing.
  void listen(net::Listener* listener);

  /// Ends the run everywhere.
  void fail(const Error& error);

  int32_t num_sites() const { return static_cast<int32_t>(sent_before_.size()); }

  /// For how many of the run's messages a site has offered memory so far.
  int64_t num_offered(int32_t by) const;

  /// Gives the link a send or a receive whose tile is there; `done` is told its bytes.
  void post(plan::TaskId task, std::byte* tile, std::function<void(int64_t bytes)> done);

 private:
  const plan::TaskGraph& graph_;
  net::Link* link_;
  std::vector<int64_t> sent_before_;  // by site: messages before this run
};

}  // namespace tessera::runtime
