#include "kernels/cpu/blocked/reduction.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "kernels/cpu/walk/state_function.h"

namespace tessera::kernels {

namespace {

ColumnFold find_columns(const std::optional<std::string>& merge, DType type, Isa isa) {
  for (const ColumnEntry& entry : column_entries(isa)) {
    if (entry.type == type && merge == entry.merge) {
      return entry.fold;
    }
  }
  return nullptr;
}

std::vector<ColumnFold> columns_of(const expr::Monoid& monoid, Isa isa) {
  std::vector<ColumnFold> columns;
  for (size_t state = 0; state < monoid.state.size(); ++state) {
    const ColumnFold fold =
        find_columns(merging_function_of(monoid, state), compute_type(monoid.state[state]), isa);
    if (fold == nullptr) {
      return {};
    }
    columns.push_back(fold);
  }
  return columns;
}

}  // namespace

OrRefusal<BlockReduction> BlockReduction::compile(const expr::Monoid& monoid, Isa isa) {
  if (monoid.state.size() > static_cast<size_t>(kMaxStates)) {
    return Refusal{fmt::format("the aggregate {} has {} states, more than {}", monoid.name,
                               monoid.state.size(), kMaxStates)};
  }
  OrRefusal<BlockProgram> program = BlockProgram::compile(monoid.combine, isa);
  if (!program) {
    return program.refusal();
  }
  BlockReduction reduction(monoid, std::move(*program));
  reduction.columns_ = columns_of(monoid, isa);
  return reduction;
}

bool BlockReduction::is_exact() const {
  return !columns_.empty() &&
         std::all_of(monoid_.state.begin(), monoid_.state.end(),
                     [](DType state) { return is_integer(state) || state == DType::b1; });
}

}  // namespace tessera::kernels
