#include "net/messages.h"

#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "base/error.h"
#include "net/run_error.h"

namespace tessera::net {

namespace {

/// A listener that waits for the link.
class Waiter : public Listener {
 public:
  explicit Waiter(Link& link) : link_(link) { link.listen(this); }
  ~Waiter() override { link_.listen(nullptr); }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  void offered(int32_t) override {
    note([] {});
  }
  void failed(const Failure& failure) override {
    note([&] { failure_ = error_of(link_, failure); });
  }

  void send(int32_t to, std::span<const std::byte> bytes) {
    wait_for([&] { return link_.num_offered(to) > link_.num_sent(to); });
    bool is_done = false;
    link_.send(to, bytes, [&] { note([&] { is_done = true; }); });
    wait_for([&] { return is_done; });
  }

  void receive(int32_t from, std::span<std::byte> into) {
    bool is_done = false;
    link_.receive(from, into, [&] { note([&] { is_done = true; }); });
    wait_for([&] { return is_done; });
  }

 private:
  template <class Change>
  void note(const Change& change) {
    const std::lock_guard lock(mutex_);
    change();
    changed_.notify_all();
  }

  /// Waits. On a failure it leaves the link first, because the memory it gave to the link is about
  /// to end.
  void wait_for(const std::function<bool()>& is_so) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failure_ || is_so(); });
    if (!is_so()) {
      lock.unlock();
      link_.listen(nullptr);
      throw Error(*failure_);
    }
  }

  Link& link_;
  std::mutex mutex_;  // of the members below
  std::condition_variable changed_;
  std::optional<Error> failure_;
};

}  // namespace

void tell(Link& link, int32_t to, std::span<const std::byte> bytes) {
  Waiter waiter(link);
  const auto size = static_cast<int64_t>(bytes.size());
  waiter.send(to, std::as_bytes(std::span(&size, 1)));
  if (size > 0) {
    waiter.send(to, bytes);
  }
}

std::vector<std::byte> hear(Link& link, int32_t from) {
  Waiter waiter(link);
  int64_t size = 0;
  waiter.receive(from, std::as_writable_bytes(std::span(&size, 1)));
  std::vector<std::byte> bytes(static_cast<size_t>(size));
  if (size > 0) {
    waiter.receive(from, bytes);
  }
  return bytes;
}

std::vector<std::vector<std::byte>> gather(Link& link, std::span<const std::byte> bytes) {
  if (link.process() != 0) {
    tell(link, 0, bytes);
    return {};
  }
  std::vector<std::vector<std::byte>> all = {{bytes.begin(), bytes.end()}};
  for (int32_t process = 1; process < link.num_processes(); ++process) {
    all.push_back(hear(link, process));
  }
  return all;
}

std::vector<std::byte> broadcast(Link& link, std::span<const std::byte> bytes) {
  if (link.process() != 0) {
    return hear(link, 0);
  }
  for (int32_t process = 1; process < link.num_processes(); ++process) {
    tell(link, process, bytes);
  }
  return {bytes.begin(), bytes.end()};
}

std::string broadcast(Link& link, const std::string& text) {
  const std::vector<std::byte> bytes =
      broadcast(link, std::as_bytes(std::span(text.data(), text.size())));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void barrier(Link& link) {
  gather(link, {});
  broadcast(link, std::span<const std::byte>());
}

std::string name_of(const Link& link, int32_t process) {
  const std::string host = link.host(process);
  return host.empty() ? fmt::format("process {}", process)
                      : fmt::format("process {} (host {})", process, host);
}

Error error_of(const Link& link, const Failure& failure) {
  if (std::optional<Error> error = error_of_run(failure)) {
    return std::move(*error);
  }
  const bool is_interrupted = failure.kind == ErrorKind::interrupted;
  return {failure.kind, fmt::format("{}{}: {}", name_of(link, failure.process),
                                    is_interrupted ? "" : " failed", failure.reason)};
}

}  // namespace tessera::net
