#include "kernels/cpu/walk/iteration_space.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

namespace tessera::kernels {

namespace {

/// Returns the place of a label of the program in the space, or -1.
int position_of(const expr::TileStatement& statement, expr::LabelNumber label) {
  const auto out = std::find(statement.out.begin(), statement.out.end(), label);
  if (out != statement.out.end()) {
    return static_cast<int>(out - statement.out.begin());
  }
  const std::vector<expr::LabelNumber>& over = expr::reduced_labels(statement);
  const auto reduced = std::find(over.begin(), over.end(), label);
  return reduced == over.end()
             ? -1
             : static_cast<int>(statement.out.size() + static_cast<size_t>(reduced - over.begin()));
}

Stream& append_stream(IterationSpace& space, DType dtype) {
  Stream& stream = space.streams[static_cast<size_t>(space.num_streams++)];
  stream.dtype = dtype;
  stream.is_index = false;
  stream.origin = 0;
  std::fill_n(stream.step.begin(), space.num_labels, 0);
  return stream;
}

/// Returns the space without streams.
IterationSpace space_of(const expr::TileStatement& statement, std::span<const LabelRange> ranges) {
  IterationSpace space;
  for (const auto* labels : {&statement.out, &expr::reduced_labels(statement)}) {
    for (const expr::LabelNumber label : *labels) {
      space.length[static_cast<size_t>(space.num_labels++)] =
          ranges[static_cast<size_t>(label)].length;
    }
  }
  space.num_out = static_cast<int>(statement.out.size());
  return space;
}

/// Adds an access. Fails with out_of_range if it would leave the operand.
Status add_access(IterationSpace& space, const expr::TileStatement& statement,
                  const expr::Access& access, const TileView& view,
                  std::span<const LabelRange> ranges) noexcept {
  Stream& stream = append_stream(space, view.dtype);
  const bool is_empty = space.is_empty();
  int64_t offset = 0;
  for (size_t mode = 0; mode < access.index.size(); ++mode) {
    int64_t first = expr::offset_of(access.index[mode]) - view.origin[mode];
    int64_t lowest = first;
    int64_t highest = first;
    expr::for_each_term(access.index[mode], [&](expr::LabelNumber label, int64_t coefficient) {
      const LabelRange& range = ranges[static_cast<size_t>(label)];
      const int64_t begin = coefficient * range.begin;
      const int64_t reach = coefficient * (range.length - 1);
      first += begin;
      lowest += begin + std::min<int64_t>(reach, 0);
      highest += begin + std::max<int64_t>(reach, 0);
      stream.step[static_cast<size_t>(position_of(statement, label))] +=
          coefficient * view.strides[mode] * size_of(view.dtype);
    });
    if (!is_empty && (lowest < 0 || highest >= view.shape[mode])) {
      return Status::out_of_range;
    }
    offset += first * view.strides[mode];
  }
  stream.origin =
      static_cast<int64_t>(reinterpret_cast<intptr_t>(view.data)) + offset * size_of(view.dtype);
  return Status::ok;
}

/// Adds an output, plain, in the order of the out labels.
void add_output(IterationSpace& space, const TileView& view) noexcept {
  Stream& stream = append_stream(space, view.dtype);
  for (size_t mode = 0; mode < view.strides.size(); ++mode) {
    stream.step[mode] = view.strides[mode] * size_of(view.dtype);
  }
  stream.origin = static_cast<int64_t>(reinterpret_cast<intptr_t>(view.data));
}

void add_index(IterationSpace& space, const expr::TileStatement& statement, expr::LabelNumber label,
               std::span<const LabelRange> ranges) noexcept {
  Stream& stream = append_stream(space, DType::i64);
  stream.is_index = true;
  stream.origin = ranges[static_cast<size_t>(label)].begin;
  stream.step[static_cast<size_t>(position_of(statement, label))] = 1;
}

void move_label(IterationSpace& space, int from, int to) {
  const auto source = static_cast<size_t>(from);
  const auto target = static_cast<size_t>(to);
  space.length[target] = space.length[source];
  for (int number = 0; number < space.num_streams; ++number) {
    Stream& stream = space.streams[static_cast<size_t>(number)];
    stream.step[target] = stream.step[source];
  }
}

void swap_labels(IterationSpace& space, int a, int b) {
  std::swap(space.length[static_cast<size_t>(a)], space.length[static_cast<size_t>(b)]);
  for (int number = 0; number < space.num_streams; ++number) {
    Stream& stream = space.streams[static_cast<size_t>(number)];
    std::swap(stream.step[static_cast<size_t>(a)], stream.step[static_cast<size_t>(b)]);
  }
}

/// True if every stream reaches the next `outer` position by walking `inner` to its end.
bool walk_as_one(const IterationSpace& space, int outer, int inner) {
  for (int number = 0; number < space.num_streams; ++number) {
    const Stream& stream = space.streams[static_cast<size_t>(number)];
    if (stream.step[static_cast<size_t>(outer)] !=
        stream.step[static_cast<size_t>(inner)] * space.length[static_cast<size_t>(inner)]) {
      return false;
    }
  }
  return true;
}

/// Sorts reduced labels, which may be walked in any order; by insertion, because there are few.
void sort_reduced_labels(IterationSpace& space) {
  for (int label = space.num_out + 1; label < space.num_labels; ++label) {
    for (int at = label; at > space.num_out && total_step(space, at - 1) < total_step(space, at);
         --at) {
      swap_labels(space, at - 1, at);
    }
  }
}

/// The bytes between the first and the last element of a stream, both included.
struct AddressSpan {
  int64_t begin = 0;
  int64_t end = 0;
};

AddressSpan span_of(const IterationSpace& space, const Stream& stream) {
  AddressSpan span{stream.origin, stream.origin + stream.unit()};
  for (int number = 0; number < space.num_labels; ++number) {
    const auto label = static_cast<size_t>(number);
    const int64_t reach = (space.length[label] - 1) * stream.step[label];
    (reach < 0 ? span.begin : span.end) += reach;
  }
  return span;
}

}  // namespace

bool is_written_apart(const IterationSpace& space, int num_inputs) noexcept {
  for (int result = num_inputs; result < space.num_streams; ++result) {
    const AddressSpan written = span_of(space, space.streams[static_cast<size_t>(result)]);
    for (int input = 0; input < num_inputs; ++input) {
      const Stream& stream = space.streams[static_cast<size_t>(input)];
      const AddressSpan read = span_of(space, stream);
      if (!stream.is_index && read.begin < written.end && written.begin < read.end) {
        return false;
      }
    }
  }
  return true;
}

int64_t total_step(const IterationSpace& space, int label) noexcept {
  int64_t total = 0;
  for (int number = 0; number < space.num_streams; ++number) {
    total += std::abs(space.streams[static_cast<size_t>(number)].step[static_cast<size_t>(label)]);
  }
  return total;
}

bool IterationSpace::is_empty() const {
  return std::any_of(length.begin(), length.begin() + num_labels,
                     [](int64_t positions) { return positions == 0; });
}

int64_t IterationSpace::num_reduced() const {
  int64_t positions = 1;
  for (int label = num_out; label < num_labels; ++label) {
    positions = counted(positions, length[static_cast<size_t>(label)]);
  }
  return positions;
}

std::optional<Refusal> too_many_labels(size_t num_labels, int most) {
  return num_labels <= static_cast<size_t>(most)
             ? std::nullopt
             : std::optional(Refusal{
                   fmt::format("the program has {} labels, more than {}", num_labels, most)});
}

std::optional<Refusal> too_many_streams(size_t num_streams) {
  return num_streams <= static_cast<size_t>(kMaxStreams)
             ? std::nullopt
             : std::optional(
                   Refusal{fmt::format("it walks {} different accesses and outputs, more than {}",
                                       num_streams, kMaxStreams)});
}

Status lay_out(const expr::TileStatement& statement, std::span<const Streamed> read,
               const KernelCall& call, IterationSpace& space) noexcept {
  space = space_of(statement, call.ranges);
  for (const Streamed& what : read) {
    if (const auto* access = std::get_if<expr::Access>(&what)) {
      const TileView& view = call.inputs[static_cast<size_t>(access->operand)];
      if (const Status status = add_access(space, statement, *access, view, call.ranges);
          status != Status::ok) {
        return status;
      }
    } else {
      add_index(space, statement, std::get<expr::IndexOf>(what).label, call.ranges);
    }
  }
  for (const TileView& output : call.outputs) {
    add_output(space, output);
  }
  return Status::ok;
}

void simplify(IterationSpace& space) noexcept {
  const int num_labels = space.num_labels;
  const int num_out = space.num_out;
  space.num_labels = 0;
  for (int label = 0; label < num_labels; ++label) {
    if (label == num_out) {
      space.num_out = space.num_labels;
    }
    if (space.length[static_cast<size_t>(label)] != 1) {
      move_label(space, label, space.num_labels++);
    }
  }
  if (num_out == num_labels) {
    space.num_out = space.num_labels;
  }
  sort_reduced_labels(space);
  int kept = 0;
  const int out_before = space.num_out;
  const int labels_before = space.num_labels;
  for (int label = 0; label < labels_before; ++label) {
    const bool starts_class = label == 0 || label == out_before;
    if (label == out_before) {
      space.num_out = kept;
    }
    if (!starts_class && walk_as_one(space, kept - 1, label)) {
      const int64_t outer_length = space.length[static_cast<size_t>(kept - 1)];
      move_label(space, label, kept - 1);
      int64_t& joined = space.length[static_cast<size_t>(kept - 1)];
      joined = counted(joined, outer_length);
    } else {
      move_label(space, label, kept++);
    }
  }
  if (out_before == labels_before) {
    space.num_out = kept;
  }
  space.num_labels = kept;
}

}  // namespace tessera::kernels
