#include "engine/checkpoints/cuts.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace tessera::engine {

namespace {

/// The best partition before a position: the cost of its parts, and the beginning of the last.
/// (Frames of a plan are chosen similarly, but their bound may never be passed, and they count the
/// bytes that cross a cut, not the seconds to write new results: plan/frames.cpp.)
struct CheckpointPartition {
  double excess = 0;  // work beyond the limit between two cuts, in seconds squared: a death
                      // in a part twice as long is twice as likely, and costs twice as much
  double kept_seconds = 0;
  size_t num_parts = 0;
  size_t from = 0;

  friend bool operator<(const CheckpointPartition& a, const CheckpointPartition& b) {
    return std::tie(a.excess, a.kept_seconds, a.num_parts) <
           std::tie(b.excess, b.kept_seconds, b.num_parts);
  }
};

/// The vertices from one cut to the next.
struct CheckpointPart {
  double seconds = 0;
  double kept_seconds = 0;  // of results made in it and read behind it

  void add(const VertexCost& vertex, size_t end) {
    seconds += vertex.seconds;
    kept_seconds += vertex.read_until >= end ? vertex.kept_seconds : 0;
  }
};

/// True if a part is worth a checkpoint. A short part saves little, and a death in it is unlikely.
bool is_worth_it(const CheckpointPart& part, const CutRules& rules) {
  constexpr double kLeastShare = 0.25;
  const bool may_be_dear = part.seconds >= rules.dear_seconds;
  return part.seconds >= kLeastShare * rules.most_seconds &&
         part.kept_seconds <= (may_be_dear ? 1 : rules.most_price) * part.seconds;
}

CheckpointPartition followed_by(const CheckpointPartition& before, const CheckpointPart& part,
                                const CutRules& rules, size_t begin) {
  const double excess = std::max(0.0, part.seconds - rules.most_seconds);
  return {before.excess + excess * excess, before.kept_seconds + part.kept_seconds,
          before.num_parts + 1, begin};
}

}  // namespace

std::vector<size_t> cuts_of(const std::vector<VertexCost>& vertices, const CutRules& rules) {
  const size_t last = vertices.size();
  std::vector<std::optional<CheckpointPartition>> partitions(last + 1);
  std::optional<CheckpointPartition> kept;  // with the results
  partitions[0] = CheckpointPartition();
  const auto note = [](std::optional<CheckpointPartition>& best,
                       const CheckpointPartition& partition) {
    best = best ? std::min(*best, partition) : partition;
  };
  for (size_t end = 1; end <= last; ++end) {
    if (end < last && vertices[end].is_joined) {
      continue;
    }
    CheckpointPart part;
    for (size_t begin = end; begin-- > 0;) {
      part.add(vertices[begin], end);
      CheckpointPart judged = part;
      if (end == last) {
        judged.kept_seconds = 0;  // results have files of their own
      }
      const bool is_whole = begin == 0 && end == last;
      if (partitions[begin] && (is_whole || is_worth_it(judged, rules))) {
        note(partitions[end], followed_by(*partitions[begin], judged, rules, begin));
      }
      if (partitions[begin] && end == last && rules.keeps_results && is_worth_it(part, rules)) {
        note(kept, followed_by(*partitions[begin], part, rules, begin));
      }
    }
  }
  std::vector<size_t> cuts;
  if (kept) {
    cuts.push_back(last);
    partitions[last] = kept;
  }
  for (size_t end = last; end > 0 && partitions[end]->from > 0; end = partitions[end]->from) {
    cuts.push_back(partitions[end]->from);
  }
  std::reverse(cuts.begin(), cuts.end());
  return cuts;
}

}  // namespace tessera::engine
