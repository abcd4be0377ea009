#include "net/mpi/callers.h"

#include <utility>

#include "base/error.h"

namespace tessera::net {

namespace {

/// The longest wait for a call of MPI that does not return.
constexpr std::chrono::seconds kLongestSettling{5};

}  // namespace

void Callers::ask(Request request) {
  const std::lock_guard lock(mutex_);
  if (request.direction == Direction::out) {
    const auto peer = static_cast<size_t>(request.peer);
    TESSERA_CHECK(num_sent_.at(peer) < num_offered_.at(peer),
                  "a message is sent to process {}, which has offered no memory for it",
                  request.peer);
    ++num_sent_[peer];
  }
  requests_.push_back(std::move(request));
  woken_.notify_all();
}

void Callers::ask_for_end() {
  const std::lock_guard lock(mutex_);
  is_end_asked_for_ = true;
  woken_.notify_all();
}

int64_t Callers::num_offered(int32_t by) const {
  const std::lock_guard lock(mutex_);
  return num_offered_.at(static_cast<size_t>(by));
}

int64_t Callers::num_sent(int32_t to) const {
  const std::lock_guard lock(mutex_);
  return num_sent_.at(static_cast<size_t>(to));
}

void Callers::listen(Listener* listener) {
  std::unique_lock telling(telling_mutex_);
  listener_ = listener;
  was_told_ = false;
  telling.unlock();
  std::unique_lock lock(mutex_);
  if (failure_ && listener == nullptr) {
    woken_.wait_for(lock, kLongestSettling, [this] { return is_settled_; });
  }
  lock.unlock();
  tell_failure();
}

void Callers::fail(Failure failure) {
  const std::lock_guard lock(mutex_);
  if (!failure_) {
    failure_ = std::move(failure);
    woken_.notify_all();
  }
}

std::optional<Failure> Callers::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

std::vector<Request> Callers::take_requests() {
  const std::lock_guard lock(mutex_);
  return std::exchange(requests_, {});
}

bool Callers::is_end_asked_for() const {
  const std::lock_guard lock(mutex_);
  return is_end_asked_for_;
}

void Callers::sleep(Duration longest) {
  std::unique_lock lock(mutex_);
  const bool ended_before = is_end_asked_for_;
  woken_.wait_for(lock, longest, [&] {
    return !requests_.empty() || failure_ || is_end_asked_for_ != ended_before;
  });
}

void Callers::wait_for_end() {
  std::unique_lock lock(mutex_);
  woken_.wait(lock, [this] { return is_end_asked_for_; });
}

void Callers::tell_offered(int32_t by, int64_t num_messages) {
  for (int64_t i = 0; i < num_messages; ++i) {
    const std::lock_guard telling(telling_mutex_);
    {
      const std::lock_guard lock(mutex_);
      ++num_offered_[static_cast<size_t>(by)];
    }
    if (listener_ != nullptr && !failure()) {
      listener_->offered(by);
    }
  }
}

void Callers::tell_failure() {
  const std::lock_guard telling(telling_mutex_);
  const std::optional<Failure> failure = this->failure();
  if (failure && listener_ != nullptr && !std::exchange(was_told_, true)) {
    listener_->failed(*failure);
  }
}

void Callers::conclude(const Link::Done& done) {
  const std::lock_guard telling(telling_mutex_);
  if (!failure()) {
    done();
  }
}

void Callers::tell_settled() {
  const std::lock_guard lock(mutex_);
  is_settled_ = true;
  woken_.notify_all();
}

}  // namespace tessera::net
