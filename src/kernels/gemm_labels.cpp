#include "kernels/gemm_labels.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "expr/function_ids.h"

namespace tessera::kernels {

namespace {

/// Goes through casts that change only how a number is stored (f16 to f32): products are computed
/// in f32 anyway.
int32_t without_widening(const expr::Scalar& scalar, int32_t number) {
  while (const auto* cast =
             std::get_if<expr::Cast>(&scalar.nodes[static_cast<size_t>(number)].op)) {
    const DType from = scalar.nodes[static_cast<size_t>(cast->argument)].dtype;
    if (compute_type(from) != compute_type(scalar.nodes[static_cast<size_t>(number)].dtype)) {
      break;
    }
    number = cast->argument;
  }
  return number;
}

const expr::Access* access_at(const expr::Scalar& scalar, int32_t number) {
  return std::get_if<expr::Access>(
      &scalar.nodes[static_cast<size_t>(without_widening(scalar, number))].op);
}

bool has(const std::vector<expr::LabelNumber>& labels, expr::LabelNumber label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// The labels of an access, mode by mode; nothing where a mode is not one label or a constant, or a
/// label repeats.
std::optional<std::vector<expr::LabelNumber>> labels_of(const expr::Access& access) {
  std::vector<expr::LabelNumber> labels;
  for (const expr::Index& index : access.index) {
    const std::optional<expr::LabelNumber> label = expr::plain_label(index);
    if (!expr::is_plain_or_fixed(index) || (label && has(labels, *label))) {
      return std::nullopt;
    }
    if (label) {
      labels.push_back(*label);
    }
  }
  return labels;
}

/// Sorts the labels of the operands and the statement into the four classes; a refusal where one
/// fits none.
std::optional<Refusal> classify(const expr::TileProgram& program,
                                const std::vector<expr::LabelNumber>& in_a,
                                const std::vector<expr::LabelNumber>& in_b, GemmLabels& labels) {
  const expr::TileStatement& statement = program.statements[0];
  const std::vector<expr::LabelNumber>& over = expr::reduced_labels(statement);
  for (const expr::LabelNumber label : statement.out) {
    const bool a = has(in_a, label);
    const bool b = has(in_b, label);
    if (!a && !b) {
      return Refusal{fmt::format("label {} is in neither factor",
                                 program.labels[static_cast<size_t>(label)].name)};
    }
    (a && b ? labels.batch : a ? labels.m : labels.n).push_back(label);
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

std::string merging_function(const expr::Monoid& monoid) {
  if (monoid.state.size() != 1 || monoid.combine[0].nodes.size() != 3) {
    return "";
  }
  const auto* call = std::get_if<expr::Call>(&monoid.combine[0].nodes.back().op);
  return call == nullptr ? "" : call->function;
}

OrRefusal<GemmLabels> sort_labels(const expr::TileProgram& program, const expr::Access& a,
                                  const expr::Access& b, DType type) {
  const auto in_a = labels_of(a);
  const auto in_b = labels_of(b);
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
  const expr::Reduce* reduce = expr::reduction_of(program.statements[0]);
  if (program.statements.size() != 1 || reduce == nullptr ||
      merging_function(reduce->monoid) != expr::id::kAdd) {
    return Refusal{"it is not one sum"};
  }
  const expr::Scalar& body = program.statements[0].bodies[0];
  const DType type = body.dtype();
  if (type != DType::f32 && type != DType::f64 && !is_complex(type)) {
    return Refusal{fmt::format("the sum is of {}, not of f32, f64, c64 or c128", name_of(type))};
  }
  const int32_t root = without_widening(body, static_cast<int32_t>(body.nodes.size()) - 1);
  const auto* product = std::get_if<expr::Call>(&body.nodes[static_cast<size_t>(root)].op);
  if (product == nullptr || product->function != expr::id::kMultiply) {
    return Refusal{"what is summed is not a product"};
  }
  const expr::Access* a = access_at(body, product->arguments[0]);
  const expr::Access* b = access_at(body, product->arguments[1]);
  if (a == nullptr || b == nullptr) {
    return Refusal{"the factors are not two accesses"};
  }
  return sort_labels(program, *a, *b, type);
}

}  // namespace tessera::kernels
