#include "engine/checkpoints/cuts.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace tessera::engine {

namespace {

/// The best partition before a position: the cost of its parts, and the beginning of the last.
/// (Frames of a plan are chosen similarly, but their bound may never be passed, and they count the
/// bytes that cross a cut, not the seconds to write new results: plan/frames.cpp.)
struct Way {
  double excess = 0;  // work beyond the limit between two cuts, in seconds squared: a death
                      // in a part twice as long is twice as likely, and costs twice as much
  double kept_seconds = 0;
  size_t num_parts = 0;
  size_t from = 0;

  friend bool operator<(const Way& a, const Way& b) {
    return std::tie(a.excess, a.kept_seconds, a.num_parts) <
           std::tie(b.excess, b.kept_seconds, b.num_parts);
  }
};

/// The vertices from one cut to the next.
struct Part {
  double seconds = 0;
  double kept_seconds = 0;  // of results made in it and read behind it

  void add(const VertexCost& vertex, size_t end) {
    seconds += vertex.seconds;
    kept_seconds += vertex.read_until >= end ? vertex.kept_seconds : 0;
  }
};

/// True if a part is worth a checkpoint. A short part saves little, and a death in it is unlikely.
bool is_worth_it(const Part& part, const CutRules& rules) {
  constexpr double kLeastShare = 0.25;
  const bool may_be_dear = part.seconds >= rules.dear_seconds;
  return part.seconds >= kLeastShare * rules.most_seconds &&
         part.kept_seconds <= (may_be_dear ? 1 : rules.most_price) * part.seconds;
}

Way followed_by(const Way& before, const Part& part, const CutRules& rules, size_t begin) {
  const double excess = std::max(0.0, part.seconds - rules.most_seconds);
  return {before.excess + excess * excess, before.kept_seconds + part.kept_seconds,
          before.num_parts + 1, begin};
}

}  // namespace

std::vector<size_t> cuts_of(const std::vector<VertexCost>& vertices, const CutRules& rules) {
  const size_t last = vertices.size();
  std::vector<std::optional<Way>> ways(last + 1);
  std::optional<Way> kept;  // with the results
  ways[0] = Way();
  const auto note = [](std::optional<Way>& best, const Way& way) {
    best = best ? std::min(*best, way) : way;
  };
  for (size_t end = 1; end <= last; ++end) {
    if (end < last && vertices[end].is_joined) {
      continue;
    }
    Part part;
    for (size_t begin = end; begin-- > 0;) {
      part.add(vertices[begin], end);
      Part judged = part;
      if (end == last) {
        judged.kept_seconds = 0;  // results have files of their own
      }
      const bool is_whole = begin == 0 && end == last;
      if (ways[begin] && (is_whole || is_worth_it(judged, rules))) {
        note(ways[end], followed_by(*ways[begin], judged, rules, begin));
      }
      if (ways[begin] && end == last && rules.keeps_results && is_worth_it(part, rules)) {
        note(kept, followed_by(*ways[begin], part, rules, begin));
      }
    }
  }
  std::vector<size_t> cuts;
  if (kept) {
    cuts.push_back(last);
    ways[last] = kept;
  }
  for (size_t end = last; end > 0 && ways[end]->from > 0; end = ways[end]->from) {
    cuts.push_back(ways[end]->from);
  }
  std::reverse(cuts.begin(), cuts.end());
  return cuts;
}

}  // namespace tessera::engine
