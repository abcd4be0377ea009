#include "net/loopback.h"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/error.h"

namespace tessera::net {

namespace {

using Clock = std::chrono::steady_clock;

/// The traffic from one process to another.
struct Pair {
  struct Offer {
    std::span<std::byte> into;
    Link::Done done;
  };
  struct Message {
    std::span<const std::byte> bytes;
    Link::Done done;
    Clock::time_point due;
  };
  std::deque<Offer> offers;
  std::deque<Message> messages;
  std::deque<Clock::time_point> words;  // times at which the sender learns of offers
  int64_t num_offered = 0;              // that the sender knows of
  int64_t num_sent = 0;
};

/// The state that all links share, and the thread that carries everything.
class Exchange {
 public:
  Exchange(int32_t num_processes, const LoopbackOptions& options)
      : num_processes_(num_processes),
        delays_(options),
        pairs_(static_cast<size_t>(num_processes) * static_cast<size_t>(num_processes)),
        listeners_(static_cast<size_t>(num_processes)),
        was_told_(static_cast<size_t>(num_processes)),
        thread_([this](const std::stop_token& stop) { carry(stop); }) {}

  ~Exchange() {
    thread_.request_stop();
    woken_.notify_all();
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  int32_t num_processes() const { return num_processes_; }

  void offer(int32_t from, int32_t to, Pair::Offer offer) {
    const std::lock_guard lock(mutex_);
    Pair& pair = pair_of(from, to);
    pair.offers.push_back(std::move(offer));
    pair.words.push_back(delays_.due(pair.words.empty() ? Clock::time_point() : pair.words.back()));
    woken_.notify_all();
  }

  void send(int32_t from, int32_t to, std::span<const std::byte> bytes, Link::Done done) {
    const std::lock_guard lock(mutex_);
    Pair& pair = pair_of(from, to);
    TESSERA_CHECK(pair.num_sent < pair.num_offered,
                  "process {} sends to {}, which has offered no memory for it", from, to);
    ++pair.num_sent;
    const Clock::time_point earliest =
        pair.messages.empty() ? Clock::time_point() : pair.messages.back().due;
    pair.messages.push_back({bytes, std::move(done), delays_.due(earliest)});
    woken_.notify_all();
  }

  int64_t num_offered(int32_t from, int32_t to) {
    const std::lock_guard lock(mutex_);
    return pair_of(from, to).num_offered;
  }

  int64_t num_sent(int32_t from, int32_t to) {
    const std::lock_guard lock(mutex_);
    return pair_of(from, to).num_sent;
  }

  void listen(int32_t process, Listener* listener) {
    const std::lock_guard telling(telling_mutex_);
    std::optional<Failure> failure;
    {
      const std::lock_guard lock(mutex_);
      listeners_[static_cast<size_t>(process)] = listener;
      failure = failure_;
      was_told_[static_cast<size_t>(process)] = listener != nullptr && failure;
    }
    if (listener != nullptr && failure) {
      listener->failed(*failure);
    }
  }

  void fail(Failure failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) {
      failure_ = std::move(failure);
      must_tell_failure_ = true;
      woken_.notify_all();
    }
  }

 private:
  Pair& pair_of(int32_t from, int32_t to) {
    return pairs_[static_cast<size_t>(from) * static_cast<size_t>(num_processes_) +
                  static_cast<size_t>(to)];
  }

  /// Returns the next event that is due; nothing if none is.
  std::function<void()> next_event() {
    const Clock::time_point now = Clock::now();
    if (std::exchange(must_tell_failure_, false)) {
      return [this] { tell_failure(); };
    }
    if (failure_) {
      return nullptr;
    }
    for (int32_t from = 0; from < num_processes_; ++from) {
      for (int32_t to = 0; to < num_processes_; ++to) {
        Pair& pair = pair_of(from, to);
        if (!pair.words.empty() && pair.words.front() <= now) {
          pair.words.pop_front();
          ++pair.num_offered;
          return [this, from, to] { tell_offer(from, to); };
        }
        if (!pair.messages.empty() && pair.messages.front().due <= now) {
          return copied(pair);
        }
      }
    }
    return nullptr;
  }

  static std::function<void()> copied(Pair& pair) {
    Pair::Message message = std::move(pair.messages.front());
    Pair::Offer offer = std::move(pair.offers.front());
    pair.messages.pop_front();
    pair.offers.pop_front();
    return [message = std::move(message), offer = std::move(offer)] {
      TESSERA_CHECK(message.bytes.size() == offer.into.size(),
                    "a message of {} bytes meets memory of {}", message.bytes.size(),
                    offer.into.size());
      std::memcpy(offer.into.data(), message.bytes.data(), message.bytes.size());
      message.done();
      offer.done();
    };
  }

  void tell_offer(int32_t from, int32_t to) {
    if (Listener* const listener = listeners_[static_cast<size_t>(from)]) {
      listener->offered(to);
    }
  }

  void tell_failure() {
    for (size_t process = 0; process < listeners_.size(); ++process) {
      if (listeners_[process] != nullptr && !was_told_[process]) {
        listeners_[process]->failed(*failure_);
      }
    }
  }

  void carry(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      // Held during a call, so that a removed listener gets no further ones.
      std::unique_lock telling(telling_mutex_);
      std::unique_lock lock(mutex_);
      const std::function<void()> event = next_event();
      if (event == nullptr) {
        telling.unlock();
        woken_.wait_for(lock, kPoll);
        continue;
      }
      lock.unlock();
      event();
    }
  }

  static constexpr std::chrono::microseconds kPoll{50};

  int32_t num_processes_;
  std::mutex telling_mutex_;  // taken before the other
  std::mutex mutex_;          // of the members below
  std::condition_variable woken_;
  Delays delays_;
  std::vector<Pair> pairs_;  // by sender and receiver
  std::vector<Listener*> listeners_;
  std::vector<bool> was_told_;  // true if the listener knows of the failure
  std::optional<Failure> failure_;
  bool must_tell_failure_ = false;
  std::jthread thread_;
};

class LoopbackLink : public Link {
 public:
  LoopbackLink(int32_t process, std::shared_ptr<Exchange> exchange)
      : process_(process), exchange_(std::move(exchange)) {}

  int32_t process() const override { return process_; }
  int32_t num_processes() const override { return exchange_->num_processes(); }
  void receive(int32_t from, std::span<std::byte> into, Done done) override {
    exchange_->offer(from, process_, {into, std::move(done)});
  }
  void send(int32_t to, std::span<const std::byte> message, Done done) override {
    exchange_->send(process_, to, message, std::move(done));
  }
  int64_t num_offered(int32_t by) const override { return exchange_->num_offered(process_, by); }
  int64_t num_sent(int32_t to) const override { return exchange_->num_sent(process_, to); }
  void listen(Listener* listener) override { exchange_->listen(process_, listener); }
  void fail(ErrorKind kind, const std::string& reason) override {
    exchange_->fail({process_, kind, reason});
  }

 private:
  int32_t process_;
  std::shared_ptr<Exchange> exchange_;
};

}  // namespace

std::vector<std::unique_ptr<Link>> make_loopback(int32_t num_processes,
                                                 const LoopbackOptions& options) {
  const auto exchange = std::make_shared<Exchange>(num_processes, options);
  std::vector<std::unique_ptr<Link>> links;
  for (int32_t process = 0; process < num_processes; ++process) {
    links.push_back(std::make_unique<LoopbackLink>(process, exchange));
  }
  return links;
}

}  // namespace tessera::net
