#include "kernels/cpu/semiring/labels.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "kernels/cpu/walk/joined.h"

namespace tessera::kernels {

namespace {

const SemiringEntry* find_entry(const Joined& joined, Isa isa) {
  for (const SemiringEntry& entry : semiring_entries(isa)) {
    const std::string of_join = entry.of_join == nullptr ? "" : entry.of_join;
    if (entry.type == joined.type && joined.join == entry.join && joined.of_join == of_join &&
        joined.merge == entry.merge) {
      return &entry;
    }
  }
  return nullptr;
}

/// Makes the output's innermost label one of n, so that results are stored side by side.
void turn(const expr::TileStatement& statement, const CallShape& shape, GemmLabels& labels) {
  for (auto label = statement.out.rbegin(); label != statement.out.rend(); ++label) {
    if (shape.ranges[static_cast<size_t>(*label)].length == 1) {
      continue;
    }
    if (std::find(labels.m.begin(), labels.m.end(), *label) != labels.m.end()) {
      std::swap(labels.a, labels.b);
      std::swap(labels.m, labels.n);
    }
    return;
  }
}

}  // namespace

OrRefusal<SemiringProduct> read_as_semiring(const expr::TileProgram& program,
                                            const CallShape& shape, Isa isa) {
  const expr::TileStatement& statement = program.statements[0];
  const OrRefusal<Joined> joined = read_joined(statement);
  if (!joined) {
    return joined.refusal();
  }
  if (joined->a_type != joined->type || joined->b_type != joined->type) {
    return Refusal{fmt::format("its operands are not both {}", name_of(joined->type))};
  }
  const SemiringEntry* const entry = find_entry(*joined, isa);
  if (entry == nullptr) {
    return Refusal{fmt::format("there is no tile that merges {}", describe(*joined))};
  }
  OrRefusal<GemmLabels> labels =
      sort_labels(program, joined->a, joined->b, statement.bodies[0].dtype());
  if (!labels) {
    return labels.refusal();
  }
  turn(statement, shape, *labels);
  return SemiringProduct{std::move(*labels), entry};
}

}  // namespace tessera::kernels
