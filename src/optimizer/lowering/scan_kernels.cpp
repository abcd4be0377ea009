#include "optimizer/lowering/scan_kernels.h"

#include <utility>

namespace tessera::optimizer {

namespace {

using expr::LabelNumber;
using Readings = std::vector<partition::Reading>;

std::vector<expr::Scalar> bodies_over(const einsum::Scan& scan, const Readings& readings) {
  std::vector<expr::Scalar> bodies;
  for (const expr::Scalar& body : scan.bodies) {
    bodies.push_back(partition::over_readings(body, readings));
  }
  return bodies;
}

std::vector<expr::Index> plain_indices(const std::vector<LabelNumber>& labels) {
  std::vector<expr::Index> index;
  for (const LabelNumber label : labels) {
    index.push_back(expr::plain(label));
  }
  return index;
}

std::vector<LabelNumber> without(std::vector<LabelNumber> labels, LabelNumber label) {
  std::erase(labels, label);
  return labels;
}

/// True if the result is the state itself.
bool is_plain(const einsum::Scan& scan) {
  return scan.bodies.size() == 1 && scan.result.nodes.size() == 1 &&
         std::holds_alternative<expr::Parameter>(scan.result.nodes[0].op);
}

/// Makes accesses of consecutive operands, one for each entry of the state.
std::vector<int32_t> states_at(expr::ScalarBuilder& builder, const einsum::Scan& scan,
                               size_t first_operand, const std::vector<LabelNumber>& labels) {
  std::vector<int32_t> states;
  for (const DType dtype : scan.what.monoid.state) {
    const auto operand = static_cast<int32_t>(first_operand + states.size());
    states.push_back(builder.access({operand, plain_indices(labels)}, dtype));
  }
  return states;
}

/// Makes the statement out[labels] = result of the states that `builder` has as nodes.
expr::TileStatement result_statement(expr::ScalarBuilder& builder, const einsum::Scan& scan,
                                     const Readings& readings, const std::vector<int32_t>& states) {
  const expr::Scalar result = partition::over_readings(scan.result, readings);
  return {scan.out, {builder.finish(builder.inline_scalar(result, states))}};
}

/// Returns a monoid that merges in order, under a name of its own: texts know monoids by names.
expr::Monoid ordered(expr::Monoid monoid) {
  if (monoid.is_commutative) {
    monoid.name += ".ordered";
    monoid.is_commutative = false;
  }
  return monoid;
}

/// Returns the monoid that merges in the other order, under a name of its own.
expr::Monoid turned(expr::Monoid monoid) {
  monoid.name += ".turned";
  const auto num_states = static_cast<int32_t>(monoid.state.size());
  for (expr::Scalar& combine : monoid.combine) {
    for (expr::Node& node : combine.nodes) {
      if (auto* parameter = std::get_if<expr::Parameter>(&node.op)) {
        parameter->position = (parameter->position + num_states) % (2 * num_states);
      }
    }
  }
  return monoid;
}

bool is_backward(const einsum::Scan& scan) {
  return scan.what.direction == expr::Scan::Direction::backward;
}

}  // namespace

expr::TileProgram whole_scan(const einsum::Scan& scan, const Readings& readings) {
  expr::TileProgram program{scan.labels, static_cast<int32_t>(readings.size()), {}};
  program.statements.push_back({scan.out, bodies_over(scan, readings), scan.what});
  if (!is_plain(scan)) {
    expr::ScalarBuilder builder;
    const std::vector<int32_t> states = states_at(builder, scan, readings.size(), scan.out);
    program.statements.push_back(result_statement(builder, scan, readings, states));
  }
  return program;
}

expr::TileProgram merged_tile(const einsum::Scan& scan, const Readings& readings) {
  const bool is_turned = is_backward(scan) && !scan.what.monoid.is_commutative;
  const expr::Monoid monoid = is_turned ? turned(scan.what.monoid) : scan.what.monoid;
  return {scan.labels,
          static_cast<int32_t>(readings.size()),
          {{without(scan.out, scan.what.along), bodies_over(scan, readings),
            expr::Reduce{monoid, {scan.what.along}}}}};
}

expr::TileProgram states_behind(const einsum::Scan& scan, const Readings& readings) {
  const size_t num_states = scan.what.monoid.state.size();
  const size_t first_state = num_states + readings.size();
  const std::vector<LabelNumber> out = without(scan.out, scan.what.along);
  expr::TileProgram program{scan.labels, static_cast<int32_t>(first_state + num_states), {}};
  std::vector<expr::Scalar> bodies = bodies_over(scan, readings);
  for (expr::Scalar& body : bodies) {
    expr::for_each_access(body, [&](expr::Access& access, DType) {
      access.operand += static_cast<int32_t>(num_states);
    });
  }
  const expr::Monoid& monoid = scan.what.monoid;
  program.statements.push_back(
      {out, std::move(bodies),
       expr::Reduce{is_backward(scan) ? turned(ordered(monoid)) : ordered(monoid),
                    {scan.what.along}}});
  expr::TileStatement behind{out, {}};
  for (const expr::Scalar& combine : monoid.combine) {
    expr::ScalarBuilder builder;
    std::vector<int32_t> both = states_at(builder, scan, first_state, out);
    const std::vector<int32_t> in_tile = states_at(builder, scan, first_state + num_states, out);
    both.insert(both.end(), in_tile.begin(), in_tile.end());
    behind.bodies.push_back(builder.finish(builder.inline_scalar(combine, both)));
  }
  program.statements.push_back(std::move(behind));
  return program;
}

expr::TileProgram scan_from(const einsum::Scan& scan, const Readings& readings) {
  const size_t num_states = scan.what.monoid.state.size();
  expr::TileProgram program{scan.labels, static_cast<int32_t>(readings.size() + num_states), {}};
  program.statements.push_back({scan.out, bodies_over(scan, readings), scan.what});
  expr::ScalarBuilder builder;
  std::vector<int32_t> both =
      states_at(builder, scan, readings.size(), without(scan.out, scan.what.along));
  const std::vector<int32_t> in_tile =
      states_at(builder, scan, readings.size() + num_states, scan.out);
  both.insert(both.end(), in_tile.begin(), in_tile.end());
  std::vector<int32_t> states;
  for (const expr::Scalar& combine : scan.what.monoid.combine) {
    states.push_back(builder.inline_scalar(combine, both));
  }
  program.statements.push_back(result_statement(builder, scan, readings, states));
  return program;
}

}  // namespace tessera::optimizer
