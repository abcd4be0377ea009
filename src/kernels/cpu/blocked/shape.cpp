#include "kernels/cpu/blocked/shape.h"

#include <algorithm>
#include <cstdlib>

namespace tessera::kernels {

namespace {

constexpr int64_t kSquare = 32;       // side of the block of a transposed stream: 32 * 32 = kBlock
constexpr int64_t kShortestRow = 32;  // shorter rows are merged side by side
constexpr int64_t kShortestRowInPlace = 128;  // a shorter block costs more than copying
constexpr double kRepeated = 0.1;
constexpr int64_t kLongReduction = 256;  // such a row is worth a fold of its own lanes

int64_t stream_step(const IterationSpace& space, int stream, int label) {
  return std::abs(space.streams[static_cast<size_t>(stream)].step[static_cast<size_t>(label)]);
}

/// Returns the cost of a load per element if a label is innermost: nothing for neighbours, little
/// for one repeated value, except the result of a row, which is merged before it is stored.
double loading_cost(const IterationSpace& space, int label, bool may_have_rows) {
  double cost = 0;
  for (int stream = 0; stream < space.num_streams; ++stream) {
    const int64_t step = stream_step(space, stream, label);
    const int64_t unit = space.streams[static_cast<size_t>(stream)].unit();
    cost += step == unit ? 0 : step == 0 ? kRepeated : 1;
  }
  const bool is_row = may_have_rows && label >= space.num_out &&
                      space.length[static_cast<size_t>(label)] >= kLongReduction;
  return is_row ? cost - kRepeated : cost;
}

int cheapest_label(const IterationSpace& space, bool may_have_rows) {
  int best = 0;
  double least = 0;
  for (int label = 0; label < space.num_labels; ++label) {
    const bool is_short = space.length[static_cast<size_t>(label)] < 8;
    const double cost = loading_cost(space, label, may_have_rows) + (is_short ? 0.5 : 0);
    if (label == 0 || cost <= least) {
      best = label;
      least = cost;
    }
  }
  return best;
}

/// Returns the label along which a stream that strides along `inner` has neighbours; -1 if there is
/// none.
int crossing_label(const IterationSpace& space, int inner) {
  for (int stream = 0; stream < space.num_streams; ++stream) {
    const int64_t unit = space.streams[static_cast<size_t>(stream)].unit();
    if (stream_step(space, stream, inner) <= unit) {
      continue;
    }
    for (int label = 0; label < space.num_labels; ++label) {
      if (label != inner && stream_step(space, stream, label) == unit) {
        return label;
      }
    }
  }
  return -1;
}

/// The labels of a block before they are put in the order of its buffers.
struct Chosen {
  const IterationSpace& space;
  std::array<int64_t, kMaxLabels> extent;  // 0: not in the block
  int num_labels = 0;
  int64_t count = 1;

  explicit Chosen(const IterationSpace& of) : space(of) {
    std::fill_n(extent.begin(), of.num_labels, 0);
  }

  int64_t room() const { return kBlock / count; }
  bool has(int label) const { return extent[static_cast<size_t>(label)] != 0; }
  int64_t length(int label) const { return space.length[static_cast<size_t>(label)]; }
  void take(int label, int64_t at_most) {
    const int64_t positions = std::min({length(label), at_most, room()});
    if (positions > 1 && num_labels < kMaxBlockDims && !has(label)) {
      extent[static_cast<size_t>(label)] = positions;
      count *= positions;
      ++num_labels;
    }
  }
};

/// Returns the elements of a whole vector of every stream.
int64_t vector_of(const IterationSpace& space) {
  int64_t elements = 1;
  for (int number = 0; number < space.num_streams; ++number) {
    const Stream& stream = space.streams[static_cast<size_t>(number)];
    elements = std::max(elements, stream.is_index ? 1 : 64 / stream.unit());
  }
  return elements;
}

/// True if blocks of one row are read in place and blocks of several are not: most streams have
/// neighbours along the row alone, like windows. Rows that are no whole vectors are taken in blocks
/// that overlap.
bool is_best_as_row(const IterationSpace& space, const Chosen& chosen, int inner, bool may_repeat) {
  const bool is_map = space.num_out == space.num_labels;
  if (!is_map || inner == 0 || inner + 1 != space.num_labels ||
      chosen.count < kShortestRowInPlace) {
    return false;
  }
  int64_t num_rows = 0;
  for (int stream = 0; stream < space.num_streams; ++stream) {
    const int64_t unit = space.streams[static_cast<size_t>(stream)].unit();
    const bool is_row =
        stream_step(space, stream, inner) == unit && (may_repeat || chosen.count * unit % 64 == 0);
    const bool goes_on = stream_step(space, stream, inner - 1) == chosen.count * unit;
    num_rows += is_row && !goes_on ? 1 : 0;
  }
  return 2 * num_rows > space.num_streams;
}

/// Makes blocks of one row, of one label, overlap if they would not be whole vectors.
void overlap(const IterationSpace& space, BlockShape& row) {
  const int64_t length = space.length[static_cast<size_t>(row.label[0])];
  const int64_t vector = vector_of(space);
  if (length % vector != 0) {
    const int64_t blocks = std::max<int64_t>((length + kBlock - 1) / kBlock, 2);
    const int64_t share = (length + blocks - 1) / blocks;
    row.extent[0] = (share + vector - 1) / vector * vector;
    row.overlapping = row.label[0];
  }
}

/// Fills a block with further labels, innermost first, of one class and then the other. Only whole
/// labels may be followed by another, or the block would leave holes in a stream.
void fill_up(Chosen& chosen, bool reduced_first) {
  const IterationSpace& space = chosen.space;
  for (const bool reduced : {reduced_first, !reduced_first}) {
    const int first = reduced ? space.num_out : 0;
    const int last = reduced ? space.num_labels : space.num_out;
    for (int label = last - 1; label >= first && chosen.count <= kBlock / 2; --label) {
      chosen.take(label, kBlock);
    }
  }
}

BlockShape in_buffer_order(const Chosen& chosen, int inner, bool has_rows) {
  const IterationSpace& space = chosen.space;
  BlockShape shape;
  shape.has_rows = has_rows;
  const auto append = [&](int label) {
    shape.label[static_cast<size_t>(shape.num_dims)] = label;
    shape.extent[static_cast<size_t>(shape.num_dims++)] = chosen.extent[static_cast<size_t>(label)];
  };
  for (const bool reduced : {has_rows, !has_rows}) {
    const int first = reduced ? space.num_out : 0;
    const int last = reduced ? space.num_labels : space.num_out;
    const int first_dim = shape.num_dims;
    if (inner >= first && inner < last && chosen.has(inner)) {
      append(inner);
    }
    for (int label = last - 1; label >= first; --label) {
      if (label != inner && chosen.has(label)) {
        append(label);
      }
    }
    if (!reduced) {
      shape.first_out_dim = first_dim;
      shape.num_out_dims = shape.num_dims - first_dim;
    }
  }
  return shape;
}

/// Makes a block of reduced labels, innermost first, until a row is long enough to be read in
/// place; adds rows of results if those are whole.
BlockShape block_of_rows(const IterationSpace& space, int inner) {
  Chosen chosen(space);
  chosen.take(inner, kBlock);
  for (int label = space.num_labels - 1; label >= space.num_out && chosen.count < kLongReduction;
       --label) {
    chosen.take(label, kBlock);
  }
  if (chosen.count == space.num_reduced()) {
    for (int label = space.num_out - 1; label >= 0; --label) {
      chosen.take(label, kBlock);
    }
  }
  return in_buffer_order(chosen, inner, true);
}

}  // namespace

int64_t BlockShape::count() const {
  int64_t positions = 1;
  for (int dim = 0; dim < num_dims; ++dim) {
    positions *= extent[static_cast<size_t>(dim)];
  }
  return positions;
}

int64_t BlockShape::out_lanes() const {
  int64_t lanes = 1;
  for (int dim = first_out_dim; dim < first_out_dim + num_out_dims; ++dim) {
    lanes *= extent[static_cast<size_t>(dim)];
  }
  return lanes;
}

BlockShape choose_block(const IterationSpace& space, bool may_have_rows, bool may_repeat) noexcept {
  Chosen chosen(space);
  if (space.num_labels == 0) {
    return in_buffer_order(chosen, 0, false);
  }
  const int inner = cheapest_label(space, may_have_rows);
  const bool inner_is_reduced = inner >= space.num_out;
  const int crossing = crossing_label(space, inner);
  const bool takes_square = crossing >= 0;
  const bool is_long = space.length[static_cast<size_t>(inner)] >= kShortestRow;
  if (may_have_rows && inner_is_reduced && is_long && !takes_square) {
    return block_of_rows(space, inner);
  }
  chosen.take(inner, takes_square ? kSquare : kBlock);
  if (takes_square) {
    chosen.take(crossing, kSquare);
  }
  const bool is_long_part = inner_is_reduced && chosen.count >= kLongReduction;
  if (!takes_square && is_best_as_row(space, chosen, inner, may_repeat)) {
    BlockShape row = in_buffer_order(chosen, inner, false);
    if (may_repeat) {
      overlap(space, row);
    }
    return row;
  }
  if (!is_long_part) {
    // A short kept row takes rows of the reduction beside it, a short reduced row takes rows of
    // results.
    fill_up(chosen, !inner_is_reduced && space.num_out < space.num_labels && !takes_square);
  }
  return in_buffer_order(chosen, inner, false);
}

bool are_single_rows(const IterationSpace& space, const BlockShape& block) noexcept {
  return block.has_rows && block.num_dims == 1 && block.label[0] == space.num_labels - 1;
}

int64_t num_columns(const IterationSpace& space, const BlockShape& block) noexcept {
  const int last = space.num_out - 1;
  const bool has_columns =
      !block.has_rows && last >= 0 && block.num_dims > 0 && block.label[0] == last;
  return has_columns ? space.length[static_cast<size_t>(last)] : 0;
}

}  // namespace tessera::kernels
