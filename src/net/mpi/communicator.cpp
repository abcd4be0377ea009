#include "net/mpi/communicator.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "base/error.h"

namespace tessera::net {

namespace {

/// The time that living processes have to learn of a failure and to finish pieces.
constexpr std::chrono::milliseconds kClosing{2000};
/// The time that MPI has to cancel receives.
constexpr std::chrono::milliseconds kCancelling{200};

}  // namespace

Communicator::Communicator(Callers& callers, int32_t process, int32_t num_processes,
                           const DelaySettings& delays)
    : callers_(callers), process_(process), delays_(delays), pause_(callers) {
  const auto conclude = [this](const Link::Done& done) { callers_.conclude(done); };
  for (int32_t other = 0; other < num_processes; ++other) {
    peers_.push_back({Channel(Direction::out, other, active_, conclude),
                      Channel(Direction::in, other, active_, conclude),
                      {},
                      other == process,
                      0,
                      std::nullopt});
  }
  words_.emplace(active_, num_processes,
                 [this](int32_t from, const Word& word) { hear(from, word); });
}

bool Communicator::run() {
  try {
    work_until_end();
  } catch (const std::exception& error) {
    callers_.fail({process_, ErrorKind::resource, error.what()});
  }
  bool is_clean = false;
  try {
    is_clean = close_down();
  } catch (const std::exception&) {
    // The first failure was reported; this one only means that MPI is of no more use.
  }
  callers_.tell_settled();
  callers_.wait_for_end();
  return is_clean;
}

void Communicator::work_until_end() {
  while (!callers_.failure() && !is_done()) {
    if (step()) {
      pause_.reset();
    } else {
      pause_.take(next_due(), is_moving());
    }
  }
}

/// Returns whether anything happened.
bool Communicator::step() {
  // Read before the requests are taken: requests come before the end.
  const bool is_end_asked_for = callers_.is_end_asked_for();
  std::vector<Request> requests = callers_.take_requests();
  bool is_busy = !requests.empty();
  for (Request& request : requests) {
    take(std::move(request));
  }
  bool is_idle = true;
  for (int32_t other = 0; other < static_cast<int32_t>(peers_.size()); ++other) {
    is_busy |= start(peer(other), other);
    is_idle &= peer(other).out.is_idle() && peer(other).in.is_idle();
  }
  if (is_end_asked_for && is_idle && !has_ended_) {
    end();
    is_busy = true;
  }
  return active_.test() || is_busy;
}

void Communicator::take(Request request) {
  Peer& other = peer(request.peer);
  Channel& channel = request.direction == Direction::out ? other.out : other.in;
  if (request.direction == Direction::in) {
    channel.add(request.memory, std::move(request.done));
    channel.start();
    other.offers.push_back(
        delays_.due(other.offers.empty() ? Delays::Time() : other.offers.back()));
    return;
  }
  channel.add(request.memory, std::move(request.done), delays_.due());
}

/// Starts the due messages to a process.
bool Communicator::start(Peer& peer, int32_t process) {
  Word word{WordKind::offered, process_, 0};
  const Delays::Time now = peer.offers.empty() ? Delays::Time() : std::chrono::steady_clock::now();
  while (!peer.offers.empty() && peer.offers.front() <= now) {
    peer.offers.pop_front();
    ++word.count;
  }
  if (word.count > 0) {
    words_->say(process, word);
  }
  const bool has_started = peer.out.start();
  if (const std::optional<int64_t> begun = peer.out.take_begun()) {
    words_->say(process, {WordKind::begun, process_, *begun});
  }
  return has_started || word.count > 0;
}

/// True if bytes are on their way, which MPI may have to carry in many steps.
bool Communicator::is_moving() const {
  return std::any_of(peers_.begin(), peers_.end(), [](const Peer& peer) {
    return peer.out.has_bytes_under_way() || peer.in.num_finished() < peer.num_pieces_begun;
  });
}

Delays::Time Communicator::next_due() const {
  Delays::Time due = Delays::Time::max();
  for (const Peer& peer : peers_) {
    due = std::min(due, peer.out.next_due());
    if (!peer.offers.empty()) {
      due = std::min(due, peer.offers.front());
    }
  }
  return due;
}

void Communicator::hear(int32_t from, const Word& word) {
  switch (word.kind) {
    case WordKind::offered:
      callers_.tell_offered(from, word.count);
      break;
    case WordKind::begun:
      peer(from).num_pieces_begun = word.count;
      break;
    case WordKind::failed:
      peer(from).num_pieces_in = word.count;
      callers_.fail({word.process, word.error, word.reason.data()});
      break;
    case WordKind::ended:
      peer(from).has_ended = true;
      break;
  }
}

void Communicator::end() {
  has_ended_ = true;
  for (int32_t other = 0; other < static_cast<int32_t>(peers_.size()); ++other) {
    if (other != process_) {
      words_->say(other, {WordKind::ended, process_, 0});
    }
  }
}

bool Communicator::is_done() const {
  return has_ended_ && active_.num_sends() == 0 &&
         std::all_of(peers_.begin(), peers_.end(), [](const Peer& peer) { return peer.has_ended; });
}

/// Finishes everything in progress. Returns true if that succeeded and all others do so too.
bool Communicator::close_down() {
  bool is_settled = true;
  if (const std::optional<Failure> failure = callers_.failure()) {
    callers_.tell_failure();
    say_failure(*failure);
    is_settled = test_until([this] { return this->is_settled(); }, kClosing);
  }
  active_.cancel_receives();
  const bool is_empty = test_until([this] { return active_.is_empty(); }, kCancelling);
  return is_settled && is_empty;
}

void Communicator::say_failure(const Failure& failure) {
  Word word{WordKind::failed, failure.process, 0, failure.kind};
  set_reason(word, failure.reason);
  for (int32_t other = 0; other < static_cast<int32_t>(peers_.size()); ++other) {
    if (other != process_) {
      word.count = peer(other).out.num_started();
      words_->say(other, word);
    }
  }
}

/// True if every piece that was begun anywhere has arrived, as far as it concerns this process.
bool Communicator::is_settled() const {
  return active_.num_sends() == 0 &&
         std::all_of(peers_.begin(), peers_.end(), [this](const Peer& peer) {
           return &peer == &peers_[static_cast<size_t>(process_)] ||
                  (peer.num_pieces_in && peer.in.num_finished() >= *peer.num_pieces_in);
         });
}

template <class IsSo>
bool Communicator::test_until(const IsSo& is_so, Callers::Duration longest) {
  const auto deadline = std::chrono::steady_clock::now() + longest;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > deadline) {
      return false;
    }
    if (!active_.test()) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  return true;
}

}  // namespace tessera::net
