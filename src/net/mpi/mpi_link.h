#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "net/delays.h"
#include "net/launcher.h"
#include "net/link.h"
#include "net/mpi/callers.h"

namespace tessera::net {

/// A link over MPI, which one thread of its own starts, calls and ends.
///
/// It ends when all requests are done, on every process; after a failure, when memory of callers is
/// left alone. MPI then has a bounded time to end, and is abandoned afterwards.
class MpiLink : public Link {
 public:
  /// Errors: those of Session.
  MpiLink(const Launcher& launcher, const DelaySettings& delays);
  ~MpiLink() override;
  MpiLink(const MpiLink&) = delete;
  MpiLink& operator=(const MpiLink&) = delete;

  int32_t process() const override { return world_.process; }
  int32_t num_processes() const override { return static_cast<int32_t>(world_.hosts.size()); }
  std::string host(int32_t process) const override {
    return world_.hosts.at(static_cast<size_t>(process));
  }
  void receive(int32_t from, std::span<std::byte> into, Done done) override;
  void send(int32_t to, std::span<const std::byte> message, Done done) override;
  int64_t num_offered(int32_t by) const override { return callers_->num_offered(by); }
  int64_t num_sent(int32_t to) const override { return callers_->num_sent(to); }
  void listen(Listener* listener) override { callers_->listen(listener); }
  void fail(ErrorKind kind, const std::string& reason) override {
    callers_->fail({world_.process, kind, reason});
  }

 private:
  struct World {
    int32_t process = 0;
    std::vector<std::string> hosts;
    std::shared_ptr<Callers> callers;
  };

  static void communicate(const Launcher& launcher, const DelaySettings& delays,
                          std::promise<World> world, std::promise<void> ended);

  std::future<void> ended_;
  std::thread thread_;
  World world_;
  std::shared_ptr<Callers> callers_;  // shared with the thread, which may outlive the link
};

}  // namespace tessera::net
