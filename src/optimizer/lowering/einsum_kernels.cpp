#include "optimizer/lowering/einsum_kernels.h"

#include <optional>
#include <utility>

#include "expr/finite_product.h"
#include "expr/function_ids.h"
#include "expr/guard.h"

namespace tessera::optimizer {

namespace {

using einsum::EinSum;
using expr::LabelNumber;

/// Makes the position of an element among the reduced ones, in row-major order of the labels summed
/// over.
int32_t reduced_position(expr::ScalarBuilder& builder, const EinSum& einsum) {
  if (einsum.over.empty()) {
    return builder.constant(int64_t{0}, DType::i64);
  }
  int32_t position = builder.index_of(einsum.over[0]);
  for (size_t inner = 1; inner < einsum.over.size(); ++inner) {
    const LabelNumber label = einsum.over[inner];
    const int32_t extent =
        builder.constant(einsum.labels[static_cast<size_t>(label)].extent, DType::i64);
    position = builder.call(expr::id::kMultiply, {position, extent}, DType::i64);
    position = builder.call(expr::id::kAdd, {position, builder.index_of(label)}, DType::i64);
  }
  return position;
}

/// Returns one entry of the state that an element is lifted into; the identity for an element that
/// a guard leaves out.
expr::Scalar lifted_body(const EinSum& einsum, const expr::Scalar& body, size_t entry) {
  const expr::Monoid& monoid = einsum.reduction->monoid;
  const std::optional<expr::Guard> guard = expr::guard_of(body);
  expr::ScalarBuilder builder;
  const int32_t whole = builder.inline_scalar(body, {});
  const int32_t element = guard ? guard->element : whole;
  const int32_t position = reduced_position(builder, einsum);
  const int32_t lifted = builder.inline_scalar(einsum.reduction->lift[entry], {element, position});
  if (!guard) {
    return builder.finish(lifted);
  }
  const DType dtype = monoid.state[entry];
  const int32_t left_out = builder.constant(monoid.identity[entry], dtype);
  return builder.finish(
      builder.call(expr::id::kWhere, {guard->condition, lifted, left_out}, dtype));
}

}  // namespace

EinSum with_state_in_range(EinSum einsum) {
  if (einsum.reduction && expr::is_product_of_reals(*einsum.reduction)) {
    einsum.reduction = expr::with_finiteness(*einsum.reduction);
  }
  return einsum;
}

expr::TileProgram kernel_of(const EinSum& einsum, const std::vector<partition::Reading>& readings) {
  const expr::Scalar body = partition::over_readings(einsum.body, readings);
  expr::TileStatement statement{einsum.out, {body}};
  if (einsum.reduction) {
    statement.what = expr::Reduce{einsum.reduction->monoid, einsum.over};
    statement.bodies.clear();
    for (size_t entry = 0; entry < einsum.reduction->lift.size(); ++entry) {
      statement.bodies.push_back(lifted_body(einsum, body, entry));
    }
  }
  const int32_t num_sources = einsum.gathers_source ? 1 : 0;
  return {
      einsum.labels, static_cast<int32_t>(readings.size()) + num_sources, {std::move(statement)}};
}

expr::TileProgram finalise_program(const EinSum& einsum) {
  expr::TileProgram program;
  expr::TileStatement statement;
  std::vector<expr::Index> index;
  for (const LabelNumber label : einsum.out) {
    const auto number = static_cast<LabelNumber>(program.labels.size());
    program.labels.push_back(einsum.labels[static_cast<size_t>(label)]);
    statement.out.push_back(number);
    index.push_back(expr::plain(number));
  }
  expr::ScalarBuilder builder;
  std::vector<int32_t> states;
  for (const DType dtype : einsum.reduction->monoid.state) {
    states.push_back(builder.access({program.num_inputs++, index}, dtype));
  }
  statement.bodies.push_back(
      builder.finish(builder.inline_scalar(einsum.reduction->finalise, states)));
  program.statements.push_back(std::move(statement));
  return program;
}

expr::TileProgram whole_call(const einsum::Whole& whole,
                             const std::vector<partition::Reading>& readings) {
  return {whole.labels,
          static_cast<int32_t>(readings.size()),
          {{whole.out, {partition::over_readings(whole.body, readings)}, whole.what}}};
}

}  // namespace tessera::optimizer
