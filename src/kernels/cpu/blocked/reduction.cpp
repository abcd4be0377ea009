#include "kernels/cpu/blocked/reduction.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "kernels/cpu/walk/state_function.h"

namespace tessera::kernels {

namespace {

const ColumnEntry* find_columns(const std::optional<std::string>& merge, DType type, Isa isa) {
  const std::span<const ColumnEntry> entries = column_entries(isa);
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const ColumnEntry& entry) {
    return entry.type == type && merge == entry.merge;
  });
  return found == entries.end() ? nullptr : &*found;
}

std::vector<ColumnEntry> columns_of(const expr::Monoid& monoid, Isa isa) {
  std::vector<ColumnEntry> columns;
  for (size_t state = 0; state < monoid.state.size(); ++state) {
    const ColumnEntry* const entry =
        find_columns(merging_function_of(monoid, state), compute_type(monoid.state[state]), isa);
    if (entry == nullptr) {
      return {};
    }
    columns.push_back(*entry);
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
  for (const ColumnEntry& entry : columns_of(monoid, isa)) {
    reduction.columns_.push_back(entry.fold);
    reduction.columns_apart_.push_back(entry.fold_apart);
  }
  return reduction;
}

bool BlockReduction::is_exact() const {
  return !columns_.empty() &&
         std::all_of(monoid_.state.begin(), monoid_.state.end(),
                     [](DType state) { return is_integer(state) || state == DType::b1; });
}

}  // namespace tessera::kernels
