#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace tessera::engine {

/// A vertex of a program for the choice of checkpoints.
struct VertexCost {
  double seconds = 0;       // to make it
  double kept_seconds = 0;  // to write it, check it and read it again
  size_t read_until = 0;    // the last reader; 0 for none and for an input
  bool is_joined = false;   // with one before it, so that no cut comes between them
};

/// The vertex behind the last: a result is needed until then.
constexpr size_t kUntilTheEnd = std::numeric_limits<size_t>::max();

/// The rules for checkpoints.
struct CutRules {
  double most_seconds = 0;  // between two checkpoints, if possible
  double most_price = 1;    // the most time of one, relative to the work since the last,
  double dear_seconds = std::numeric_limits<double>::infinity();  // or absolute, if it is this long
  bool keeps_results = false;  // a cut behind the last vertex, if the rules allow one
};

/// Returns the vertices before which a run is cut, in order. Results that are made before a cut and
/// read behind it are kept there; a tensor is written only at the first cut behind it.
///
/// Among cuts with an allowed price and at least a quarter of `most_seconds` apart, chooses those
/// with the least work beyond `most_seconds` between two of them, squared; among these the cheapest
/// to keep; among these the fewest. So there are none if there is no more work than that. If
/// results are kept, among all such cuts that end with one behind the last vertex, if there are
/// any. Takes quadratic time.
std::vector<size_t> cuts_of(const std::vector<VertexCost>& vertices, const CutRules& rules);

}  // namespace tessera::engine
