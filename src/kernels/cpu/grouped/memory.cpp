#include "kernels/cpu/grouped/memory.h"

#include <memory>

#include "kernels/workspace.h"

namespace tessera::kernels {

namespace {

constexpr auto kRows = static_cast<size_t>(kBlock);
constexpr size_t kLargestElement = 16;

/// Returns the expressions of a program, their machine bound.
RowExpressions take_expressions(Carver& carver, const LeafExpressions& from,
                                const BlockProgram& program, size_t num_row_labels) {
  RowExpressions made;
  const std::span<BlockMachine> machine = carver.take<BlockMachine>(1);
  const auto buffers = carver.take<std::byte>(static_cast<size_t>(program.buffer_bytes()));
  made.leaves = carver.take<RowLeaf>(from.leaves.size());
  for (size_t number = 0; number < from.leaves.size(); ++number) {
    const auto steps = carver.take<int64_t>(num_row_labels);
    const auto places = carver.take<int64_t>(kRows);
    const auto buffer = carver.take<std::byte>(kRows * kLargestElement);
    if (!made.leaves.empty()) {
      RowLeaf* const leaf = std::construct_at(&made.leaves[number]);
      leaf->from = &from.leaves[number];
      leaf->steps = steps;
      leaf->places = places;
      leaf->buffer = buffer.data();
    }
  }
  if (!machine.empty()) {
    made.machine = std::construct_at(machine.data());
    made.machine->bind(program, nullptr, buffers.data());
  }
  return made;
}

}  // namespace

RowMemory::RowMemory(const GroupedProgram& program, std::span<const BlockProgram> programs,
                     const BlockReduction& reduction, Isa isa, std::byte* workspace) {
  Carver carver(workspace);
  expressions = carver.take<RowExpressions>(programs.size());
  for (size_t number = 0; number < programs.size(); ++number) {
    const bool is_stage = number < program.stages.size();
    const RowExpressions made =
        take_expressions(carver, is_stage ? program.stages[number] : program.values,
                         programs[number], program.rows.size());
    if (!expressions.empty()) {
      std::construct_at(&expressions[number], made)->isa = isa;
    }
  }
  positions = carver.take<int64_t>(program.rows.size());
  result_steps = carver.take<int64_t>(program.rows.size());
  group_steps = carver.take<int64_t>(program.groups.size());
  offsets = carver.take<int64_t>(kRows);
  selected = carver.take<int64_t>(kRows);
  keeps = carver.take<bool>(kRows);
  staging = carver.take<uint16_t>(kRows);
  stamps = carver.take<uint32_t>(kStamps);
  const size_t num_states = reduction.monoid().state.size();
  for (size_t entry = 0; entry < num_states; ++entry) {
    dense_places[entry] = carver.take<int64_t>(kRows);
    left[entry] = carver.take<std::byte>(kRows * kLargestElement).data();
    right[entry] = carver.take<std::byte>(kRows * kLargestElement).data();
  }
  const auto machine = carver.take<BlockMachine>(1);
  const auto buffers =
      carver.take<std::byte>(static_cast<size_t>(reduction.program().buffer_bytes()));
  if (!machine.empty()) {
    combine = std::construct_at(machine.data());
    combine->bind(reduction.program(), nullptr, buffers.data());
    for (size_t entry = 0; entry < num_states; ++entry) {
      combine->set_parameter(static_cast<int32_t>(entry), left[entry]);
      combine->set_parameter(static_cast<int32_t>(num_states + entry), right[entry]);
    }
  }
  bytes = carver.bytes();
}

}  // namespace tessera::kernels
