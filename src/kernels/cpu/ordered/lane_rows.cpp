#include "kernels/cpu/ordered/lane_rows.h"

#include <algorithm>

#include "expr/function_ids.h"
#include "kernels/cpu/walk/state_function.h"
#include "kernels/leaf_order.h"
#include "types/literal.h"

namespace tessera::kernels {

namespace {

/// Returns, by state, the constant integer that every position adds. All states are summed, each by
/// itself.
std::vector<std::optional<int64_t>> counts_of(const expr::TileStatement& statement) {
  std::vector<std::optional<int64_t>> counts;
  for (const expr::Scalar& body : statement.bodies) {
    const auto* constant = std::get_if<expr::Constant>(&body.nodes.back().op);
    const bool counts_positions = constant != nullptr && body.dtype() == DType::i64;
    counts.push_back(counts_positions ? std::optional(literal_as<int64_t>(constant->value))
                                      : std::nullopt);
  }
  return counts;
}

bool sums_every_state(const expr::Monoid& monoid) {
  for (size_t state = 0; state < monoid.state.size(); ++state) {
    if (merging_function_of(monoid, state) != expr::id::kAdd) {
      return false;
    }
  }
  return true;
}

}  // namespace

LaneRows::LaneRows(const expr::TileStatement& statement, Isa isa) : counted_(counts_of(statement)) {
  const auto summed = std::find(counted_.begin(), counted_.end(), std::nullopt);
  const auto num_summed = std::count(summed, counted_.end(), std::nullopt);
  if (num_summed != 1 || !sums_every_state(*expr::monoid_of(statement))) {
    return;
  }
  summed_ = static_cast<size_t>(summed - counted_.begin());
  const expr::Scalar& body = statement.bodies[summed_];
  const DType type = body.dtype();
  const auto is_access = [&](const expr::Node& node) {
    return std::holds_alternative<expr::Access>(node.op) && node.dtype == type;
  };
  const auto* call = std::get_if<expr::Call>(&body.nodes.back().op);
  is_product_ = call != nullptr && call->function == expr::id::kMultiply && body.nodes.size() < 4;
  const bool reads_only =
      std::all_of(body.nodes.begin(), body.nodes.end() - (is_product_ ? 1 : 0), is_access);
  const std::span<const LaneEntry> entries = lane_entries(isa);
  const auto entry = std::find_if(entries.begin(), entries.end(),
                                  [&](const LaneEntry& some) { return some.type == type; });
  if (reads_only && entry != entries.end()) {
    entry_ = *entry;
  }
}

bool LaneRows::can_add(const LeafSpace& leaf, int num_inputs) const {
  const auto row = static_cast<size_t>(leaf.last_label());
  bool lies_dense = has_sums() && !leaf.items_inner && leaf.length(leaf.last_label()) >= kLanes;
  for (int number = 0; number < num_inputs; ++number) {
    const Stream& stream = leaf.space.streams[static_cast<size_t>(number)];
    lies_dense = lies_dense && stream.step[row] == stream.unit();
  }
  return lies_dense;
}

void LaneRows::add(const LeafSpace& leaf, int num_inputs, const int64_t* origins, int64_t items,
                   const StateBuffers& states, bool continues) const noexcept {
  const auto address = [&](size_t stream, int64_t item) {
    const int64_t step = leaf.space.streams[stream].step[static_cast<size_t>(leaf.item_label)];
    const int64_t at = origins[stream] + item * step;
    return reinterpret_cast<const std::byte*>(at);  // NOLINT(performance-no-int-to-ptr)
  };
  const auto second = static_cast<size_t>(num_inputs - 1);  // a square has one stream
  const int64_t item_bytes = kLanes * leaf.space.streams[0].unit();
  for (int64_t item = 0; item < items; ++item) {
    entry_.sum(address(0, item), is_product_ ? address(second, item) : nullptr,
               leaf.length(leaf.last_label()), states[summed_] + item * item_bytes, continues);
  }
}

void LaneRows::finish(int64_t items, int64_t positions, const StateBuffers& states) const noexcept {
  entry_.halve(states[summed_], items, states[summed_]);
  for (size_t state = 0; state < counted_.size(); ++state) {
    if (counted_[state]) {  // integers wrap
      const uint64_t sum =
          static_cast<uint64_t>(*counted_[state]) * static_cast<uint64_t>(positions);
      std::fill_n(reinterpret_cast<int64_t*>(states[state]), items, static_cast<int64_t>(sum));
    }
  }
}

}  // namespace tessera::kernels
