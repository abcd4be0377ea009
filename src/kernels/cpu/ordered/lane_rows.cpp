#include "kernels/cpu/ordered/lane_rows.h"

#include <algorithm>

#include "expr/function_ids.h"
#include "kernels/leaf_order.h"

namespace tessera::kernels {

LaneRows::LaneRows(const expr::TileStatement& statement, Isa isa) {
  const expr::Scalar& body = statement.bodies[0];
  const DType type = body.dtype();
  const auto is_access = [&](const expr::Node& node) {
    return std::holds_alternative<expr::Access>(node.op) && node.dtype == type;
  };
  const auto* call = std::get_if<expr::Call>(&body.nodes.back().op);
  is_product_ = call != nullptr && call->function == expr::id::kMultiply && body.nodes.size() < 4;
  const bool reads_only =
      std::all_of(body.nodes.begin(), body.nodes.end() - (is_product_ ? 1 : 0), is_access);
  if (statement.bodies.size() != 1 || !reads_only ||
      expr::merging_function(*expr::monoid_of(statement)) != expr::id::kAdd) {
    return;
  }
  const std::span<const LaneEntry> entries = lane_entries(isa);
  const auto entry = std::find_if(entries.begin(), entries.end(),
                                  [&](const LaneEntry& some) { return some.type == type; });
  sum_ = entry == entries.end() ? nullptr : entry->sum;
}

bool LaneRows::can_add(const LeafSpace& leaf, int num_inputs) const {
  const auto row = static_cast<size_t>(leaf.last_label());
  bool lies_dense =
      sum_ != nullptr && !leaf.items_inner && leaf.length(leaf.last_label()) >= kLanes;
  for (int number = 0; number < num_inputs; ++number) {
    const Stream& stream = leaf.space.streams[static_cast<size_t>(number)];
    lies_dense = lies_dense && stream.step[row] == stream.unit();
  }
  return lies_dense;
}

void LaneRows::add(const LeafSpace& leaf, int num_inputs, const int64_t* origins, int64_t items,
                   std::byte* lanes, bool continues) const noexcept {
  const auto address = [&](size_t stream, int64_t item) {
    const int64_t step = leaf.space.streams[stream].step[static_cast<size_t>(leaf.item_label)];
    const int64_t at = origins[stream] + item * step;
    return reinterpret_cast<const std::byte*>(at);  // NOLINT(performance-no-int-to-ptr)
  };
  const auto second = static_cast<size_t>(num_inputs - 1);  // a square has one stream
  const int64_t item_bytes = kLanes * leaf.space.streams[0].unit();
  for (int64_t item = 0; item < items; ++item) {
    sum_(address(0, item), is_product_ ? address(second, item) : nullptr,
         leaf.length(leaf.last_label()), lanes + item * item_bytes, continues);
  }
}

}  // namespace tessera::kernels
