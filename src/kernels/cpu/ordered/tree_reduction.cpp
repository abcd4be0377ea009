#include "kernels/cpu/ordered/tree_reduction.h"

#include <algorithm>
#include <array>
#include <bit>

#include "kernels/leaf_order.h"

namespace tessera::kernels {

namespace {

/// The distance of prefetching an item's elements. Measured on row sums, bench/reproducible,
/// 2026-11.
constexpr int64_t kBlocksAhead = 2;

/// Leaves that are summed in place need not fill a block: this many consecutive ones of a row are
/// preferred to rows side by side, which lie further apart.
constexpr int64_t kFewLeaves = 8;

}  // namespace

TreeReduction::TreeReduction(const expr::TileStatement& statement, const CallShape& shape,
                             BlockProgram program, BlockReduction reduction, Isa isa)
    : statement_(statement),
      reduce_(*expr::reduction_of(statement)),
      program_(std::move(program)),
      reduction_(std::move(reduction)),
      rows_(statement_, isa) {
  const auto length = [&](expr::LabelNumber label) {
    return shape.ranges[static_cast<size_t>(label)].length;
  };
  const expr::Leaf& leaf = *reduce_.leaf;
  const int64_t leaf_length = std::min(leaf.length, length(leaf.label));
  const expr::LabelNumber last = reduce_.over.back();
  const int64_t positions = last == leaf.label ? leaf_length : length(last);
  lanes_ = std::clamp<int64_t>(positions, 1, kLanes);
  items_ = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(kBlock / lanes_)));
  num_leaves_ = (length(leaf.label) + leaf.length - 1) / leaf.length;
}

OrRefusal<std::shared_ptr<const TreeReduction>> TreeReduction::compile(
    const expr::TileStatement& statement, const CallShape& shape, Isa isa) {
  OrRefusal<BlockProgram> program = BlockProgram::compile(statement.bodies, isa);
  if (!program) {
    return program.refusal();
  }
  OrRefusal<BlockReduction> reduction =
      BlockReduction::compile(expr::reduction_of(statement)->monoid, isa);
  if (!reduction) {
    return reduction.refusal();
  }
  if (std::optional<Refusal> refusal =
          too_many_streams(program->streams().size() + statement.bodies.size())) {
    return std::move(*refusal);
  }
  return std::shared_ptr<const TreeReduction>(
      new TreeReduction(statement, shape, std::move(*program), std::move(*reduction), isa));
}

/// The state of one call.
struct TreeReduction::Run {
  const TreeReduction& kernel;
  LeafSpace leaf;
  BlockShape block;  // the items and the positions of the last label, the inner first
  int num_inputs;    // streams [0, num_inputs) are read, the outputs follow
  std::array<int64_t, kMaxStreams> origins;
  std::array<BlockView, kMaxStreams> views;
  uint16_t* staging;
  BlockMachine machine;
  LeafAccumulator accumulator;

  explicit Run(const TreeReduction& of) : kernel(of) {}

  void set_up(std::byte* workspace);
  void move(int label, int64_t positions);
  void look(int64_t items, int64_t positions);
  void fetch_ahead(int64_t items) const;
  Status add_block(int64_t items, int64_t positions);
  Status add_row(int64_t items);
  Status reduce_leaf(int64_t items);
  void sum_rows(LabelWalk& rows, int64_t items);
  Status reduce_rest(int64_t items);
  Status reduce_items(int64_t items);
  Status reduce_neighbours();
  void store(int64_t items);
  Status reduce_all();
};

void TreeReduction::Run::set_up(std::byte* workspace) {
  num_inputs = static_cast<int>(kernel.program_.streams().size());
  const int inner = leaf.items_inner ? leaf.item_label : leaf.last_label();
  const int outer = leaf.items_inner ? leaf.last_label() : leaf.item_label;
  block.num_dims = 2;
  block.num_out_dims = 1;
  block.label = {inner, outer};
  block.extent = {kBlock, kBlock};  // until look() sets it
  std::array<bool, kMaxStreams> uniform;
  for (int number = 0; number < leaf.space.num_streams; ++number) {
    const auto stream = static_cast<size_t>(number);
    origins[stream] = leaf.space.streams[stream].origin;
    views[stream] = {&leaf.space.streams[stream], &block, 2, 0, 0};
    uniform[stream] = is_uniform(views[stream]);
  }
  staging = reinterpret_cast<uint16_t*>(workspace);
  workspace += kStagingBytes;
  machine.bind(kernel.program_, uniform.data(), workspace);
  accumulator.bind(kernel.reduction_, kernel.items_, workspace + kernel.program_.buffer_bytes());
}

void TreeReduction::Run::move(int label, int64_t positions) {
  for (int stream = 0; stream < leaf.space.num_streams; ++stream) {
    const auto number = static_cast<size_t>(stream);
    origins[number] += positions * leaf.space.streams[number].step[static_cast<size_t>(label)];
  }
}

/// Points the views at the current block of the walks.
void TreeReduction::Run::look(int64_t items, int64_t positions) {
  block.extent[leaf.items_inner ? 0 : 1] = items;
  block.extent[leaf.items_inner ? 1 : 0] = positions;
  for (int number = 0; number < leaf.space.num_streams; ++number) {
    const auto stream = static_cast<size_t>(number);
    views[stream].origin = origins[stream];
    views[stream].count = items * positions;
  }
}

/// Prefetches. The processor follows a few streams of neighbours by itself, not one for every item.
void TreeReduction::Run::fetch_ahead(int64_t items) const {
  constexpr int64_t kLine = 64;
  for (int number = 0; number < num_inputs && !leaf.items_inner; ++number) {
    const Stream& stream = leaf.space.streams[static_cast<size_t>(number)];
    const int64_t ahead = kLanes * stream.unit();
    const int64_t step = stream.step[static_cast<size_t>(leaf.item_label)];
    const bool has_neighbours =
        stream.step[static_cast<size_t>(leaf.last_label())] == stream.unit();
    if (stream.is_index || !has_neighbours || step == 0) {
      continue;
    }
    const int64_t first = origins[static_cast<size_t>(number)];
    const auto* item =
        reinterpret_cast<const std::byte*>(first);  // NOLINT(performance-no-int-to-ptr)
    for (int64_t count = 0; count < items; ++count, item += step) {
      for (int64_t line = 0; line < ahead; line += kLine) {
        __builtin_prefetch(item + kBlocksAhead * ahead + line);
      }
    }
  }
}

Status TreeReduction::Run::add_block(int64_t items, int64_t positions) {
  look(items, positions);
  if (const Status status = machine.run(views.data(), items * positions, nullptr, staging);
      status != Status::ok) {
    return status;
  }
  std::array<const void*, kMaxStates> states;
  for (size_t state = 0; state < accumulator.num_states(); ++state) {
    states[state] = machine.result(state);
  }
  return accumulator.add(states.data(), positions);
}

/// Adds the positions of the last label, kLanes at a time.
Status TreeReduction::Run::add_row(int64_t items) {
  const int64_t length = leaf.length(leaf.last_label());
  Status status = Status::ok;
  for (int64_t first = 0; first < length && status == Status::ok; first += kLanes) {
    fetch_ahead(items);
    status = add_block(items, std::min(kLanes, length - first));
    move(leaf.last_label(), kLanes);
  }
  move(leaf.last_label(), -((length + kLanes - 1) / kLanes) * kLanes);
  return status;
}

Status TreeReduction::Run::reduce_leaf(int64_t items) {
  LabelWalk rows(leaf.space);
  for (int label = leaf.num_kept; label < leaf.last_label(); ++label) {
    rows.add(label);
  }
  rows.start();
  if (kernel.rows_.can_add(leaf, num_inputs)) {
    sum_rows(rows, items);
    return Status::ok;
  }
  accumulator.begin_leaf(items, std::min(kLanes, leaf.length(leaf.last_label())), leaf.items_inner);
  do {
    if (const Status status = add_row(items); status != Status::ok) {
      return status;
    }
  } while (rows.advance(origins.data()));
  return accumulator.end_leaf();
}

/// Sums the rows of a leaf in place.
void TreeReduction::Run::sum_rows(LabelWalk& rows, int64_t items) {
  int64_t num_rows = 0;
  do {
    kernel.rows_.add(leaf, num_inputs, origins.data(), items, accumulator.states(), num_rows > 0);
    ++num_rows;
  } while (rows.advance(origins.data()));
  kernel.rows_.finish(items, num_rows * leaf.length(leaf.last_label()), accumulator.states());
}

/// Reduces the last leaf if it is shorter than the others.
Status TreeReduction::Run::reduce_rest(int64_t items) {
  if (leaf.rest == 0) {
    return Status::ok;
  }
  int64_t& length = leaf.space.length[static_cast<size_t>(leaf.leaf_label)];
  const int64_t whole_length = length;
  length = leaf.rest;
  Status status = reduce_leaf(items);
  length = whole_length;
  return status == Status::ok ? accumulator.push_leaves(items) : status;
}

/// Reduces items that are results: leaf after leaf of all of them.
Status TreeReduction::Run::reduce_items(int64_t items) {
  const int64_t num_leaves = leaf.length(leaf.leaves);
  accumulator.begin_tree();
  Status status = Status::ok;
  for (int64_t number = 0; number < num_leaves && status == Status::ok; ++number) {
    status = reduce_leaf(items);
    status = status == Status::ok ? accumulator.push_leaves(items) : status;
    move(leaf.leaves, 1);
  }
  status = status == Status::ok ? reduce_rest(items) : status;
  move(leaf.leaves, -num_leaves);
  return status == Status::ok ? accumulator.end_tree(items) : status;
}

/// Reduces items that are leaves of one result.
Status TreeReduction::Run::reduce_neighbours() {
  const int64_t num_leaves = leaf.length(leaf.leaves);
  accumulator.begin_tree();
  Status status = Status::ok;
  for (int64_t first = 0; first < num_leaves && status == Status::ok; first += kernel.items_) {
    const int64_t items = std::min(kernel.items_, num_leaves - first);
    status = reduce_leaf(items);
    status = status == Status::ok ? accumulator.push_neighbours(items) : status;
    move(leaf.leaves, items);
  }
  status = status == Status::ok ? reduce_rest(1) : status;
  move(leaf.leaves, -num_leaves);
  return status == Status::ok ? accumulator.end_tree(1) : status;
}

/// Writes the results of the items.
void TreeReduction::Run::store(int64_t items) {
  BlockShape results;
  results.label = {leaf.items_are_leaves() ? 0 : leaf.item_label};
  results.extent = {items};
  results.num_dims = items == 1 ? 0 : 1;
  for (size_t state = 0; state < accumulator.num_states(); ++state) {
    const auto stream = static_cast<size_t>(num_inputs) + state;
    const BlockView view{&leaf.space.streams[stream], &results, results.num_dims, origins[stream],
                         items};
    store_block(view, accumulator.state(state), staging);
  }
}

Status TreeReduction::Run::reduce_all() {
  LabelWalk others(leaf.space);
  for (int label = 0; label < leaf.num_kept; ++label) {
    if (label != leaf.item_label) {
      others.add(label);
    }
  }
  others.start();
  do {
    if (leaf.items_are_leaves()) {
      if (const Status status = reduce_neighbours(); status != Status::ok) {
        return status;
      }
      store(1);
      continue;
    }
    const int64_t length = leaf.length(leaf.item_label);
    for (int64_t first = 0; first < length; first += kernel.items_) {
      const int64_t items = std::min(kernel.items_, length - first);
      if (const Status status = reduce_items(items); status != Status::ok) {
        return status;
      }
      store(items);
      move(leaf.item_label, items);
    }
    move(leaf.item_label, -length);
  } while (others.advance(origins.data()));
  return Status::ok;
}

Status TreeReduction::run(const KernelCall& call) const noexcept {
  IterationSpace space;
  if (const Status status = lay_out(statement_, program_.streams(), call, space);
      status != Status::ok) {
    return status;
  }
  const auto in_over = std::find(reduce_.over.begin(), reduce_.over.end(), reduce_.leaf->label);
  Run run(*this);
  run.leaf = leaf_space_of(space, space.num_out + static_cast<int>(in_over - reduce_.over.begin()),
                           reduce_.leaf->length, rows_.has_sums() ? kFewLeaves : items_);
  if (run.leaf.has_no_result()) {
    return Status::ok;
  }
  if (run.leaf.reduces_nothing()) {
    for (size_t state = 0; state < call.outputs.size(); ++state) {  // an output is dense
      const TileView& output = call.outputs[state];
      fill_literal(reduce_.monoid.identity[state], output.dtype, output.data,
                   num_elements(output.shape));
    }
    return Status::ok;
  }
  run.set_up(call.workspace);
  return run.reduce_all();
}

}  // namespace tessera::kernels
