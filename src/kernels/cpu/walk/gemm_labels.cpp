#include "kernels/cpu/walk/gemm_labels.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "expr/summed_product.h"

namespace tessera::kernels {

namespace {

bool has(const std::vector<expr::LabelNumber>& labels, expr::LabelNumber label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// Sorts the labels of the operands and the statement into the four classes; a refusal if one fits
/// none.
std::optional<Refusal> classify(const expr::TileProgram& program,
                                const std::vector<expr::LabelNumber>& in_a,
                                const std::vector<expr::LabelNumber>& in_b, GemmLabels& labels) {
  const expr::TileStatement& statement = program.statements[0];
  const std::vector<expr::LabelNumber>& over = expr::reduced_labels(statement);
  for (const expr::LabelNumber label : statement.out) {
    const bool a = has(in_a, label);
    const bool b = has(in_b, label);
    const bool is_one_position = program.labels[static_cast<size_t>(label)].extent == 1;
    if (!a && !b && !is_one_position) {
      return Refusal{fmt::format("label {} is in neither factor",
                                 program.labels[static_cast<size_t>(label)].name)};
    }
    (a == b ? labels.batch : a ? labels.m : labels.n).push_back(label);
  }
  for (const expr::LabelNumber label : in_a) {
    if (has(over, label) && has(in_b, label)) {
      labels.k.push_back(label);
    }
  }
  for (const expr::LabelNumber label : over) {
    if (!has(labels.k, label)) {
      return Refusal{fmt::format("the summed label {} is not in both factors",
                                 program.labels[static_cast<size_t>(label)].name)};
    }
  }
  return std::nullopt;
}

}  // namespace

OrRefusal<GemmLabels> sort_labels(const expr::TileProgram& program, const expr::Access& a,
                                  const expr::Access& b, DType type) {
  const auto in_a = expr::own_labels(a);
  const auto in_b = expr::own_labels(b);
  if (!in_a || !in_b) {
    return Refusal{"an access is not plain: a label repeats or an index is computed"};
  }
  GemmLabels labels;
  labels.a = a;
  labels.b = b;
  labels.type = type;
  if (std::optional<Refusal> refusal = classify(program, *in_a, *in_b, labels)) {
    return std::move(*refusal);
  }
  return labels;
}

OrRefusal<GemmLabels> read_as_gemm(const expr::TileProgram& program) {
  const OrRefusal<expr::SummedProduct> product = expr::summed_product_of(program);
  if (!product) {
    return product.refusal();
  }
  return sort_labels(program, product->a, product->b, product->type);
}

}  // namespace tessera::kernels
