// What a link keeps between processes; run by mpirun.
//
//   exchange drawn TIMES  all exchange drawn messages; each must arrive as it was sent
//   exchange fail N       the same without end, until process N fails; all must hear it once
//   exchange busy N       the same, and process 0 has its link for 30 s more
//   exchange idle SECONDS nothing happens; prints the processor time that each took
//   exchange run          messages without end, until the process is killed
//
// Says what is wrong and ends with 1.

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <sys/resource.h>

#include "base/error.h"
#include "net/drawn_exchange.h"
#include "net/join.h"
#include "net/link.h"
#include "net/messages.h"

namespace tessera::net {
namespace {

using std::chrono::steady_clock;

/// What the link says, for the main thread to act on.
class Events : public Listener {
 public:
  void offered(int32_t) override {
    post([] {});
  }
  void failed(const Failure& failure) override {
    post([this, failure] {
      failures.push_back(fmt::format("{}: {}", failure.process, failure.reason));
    });
  }
  void post(std::function<void()> event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
    woken_.notify_all();
  }
  /// Waits for the next one, and does what it says.
  void take() {
    std::unique_lock lock(mutex_);
    woken_.wait(lock, [this] { return !events_.empty(); });
    const std::function<void()> event = std::move(events_.front());
    events_.pop_front();
    lock.unlock();
    event();
  }
  size_t num_waiting() {
    const std::lock_guard lock(mutex_);
    return events_.size();
  }

  std::vector<std::string> failures;

 private:
  std::mutex mutex_;
  std::condition_variable woken_;
  std::deque<std::function<void()>> events_;
};

/// The exchange of this process with one other.
struct Partner {
  int32_t process = 0;
  std::vector<int64_t> out_sizes;
  std::vector<int64_t> in_sizes;
  size_t num_sending = 0, num_sent = 0, num_offered = 0, num_received = 0;
  std::map<size_t, std::vector<std::byte>> out;
  std::map<size_t, std::vector<std::byte>> in;
};

class Exchange {
 public:
  Exchange(Link& link, uint64_t seed, int64_t longest)
      : link_(link), drawn_(link.num_processes(), seed, longest) {
    for (int32_t other = 0; other < link.num_processes(); ++other) {
      if (other != link.process()) {
        partners_.push_back({other,
                             drawn_.sizes(link.process(), other),
                             drawn_.sizes(other, link.process()),
                             0,
                             0,
                             0,
                             0,
                             {},
                             {}});
      }
    }
  }

  /// Until all is there, or a process fails.
  void run(Events& events) {
    while (!is_done() && events.failures.empty()) {
      for (Partner& partner : partners_) {
        offer(partner, events);
        send(partner, events);
      }
      if (!is_done() && events.failures.empty()) {
        events.take();
      }
    }
  }

 private:
  static constexpr size_t kMostOffers = 3;

  bool is_done() const {
    for (const Partner& partner : partners_) {
      if (partner.num_sent < partner.out_sizes.size() ||
          partner.num_received < partner.in_sizes.size()) {
        return false;
      }
    }
    return true;
  }

  void offer(Partner& partner, Events& events) {
    while (partner.num_offered < partner.in_sizes.size() &&
           partner.num_offered < partner.num_received + kMostOffers) {
      const size_t message = partner.num_offered++;
      std::vector<std::byte>& bytes = partner.in[message];
      bytes.resize(static_cast<size_t>(partner.in_sizes[message]));
      link_.receive(partner.process, bytes, [this, &partner, &events, message] {
        events.post([this, &partner, message] { check(partner, message); });
      });
    }
  }

  void check(Partner& partner, size_t message) {
    TESSERA_CHECK(message == partner.num_received, "message {} of {} is there before {}", message,
                  partner.process, partner.num_received);
    TESSERA_CHECK(drawn_.is_right(partner.process, link_.process(), message, partner.in[message]),
                  "message {} of {} bytes from {} is damaged", message, partner.in[message].size(),
                  partner.process);
    partner.in.erase(message);
    ++partner.num_received;
  }

  void send(Partner& partner, Events& events) {
    while (partner.num_sending < partner.out_sizes.size() &&
           link_.num_offered(partner.process) > link_.num_sent(partner.process)) {
      const size_t message = partner.num_sending++;
      std::vector<std::byte>& bytes = partner.out[message];
      bytes.resize(static_cast<size_t>(partner.out_sizes[message]));
      drawn_.fill(link_.process(), partner.process, message, bytes);
      link_.send(partner.process, bytes, [&partner, &events, message] {
        events.post([&partner, message] {
          partner.out.erase(message);
          ++partner.num_sent;
        });
      });
    }
  }

  Link& link_;
  DrawnExchange drawn_;
  std::deque<Partner> partners_;
};

void exchange_drawn(Link& link, uint64_t times) {
  for (uint64_t seed = 0; seed < times; ++seed) {
    Events events;
    link.listen(&events);
    Exchange(link, seed, int64_t{200} << 20).run(events);
    link.listen(nullptr);
    TESSERA_CHECK(events.failures.empty(), "a process fails: {}", events.failures.front());
  }
  const std::string own = name_of(link, link.process());
  const auto all = gather(link, std::as_bytes(std::span(own)));
  TESSERA_CHECK(all.size() == (link.process() == 0 ? static_cast<size_t>(link.num_processes()) : 0),
                "{} processes are heard", all.size());
  for (int32_t process = 0; process < static_cast<int32_t>(all.size()); ++process) {
    const std::string name = name_of(link, process);
    const std::vector<std::byte>& heard = all[static_cast<size_t>(process)];
    TESSERA_CHECK(std::memcmp(heard.data(), name.data(), name.size()) == 0, "not {}", name);
  }
}

void exchange_until_failure(Link& link, int32_t failing) {
  Events events;
  link.listen(&events);
  std::jthread failure;
  if (link.process() == failing) {
    failure = std::jthread([&link] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1000));
      link.fail(ErrorKind::resource, "the disk is full");
    });
  }
  for (uint64_t seed = 0; events.failures.empty(); ++seed) {
    // What was given to the link is freed after nobody listens any more.
    Exchange exchange(link, seed, 0);
    exchange.run(events);
    if (!events.failures.empty()) {
      link.listen(nullptr);
    }
  }
  const size_t num_waiting = events.num_waiting();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  TESSERA_CHECK(events.num_waiting() == num_waiting, "the link says something to nobody");
  while (events.num_waiting() > 0) {
    events.take();
  }
  TESSERA_CHECK(events.failures.size() == 1, "{} failures are heard", events.failures.size());
  TESSERA_CHECK(events.failures[0] == fmt::format("{}: the disk is full", failing), "heard {}",
                events.failures[0]);
  fmt::print("{} heard it\n", link.process());
  std::fflush(stdout);
}

double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

void stay_idle(Link& link, int64_t seconds) {
  Events events;
  link.listen(&events);
  const double before = processor_seconds();
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  fmt::print("{}: {:.3f} s of {} s\n", link.process(), processor_seconds() - before, seconds);
  link.listen(nullptr);
}

void run(const std::string& what, int64_t number) {
  const std::unique_ptr<Link> link = join();
  TESSERA_CHECK(link != nullptr, "this process runs alone");
  if (what == "drawn") {
    exchange_drawn(*link, static_cast<uint64_t>(number));
  } else if (what == "fail" || what == "busy") {
    exchange_until_failure(*link, static_cast<int32_t>(number));
    std::this_thread::sleep_for(
        std::chrono::seconds(what == "busy" && link->process() == 0 ? 30 : 0));
  } else if (what == "idle") {
    stay_idle(*link, number);
  } else if (what == "run") {
    exchange_until_failure(*link, -1);
  } else {
    throw_error(ErrorKind::user, "exchange {} is not known", what);
  }
}

}  // namespace
}  // namespace tessera::net

int main(int argc, char** argv) {
  try {
    tessera::net::run(argc > 1 ? argv[1] : "", argc > 2 ? std::atoi(argv[2]) : 0);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "exchange: {}\n", error.what());
    return 1;
  }
}
