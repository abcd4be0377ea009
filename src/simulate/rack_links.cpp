#include "simulate/rack_links.h"

#include <algorithm>
#include <limits>

namespace tessera::simulate {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Merges changes within a nanosecond, like SimGrid (surf/precision); late in a long simulation,
/// within the precision of a clock in double precision.
double instant_at(double now) {
  return std::max(1e-9, 1e-15 * now);
}

/// Levels that differ by rounding count as equal.
constexpr double kRounding = 1 + 1e-12;

}  // namespace

RackLinks::RackLinks(const Cluster& cluster)
    : cluster_(cluster), num_sites_(cluster.sites.size()), next_change_(kNever) {
  // Out of every site, into every site, out of every rack, into every rack.
  for (int direction = 0; direction < 2; ++direction) {
    for (size_t site = 0; site < cluster.sites.size(); ++site) {
      capacity_.push_back(cluster.data_rate(site));
    }
  }
  capacity_.insert(capacity_.end(), 2 * cluster.num_racks(), cluster.rack_data_rate());
  moves_on_.resize(capacity_.size());
  shares_.resize(capacity_.size());
}

void RackLinks::start(int64_t activity, int32_t from, int32_t to, double bytes, double now) {
  Delayed delayed;
  Move& move = delayed.move;
  move.activity = activity;
  move.number = num_started_++;
  const auto takes = [&](size_t link) {
    move.links[static_cast<size_t>(move.num_links++)] = static_cast<int32_t>(link);
  };
  takes(static_cast<size_t>(from));
  takes(num_sites_ + static_cast<size_t>(to));
  if (cluster_.rack_of(from) != cluster_.rack_of(to)) {
    takes(2 * num_sites_ + cluster_.rack_of(from));
    takes(2 * num_sites_ + cluster_.num_racks() + cluster_.rack_of(to));
  }
  delayed.bytes = bytes;
  delayed.begins = now + cluster_.network.latency_seconds;
  delayed_.push_back(delayed);
  next_change_ = std::min(next_change_, delayed.begins);
}

void RackLinks::advance(double now, std::vector<int64_t>& ended) {
  const double passed = now - now_;
  now_ = now;
  for (size_t move = 0; move < moves_.size(); ++move) {
    left_[move] -= rate_[move] * passed;
  }
  const double instant = instant_at(now);
  if (now < next_change_ - instant) {
    return;
  }
  std::vector<std::pair<int64_t, int64_t>> ends;  // number and activity
  for (size_t move = moves_.size(); move-- > 0;) {
    if (left_[move] <= rate_[move] * instant) {
      ends.emplace_back(moves_[move].number, moves_[move].activity);
      remove(move);
    }
  }
  std::sort(ends.begin(), ends.end());
  for (const auto& [number, activity] : ends) {
    ended.push_back(activity);
  }
  while (!delayed_.empty() && delayed_.front().begins <= now + instant) {
    add(delayed_.front());
    delayed_.pop_front();
  }
  share();
}

void RackLinks::add(const Delayed& delayed) {
  const auto number = static_cast<int32_t>(moves_.size());
  moves_.push_back(delayed.move);
  left_.push_back(delayed.bytes);
  rate_.push_back(0);
  Move& move = moves_.back();
  for (size_t end = 0; end < static_cast<size_t>(move.num_links); ++end) {
    std::vector<int32_t>& beside = moves_on_[static_cast<size_t>(move.links[end])];
    move.places[end] = static_cast<int32_t>(beside.size());
    beside.push_back(number);
  }
}

/// Removes a move. The last one takes its place, in the arrays and on every link.
void RackLinks::remove(size_t number) {
  const Move& gone = moves_[number];
  for (size_t end = 0; end < static_cast<size_t>(gone.num_links); ++end) {
    const int32_t link = gone.links[end];
    std::vector<int32_t>& beside = moves_on_[static_cast<size_t>(link)];
    const int32_t last = beside.back();
    beside[static_cast<size_t>(gone.places[end])] = last;
    beside.pop_back();
    Move& last_move = moves_[static_cast<size_t>(last)];
    const auto place =
        std::find(last_move.links.begin(), last_move.links.end(), link) - last_move.links.begin();
    last_move.places[static_cast<size_t>(place)] = gone.places[end];
  }
  if (number + 1 < moves_.size()) {
    moves_[number] = moves_.back();
    left_[number] = left_.back();
    rate_[number] = rate_.back();
    const Move& move = moves_[number];
    for (size_t end = 0; end < static_cast<size_t>(move.num_links); ++end) {
      moves_on_[static_cast<size_t>(move.links[end])][static_cast<size_t>(move.places[end])] =
          static_cast<int32_t>(number);
    }
  }
  moves_.pop_back();
  left_.pop_back();
  rate_.pop_back();
}

/// Computes the rates of all moves, and the time of their next change.
///
/// The link with the lowest even shares gives them to its moves; then the rest of the others is
/// shared again. Levels only rise, so the links of sites, which are many, are looked at only when
/// racks have risen beyond their lowest level.
void RackLinks::share() {
  site_links_.clear();
  rack_links_.clear();
  for (size_t link = 0; link < capacity_.size(); ++link) {
    shares_[link] = {capacity_[link], static_cast<int32_t>(moves_on_[link].size())};
    const bool is_of_site = link < 2 * num_sites_;
    (is_of_site ? site_links_ : rack_links_).push_back(static_cast<int32_t>(link));
  }
  std::fill(rate_.begin(), rate_.end(), -1.0);
  double of_sites = lowest_level(site_links_);
  for (;;) {
    const double of_racks = lowest_level(rack_links_);
    if (of_racks > of_sites) {
      of_sites = lowest_level(site_links_);
    }
    if (of_sites == kNever && of_racks == kNever) {
      break;
    }
    fill(of_racks <= of_sites ? rack_links_ : site_links_, std::min(of_racks, of_sites));
  }
  next_change_ = kNever;
  if (!delayed_.empty()) {
    next_change_ = delayed_.front().begins;
  }
  for (size_t move = 0; move < moves_.size(); ++move) {
    next_change_ = std::min(next_change_, now_ + std::max(0.0, left_[move]) / rate_[move]);
  }
}

/// Returns the lowest even share of these links; removes links without unshared moves.
double RackLinks::lowest_level(std::vector<int32_t>& links) {
  double lowest = kNever;
  size_t num_kept = 0;
  for (const int32_t link : links) {
    const Share& share = shares_[static_cast<size_t>(link)];
    if (share.num_moves > 0) {
      links[num_kept++] = link;
      lowest = std::min(lowest, share.rest / share.num_moves);
    }
  }
  links.resize(num_kept);
  return lowest;
}

/// Gives this rate to moves on links at this level.
void RackLinks::fill(const std::vector<int32_t>& links, double level) {
  for (const int32_t link : links) {
    const Share share = shares_[static_cast<size_t>(link)];
    if (share.num_moves == 0 || share.rest > level * kRounding * share.num_moves) {
      continue;
    }
    for (const int32_t number : moves_on_[static_cast<size_t>(link)]) {
      double& rate = rate_[static_cast<size_t>(number)];
      if (rate >= 0) {
        continue;
      }
      rate = level;
      const Move& move = moves_[static_cast<size_t>(number)];
      for (size_t end = 0; end < static_cast<size_t>(move.num_links); ++end) {
        Share& beside = shares_[static_cast<size_t>(move.links[end])];
        beside.rest -= level;
        --beside.num_moves;
      }
    }
  }
}

}  // namespace tessera::simulate
