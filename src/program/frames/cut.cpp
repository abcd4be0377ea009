#include "program/frames/cut.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "program/frames/growth.h"

namespace tessera::program::frames {

namespace {

constexpr std::array<std::pair<std::string_view, Cutter>, 4> kCutters = {{
    {"gqap", Cutter::gqap},
    {"greedy", Cutter::greedy},
    {"min-cut", Cutter::min_cut},
    {"none", Cutter::none},
}};

/// After so many looks at edges a frame is chosen of those that were found.
constexpr int64_t kMostLooks = 1'000'000;

/// The best frame of those that were seen.
struct Choice {
  std::vector<size_t> members;
  double cost = 0;
  bool is_large_enough = false;

  bool is_better_than(const Choice& other) const {
    if (is_large_enough != other.is_large_enough) {
      return is_large_enough;
    }
    return cost < other.cost;
  }
};

/// The operators that are in no frame yet.
class Rest {
 public:
  explicit Rest(size_t num_operators)
      : is_assigned_(num_operators, false), num_left_(num_operators) {}

  bool is_empty() const { return num_left_ == 0; }
  size_t num_left() const { return num_left_; }
  const std::vector<bool>& is_assigned() const { return is_assigned_; }
  /// The first operator that has no frame: what it reads has one.
  size_t first() {
    while (is_assigned_[first_]) {
      ++first_;
    }
    return first_;
  }
  Frame take(std::vector<size_t> members) {
    std::sort(members.begin(), members.end());
    for (const size_t member : members) {
      is_assigned_[member] = true;
    }
    num_left_ -= members.size();
    return members;
  }

 private:
  std::vector<bool> is_assigned_;
  size_t num_left_;
  size_t first_ = 0;
};

std::vector<size_t> grown_from_first(Growth& growth, Rest& rest, size_t min) {
  growth.begin(rest.first(), rest.num_left());
  while (growth.members().size() < min && growth.grow()) {
  }
  return growth.members();
}

std::vector<size_t> best_of_all_starts(Growth& growth, Rest& rest, FrameSize size) {
  Choice best;
  const int64_t most_looks = growth.num_looks() + kMostLooks;
  const size_t num_operators = rest.is_assigned().size();
  for (size_t start = rest.first(); start < num_operators && growth.num_looks() <= most_looks;
       ++start) {
    if (rest.is_assigned()[start] || !growth.begin(start, size.max)) {
      continue;  // beyond what fits: others that start later may need less
    }
    do {
      const bool is_large_enough = growth.members().size() >= std::min(size.min, rest.num_left());
      const Choice seen{{}, growth.cost(), is_large_enough};
      if (best.members.empty() || seen.is_better_than(best)) {
        best = {growth.members(), seen.cost, is_large_enough};
      }
    } while (growth.grow());
  }
  return best.members;
}

}  // namespace

std::optional<Cutter> cutter_of(std::string_view name) {
  for (const auto& [known, cutter] : kCutters) {
    if (known == name) {
      return cutter;
    }
  }
  return std::nullopt;
}

std::string name_of(Cutter cutter) {
  for (const auto& [name, known] : kCutters) {
    if (known == cutter) {
      return std::string(name);
    }
  }
  return "";
}

std::vector<Frame> cut_in_frames(const OperatorGraph& graph, const Beliefs& beliefs, Cutter cutter,
                                 FrameSize size) {
  if (cutter == Cutter::none || graph.size() <= size.max) {
    Frame all(graph.size());
    std::iota(all.begin(), all.end(), size_t{0});
    return all.empty() ? std::vector<Frame>{} : std::vector<Frame>{std::move(all)};
  }
  const Beliefs weights = cutter == Cutter::min_cut ? Beliefs::equal(graph) : beliefs;
  Rest rest(graph.size());
  Growth growth(graph, weights, rest.is_assigned());
  std::vector<Frame> frames;
  while (!rest.is_empty()) {
    frames.push_back(rest.take(cutter == Cutter::greedy ? grown_from_first(growth, rest, size.min)
                                                        : best_of_all_starts(growth, rest, size)));
  }
  return frames;
}

std::vector<CutEdge> cut_edges(const OperatorGraph& graph, const Beliefs& beliefs,
                               const std::vector<Frame>& frames) {
  std::vector<size_t> frame_of(graph.size(), 0);
  for (size_t number = 0; number < frames.size(); ++number) {
    for (const size_t member : frames[number]) {
      frame_of[member] = number;
    }
  }
  std::vector<CutEdge> edges;
  for (size_t reader = 0; reader < graph.size(); ++reader) {
    for (const size_t producer : graph.operators[reader].reads) {
      if (frame_of[producer] != frame_of[reader]) {
        edges.push_back({producer, reader, beliefs.of(producer, reader)});
      }
    }
  }
  return edges;
}

}  // namespace tessera::program::frames
