#include "kernels/cpu/fused/bands.h"

#include <algorithm>

namespace tessera::kernels {

using expr::LabelNumber;

namespace {

int64_t length_of(const Outline& outline, const BandLengths& lengths, LabelNumber label,
                  bool per_band) {
  return per_band ? lengths[static_cast<size_t>(label)]
                  : outline.shape.ranges[static_cast<size_t>(label)].length;
}

template <class Predicate>
bool reads_by(const expr::Access& access, Predicate is_wanted) {
  bool found = false;
  for (const expr::Index& index : access.index) {
    expr::for_each_label(index, [&](LabelNumber label) { found = found || is_wanted(label); });
  }
  return found;
}

/// Returns equal parts of at most `most`, rounded up to whole register tiles if that is little.
int64_t even_part(int64_t length, int64_t most) {
  const int64_t num_parts = (length + most - 1) / most;
  const int64_t part = (length + num_parts - 1) / num_parts;
  return part >= 32 ? std::min(length, (part + 15) / 16 * 16) : part;
}

/// Grows bands along the labels in this order, each whole before the next, within band_bytes.
BandLengths grown(const Outline& outline, int64_t band_bytes,
                  const std::vector<LabelNumber>& order) {
  BandLengths lengths;
  for (const LabelRange& range : outline.shape.ranges) {
    lengths.push_back(range.length);
  }
  for (const LabelNumber label : order) {
    int64_t& length = lengths[static_cast<size_t>(label)];
    length = std::min<int64_t>(length, 1);
  }
  for (const LabelNumber label : order) {
    const int64_t whole = outline.shape.ranges[static_cast<size_t>(label)].length;
    const int64_t unit = std::max<int64_t>(1, working_bytes(outline, lengths));
    const int64_t most = std::max<int64_t>(1, band_bytes / unit);
    lengths[static_cast<size_t>(label)] = whole <= most ? whole : even_part(whole, most);
    if (whole > most) {
      break;
    }
  }
  return lengths;
}

}  // namespace

int64_t bytes_of(const Outline& outline, const BandLengths& lengths, const FusedResult& result) {
  int64_t bytes = size_of(result.dtype);
  for (const LabelNumber label : outline.statement(result.statement).out) {
    bytes *= length_of(outline, lengths, label, outline.runs_per_band(result.statement));
  }
  return bytes;
}

int64_t bytes_of(const Outline& outline, const BandLengths& lengths, const expr::Access& access,
                 DType dtype, bool per_band) {
  int64_t bytes = size_of(dtype);
  for (const expr::Index& index : access.index) {
    bytes *= expr::num_read(
        index, [&](LabelNumber label) { return length_of(outline, lengths, label, per_band); });
  }
  return bytes;
}

bool is_read_in_bands(const Outline& outline, const expr::Access& access) {
  return reads_by(access, [&](LabelNumber label) { return outline.is_band_label(label); });
}

bool moves_on(const Outline& outline, const BandLengths& lengths, const expr::Access& access) {
  for (size_t at = outline.bands.labels.size(); at-- > 0;) {
    const LabelNumber label = outline.bands.labels[at];
    const auto number = static_cast<size_t>(label);
    if (lengths[number] < outline.shape.ranges[number].length) {
      return reads_by(access, [&](LabelNumber read) { return read == label; });
    }
  }
  return false;
}

int64_t working_bytes(const Outline& outline, const BandLengths& lengths) {
  std::vector<int64_t> alive(outline.parts.size(), 0);
  for (const FusedResult& result : outline.results) {
    const int end = result.overwritten_by >= 0
                        ? outline.results[static_cast<size_t>(result.overwritten_by)].statement - 1
                        : result.last_reader;
    const bool goes_straight_out = result.statement == outline.last();
    for (int at = result.statement;
         !goes_straight_out && outline.runs_per_band(result.statement) && at <= end; ++at) {
      alive[static_cast<size_t>(at)] += bytes_of(outline, lengths, result);
    }
  }
  int64_t bytes = *std::max_element(alive.begin(), alive.end());
  std::set<int32_t> seen;
  for_reads_of_bands(outline, [&](int, const expr::Access& access, DType dtype) {
    if (access.operand < outline.program.num_inputs && is_read_in_bands(outline, access) &&
        outline.num_reading[static_cast<size_t>(access.operand)] > 1 &&
        seen.insert(access.operand).second) {
      bytes += bytes_of(outline, lengths, access, dtype, true);
    }
  });
  return bytes;
}

/// Grows in different orders: one of the innermost labels first, then from the innermost outwards.
std::vector<BandLengths> candidate_lengths(const Outline& outline, int64_t band_bytes) {
  constexpr size_t kMostFirst = 4;
  const std::vector<LabelNumber> inwards(outline.bands.labels.rbegin(),
                                         outline.bands.labels.rend());
  std::vector<BandLengths> candidates = {grown(outline, band_bytes, inwards)};
  for (size_t first = 1; first < std::min(inwards.size(), kMostFirst); ++first) {
    std::vector<LabelNumber> order = inwards;
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(first),
                order.begin() + static_cast<std::ptrdiff_t>(first) + 1);
    BandLengths lengths = grown(outline, band_bytes, order);
    if (std::find(candidates.begin(), candidates.end(), lengths) == candidates.end()) {
      candidates.push_back(std::move(lengths));
    }
  }
  return candidates;
}

bool is_dense_in_output(const Outline& outline, const BandLengths& lengths) {
  bool is_inside = false;
  for (const LabelNumber label : outline.statement(outline.last()).out) {
    const int64_t length = lengths[static_cast<size_t>(label)];
    if (is_inside && length != outline.shape.ranges[static_cast<size_t>(label)].length) {
      return false;
    }
    is_inside = is_inside || length > 1;
  }
  return true;
}

std::vector<LabelRange> ranges_of(const Outline& outline, const BandLengths& lengths,
                                  bool per_band) {
  std::vector<LabelRange> ranges = outline.shape.ranges;
  for (size_t label = 0; label < ranges.size() && per_band; ++label) {
    ranges[label].length = lengths[label];
  }
  return ranges;
}

double num_bands(const Outline& outline, const BandLengths& lengths) {
  double bands = 1;
  for (const LabelNumber label : outline.bands.labels) {
    const auto number = static_cast<size_t>(label);
    if (lengths[number] > 0) {
      bands *= static_cast<double>(outline.shape.ranges[number].length) /
               static_cast<double>(lengths[number]);
    }
  }
  return bands;
}

}  // namespace tessera::kernels
