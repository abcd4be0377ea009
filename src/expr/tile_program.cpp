#include "expr/tile_program.h"

#include <algorithm>

namespace tessera::expr {

bool has_label(const std::vector<LabelDecl>& labels, LabelNumber label) {
  return label >= 0 && static_cast<size_t>(label) < labels.size();
}

bool is_map(const TileStatement& statement) {
  return std::holds_alternative<Map>(statement.what);
}

const Reduce* reduction_of(const TileStatement& statement) {
  return std::get_if<Reduce>(&statement.what);
}

const Scan* scan_of(const TileStatement& statement) {
  return std::get_if<Scan>(&statement.what);
}

const Whole* whole_of(const TileStatement& statement) {
  return std::get_if<Whole>(&statement.what);
}

const Monoid* monoid_of(const TileStatement& statement) {
  using Found = const Monoid*;
  return std::visit(Overload{[](const Map&) -> Found { return nullptr; },
                             [](const Reduce& reduce) -> Found { return &reduce.monoid; },
                             [](const Scan& scan) -> Found { return &scan.monoid; },
                             [](const Whole&) -> Found { return nullptr; }},
                    statement.what);
}

const std::vector<LabelNumber>& reduced_labels(const TileStatement& statement) {
  static const std::vector<LabelNumber> none;
  using Found = const std::vector<LabelNumber>&;
  return std::visit(Overload{[](const Reduce& reduce) -> Found { return reduce.over; },
                             [](const Whole& whole) -> Found { return whole.over; },
                             [](const Among<Map, Scan> auto&) -> Found { return none; }},
                    statement.what);
}

std::vector<LabelNumber> labels_without(std::vector<LabelNumber> labels,
                                        const std::vector<LabelNumber>& others) {
  std::erase_if(labels, [&](LabelNumber label) {
    return std::find(others.begin(), others.end(), label) != others.end();
  });
  return labels;
}

const Leaf* stated_leaf(const TileStatement& statement) {
  const Reduce* reduce = reduction_of(statement);
  return reduce != nullptr && reduce->leaf ? &*reduce->leaf : nullptr;
}

LabelNumber find_label(const TileProgram& program, const std::string& name) {
  for (size_t number = 0; number < program.labels.size(); ++number) {
    if (program.labels[number].name == name) {
      return static_cast<LabelNumber>(number);
    }
  }
  return -1;
}

std::vector<DType> output_dtypes(const TileProgram& program) {
  std::vector<DType> dtypes;
  for (const Scalar& body : program.statements.back().bodies) {
    dtypes.push_back(body.dtype());
  }
  return dtypes;
}

TileProgram combine_program(const Monoid& monoid, const std::vector<LabelDecl>& labels) {
  const int32_t num_states = static_cast<int32_t>(monoid.state.size());
  TileProgram program{labels, 2 * num_states, {}};
  std::vector<Index> index;
  TileStatement statement;
  for (size_t label = 0; label < labels.size(); ++label) {
    statement.out.push_back(static_cast<LabelNumber>(label));
    index.push_back(plain(static_cast<LabelNumber>(label)));
  }
  for (const Scalar& combine : monoid.combine) {
    ScalarBuilder builder;
    std::vector<int32_t> states;
    for (int32_t operand = 0; operand < 2 * num_states; ++operand) {
      states.push_back(builder.access({operand, index},
                                      monoid.state[static_cast<size_t>(operand % num_states)]));
    }
    statement.bodies.push_back(builder.finish(builder.inline_scalar(combine, states)));
  }
  program.statements.push_back(std::move(statement));
  return program;
}

}  // namespace tessera::expr
