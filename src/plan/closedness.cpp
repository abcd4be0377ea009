#include "plan/closedness.h"

#include <memory>

#include "base/error.h"
#include "kernels/choice.h"
#include "types/tile_view.h"

namespace tessera::plan {

std::map<Key, Key> rekeyed(const std::map<Key, std::vector<View>>& tuples,
                           const std::vector<tra::KeyDim>& from,
                           const std::vector<tra::KeyExpression>& key, const ia::Node& node) {
  std::map<Key, Key> new_keys;
  std::map<Key, Key> taken;  // new key -> old key
  for (const auto& [old_key, tuple] : tuples) {
    const Key new_key = tra::mapped_key(from, old_key, key);
    const auto [place, fresh] = taken.emplace(new_key, old_key);
    TESSERA_USER_CHECK(fresh, "rekey in {}: the tuples {} and {} both get the key {}",
                       node.origin.statement, tra::to_string(place->second, from),
                       tra::to_string(old_key, from), tra::to_string(new_key, node.type.key));
    new_keys.emplace(old_key, new_key);
  }
  const bool was_complete = static_cast<int64_t>(tuples.size()) == tra::num_keys(from);
  if (was_complete && static_cast<int64_t>(taken.size()) != tra::num_keys(node.type.key)) {
    for (const Key& wanted : tra::all_keys(node.type.key)) {
      TESSERA_USER_CHECK(taken.count(wanted) == 1,
                         "rekey in {}: no tuple gets the key {}, so the keys have a gap",
                         node.origin.statement, tra::to_string(wanted, node.type.key));
    }
  }
  return new_keys;
}

std::vector<bool> keys_kept(const expr::Scalar& predicate, const std::vector<tra::KeyDim>& dims,
                            const kernels::Context& context) {
  expr::TileProgram program;
  expr::TileStatement statement;
  kernels::CallShape shape;
  Box space;
  for (const tra::KeyDim& dim : dims) {
    statement.out.push_back(static_cast<expr::LabelNumber>(program.labels.size()));
    program.labels.push_back({tra::label_of(dim), tra::num_keys(dim)});
    shape.ranges.push_back({0, tra::num_keys(dim)});
    space.origin.push_back(0);
    space.extent.push_back(tra::num_keys(dim));
  }
  statement.bodies.push_back(predicate);
  program.statements.push_back(std::move(statement));

  // The predicate runs on this machine, which may lack instructions of the machine that is planned
  // for.
  Machine machine = context.machine;
  machine.isa = Isa::scalar;
  const kernels::Context here{context.functions, context.aggregates, context.kernels, machine,
                              context.last_kernel};
  const kernels::KernelPlan plan = kernels::choose(program, shape, here).plan;
  std::vector<std::byte> workspace(static_cast<size_t>(plan.workspace_bytes) + 64);
  void* aligned = workspace.data();
  size_t room = workspace.size();
  std::align(64, static_cast<size_t>(plan.workspace_bytes), aligned, room);
  std::vector<std::byte> result(static_cast<size_t>(num_elements(space.extent)));
  const TileView output = dense_view(result.data(), DType::b1, space);
  const kernels::Status status = plan.prepare()->run(
      {{}, {&output, 1}, shape.ranges, false, static_cast<std::byte*>(aligned)});
  TESSERA_USER_CHECK(status == kernels::Status::ok, "the predicate of a filter: {}",
                     kernels::describe(status));
  std::vector<bool> kept;
  for (const std::byte value : result) {
    kept.push_back(value != std::byte{0});
  }
  return kept;
}

}  // namespace tessera::plan
