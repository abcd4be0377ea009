#include "kernels/cpu/semiring/labels.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "expr/logsumexp.h"
#include "expr/summed_product.h"
#include "kernels/context.h"
#include "kernels/cpu/walk/joined.h"

namespace tessera::kernels {

namespace {

const SemiringEntry* find_entry(const Joined& joined, SemiringWeights weights, Isa isa) {
  for (const SemiringEntry& entry : semiring_entries(isa)) {
    const std::string of_join = entry.of_join == nullptr ? "" : entry.of_join;
    if (entry.type == joined.type && joined.join == entry.join && joined.of_join == of_join &&
        joined.merge == entry.merge && entry.weights == weights) {
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

bool has_any(const std::vector<expr::LabelNumber>& own,
             const std::vector<expr::LabelNumber>& labels) {
  return std::any_of(own.begin(), own.end(), [&](expr::LabelNumber label) {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  });
}

/// Returns the operand that the weights go along with.
OrRefusal<SemiringWeights> side_of(const std::optional<expr::Access>& weights,
                                   const GemmLabels& labels) {
  if (!weights) {
    return SemiringWeights::none;
  }
  const auto own = expr::own_labels(*weights);
  if (!own) {
    return Refusal{"its weights are not read plainly: a label repeats or an index is computed"};
  }
  if (has_any(*own, labels.m) && has_any(*own, labels.n)) {
    return Refusal{"its weights have labels of either operand that the other has not"};
  }
  return has_any(*own, labels.n) ? SemiringWeights::of_columns : SemiringWeights::of_rows;
}

/// True if a statement reduces by logsumexp: its states are the largest value and a sum of one
/// share for each value.
bool is_logsumexp(const expr::TileStatement& statement) {
  const expr::Reduce* reduce = expr::reduction_of(statement);
  return reduce != nullptr && expr::is_logsumexp(reduce->monoid) &&
         expr::is_constant(statement.bodies[1].nodes.back(), 1);
}

OrRefusal<WeightedJoined> read_statement(const expr::TileStatement& statement) {
  if (!is_logsumexp(statement)) {
    return read_weighted_joined(statement);
  }
  OrRefusal<Joined> joined = read_joined_by(statement, kLogSumExp);
  if (!joined) {
    return joined.refusal();
  }
  return WeightedJoined{std::move(*joined), std::nullopt, joined->type};
}

}  // namespace

OrRefusal<SemiringProduct> read_as_semiring(const expr::TileProgram& program,
                                            const CallShape& shape, const Context& context) {
  const expr::TileStatement& statement = program.statements[0];
  const OrRefusal<WeightedJoined> weighted = read_statement(statement);
  if (!weighted) {
    return weighted.refusal();
  }
  const Joined& joined = weighted->joined;
  if (joined.a_type != joined.type || joined.b_type != joined.type ||
      weighted->weights_type != joined.type) {
    return Refusal{fmt::format("its operands are not {} {}", weighted->weights ? "all" : "both",
                               name_of(joined.type))};
  }
  OrRefusal<GemmLabels> labels =
      sort_labels(program, joined.a, joined.b, statement.bodies[0].dtype());
  if (!labels) {
    return labels.refusal();
  }
  turn(statement, shape, *labels);
  const OrRefusal<SemiringWeights> side = side_of(weighted->weights, *labels);
  if (!side) {
    return side.refusal();
  }
  const SemiringEntry* const entry = find_entry(joined, *side, context.machine.isa);
  if (entry == nullptr) {
    return Refusal{fmt::format("there is no tile that merges {}{}",
                               weighted->weights ? "weighted " : "", describe(joined))};
  }
  return SemiringProduct{std::move(*labels), weighted->weights, entry};
}

}  // namespace tessera::kernels
