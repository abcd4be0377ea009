#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "net/link.h"
#include "plan/task_graph.h"

namespace tessera::runtime {

/// The messages between one run's sends and receives and the link, if there is one.
///
/// Threads: like net::Link; the messages of a pair of sites are posted in the plan's order.
class Exchange {
 public:
  /// Takes null if the plan has one site. REQUIRES that both outlive it.
  Exchange(const plan::TaskGraph& graph, net::Link* link);

  /// Sets the listener to the link; null for none.
  void listen(net::Listener* listener);

  /// Ends the run everywhere.
  void fail(const Error& error);

  int32_t num_sites() const { return static_cast<int32_t>(sent_before_.size()); }

  /// Returns the number of the run's messages for which a site has offered memory so far.
  int64_t num_offered(int32_t by) const;

  /// Gives the link a send or a receive whose tile is there; `done` receives its bytes.
  void post(plan::TaskId task, std::byte* tile, std::function<void(int64_t bytes)> done);

 private:
  const plan::TaskGraph& graph_;
  net::Link* link_;
  std::vector<int64_t> sent_before_;  // by site: messages before this run
};

}  // namespace tessera::runtime
