#include "kernels/cpu/masked/masked_reading.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "expr/function_ids.h"
#include "expr/summed_product.h"
#include "kernels/cpu/walk/gemm_labels.h"
#include "types/half_rounding.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

/// where(condition, a * b, 0), or where(condition, 0, a * b), as nodes of a body.
struct MaskedChoice {
  int32_t condition = 0;
  int32_t product = 0;
  int32_t zero = 0;
  bool is_otherwise = false;  // the product counts if the condition fails
  std::array<int32_t, 2> factors = {};
};

const expr::Node& body_node(const expr::Scalar& body, int32_t number) {
  return body.nodes[static_cast<size_t>(number)];
}

const expr::Call* body_call(const expr::Scalar& body, int32_t number, const char* function) {
  const auto* call = std::get_if<expr::Call>(&body_node(body, number).op);
  return call != nullptr && call->function == function ? call : nullptr;
}

std::optional<MaskedChoice> masked_choice_of(const expr::Scalar& body) {
  auto root = static_cast<int32_t>(body.nodes.size()) - 1;
  const auto* cast = std::get_if<expr::Cast>(&body_node(body, root).op);
  if (cast != nullptr && !rounds_to_half(body_node(body, cast->argument).dtype, body.dtype())) {
    root = cast->argument;
  }
  const expr::Call* const where = body_call(body, root, expr::id::kWhere);
  for (const size_t position : {1, 2}) {
    const int32_t product = where == nullptr ? -1 : where->arguments[position];
    const int32_t zero = where == nullptr ? -1 : where->arguments[3 - position];
    const expr::Call* const call =
        where == nullptr ? nullptr : body_call(body, product, expr::id::kMultiply);
    if (call != nullptr && expr::is_constant(body_node(body, zero), 0)) {
      return MaskedChoice{where->arguments[0],
                          product,
                          zero,
                          position == 2,
                          {call->arguments[0], call->arguments[1]}};
    }
  }
  return std::nullopt;
}

bool is_listed(const std::vector<LabelNumber>& labels, LabelNumber label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// Returns the labels of the masked factor's copy: those of an access in its order, with those of
/// the condition before them; those of any other expression in the order of the result, then of the
/// sum.
std::vector<LabelNumber> copied_labels(const expr::TileStatement& statement, int32_t condition,
                                       int32_t factor) {
  const expr::Scalar& body = statement.bodies[0];
  const std::vector<LabelNumber> of_condition = expr::labels_below(body, condition);
  const std::vector<LabelNumber> of_factor = expr::labels_below(body, factor);
  std::vector<LabelNumber> order = statement.out;
  const std::vector<LabelNumber>& over = expr::reduced_labels(statement);
  order.insert(order.end(), over.begin(), over.end());
  std::vector<LabelNumber> labels;
  const auto* access = std::get_if<expr::Access>(&body_node(body, factor).op);
  const std::vector<LabelNumber> own =
      access == nullptr ? std::vector<LabelNumber>()
                        : expr::own_labels(*access).value_or(std::vector<LabelNumber>());
  for (const LabelNumber label : order) {
    if ((is_listed(of_condition, label) || is_listed(of_factor, label)) && !is_listed(own, label)) {
      labels.push_back(label);
    }
  }
  labels.insert(labels.end(), own.begin(), own.end());
  return labels;
}

double positions_along(const std::vector<LabelNumber>& labels, const CallShape& shape) {
  double positions = 1;
  for (const LabelNumber label : labels) {
    positions *= static_cast<double>(shape.ranges[static_cast<size_t>(label)].length);
  }
  return positions;
}

/// Returns the labels of a program of a part of the work: labels that it does not name have one
/// position, and so count nothing.
std::vector<expr::LabelDecl> labels_of_part(const expr::TileProgram& program,
                                            const std::vector<LabelNumber>& named) {
  std::vector<expr::LabelDecl> labels = program.labels;
  for (size_t label = 0; label < labels.size(); ++label) {
    labels[label].extent =
        is_listed(named, static_cast<LabelNumber>(label)) ? labels[label].extent : 1;
  }
  return labels;
}

/// A builder that holds all nodes of a body, with their places.
struct CopiedNodes {
  expr::ScalarBuilder builder;
  std::vector<int32_t> where;

  explicit CopiedNodes(const expr::Scalar& body) {
    for (const expr::Node& node : body.nodes) {
      where.push_back(builder.add(expr::with_arguments(node, where)));
    }
  }
  int32_t at(int32_t node) const { return where[static_cast<size_t>(node)]; }
};

class MaskedReader {
 public:
  MaskedReader(const expr::TileProgram& program, const CallShape& shape, const MaskedChoice& choice)
      : program_(program),
        shape_(shape),
        statement_(program.statements[0]),
        body_(statement_.bodies[0]),
        choice_(choice) {}

  /// Reads the product with factor `number` masked.
  OrRefusal<MaskedProduct> read(size_t number) const {
    const int32_t factor = choice_.factors[number];
    const int32_t other = choice_.factors[1 - number];
    const DType type = body_node(body_, factor).dtype;
    const bool is_access = std::holds_alternative<expr::Access>(body_node(body_, factor).op);
    if (!is_access && compute_type(type) != type) {
      return Refusal{"a computed factor of f16 or bf16 would be rounded"};
    }
    MaskedProduct product;
    const std::vector<LabelNumber> copied = copied_labels(statement_, choice_.condition, factor);
    if (positions_along(copied, shape_) >= positions_along(all_labels(), shape_)) {
      return Refusal{"the condition depends on labels of both factors"};
    }
    product.masked = masked_program(factor, copied);
    product.product = product_program(number, copied);
    const OrRefusal<GemmLabels> labels = read_as_gemm(product.product);
    if (!labels) {
      return labels.refusal();
    }
    product.finiteness = finiteness_program(other);
    const std::vector<LabelNumber> of_other = expr::labels_below(body_, other);
    product.rows = expr::labels_without(statement_.out, of_other);
    const std::vector<LabelNumber> of_condition = expr::labels_below(body_, choice_.condition);
    for (const LabelNumber label : expr::reduced_labels(statement_)) {
      if (is_listed(of_condition, label)) {
        product.depth.push_back(label);
      }
    }
    return product;
  }

  double num_copied(size_t number) const {
    return positions_along(copied_labels(statement_, choice_.condition, choice_.factors[number]),
                           shape_);
  }

 private:
  std::vector<LabelNumber> all_labels() const {
    std::vector<LabelNumber> labels = statement_.out;
    const std::vector<LabelNumber>& over = expr::reduced_labels(statement_);
    labels.insert(labels.end(), over.begin(), over.end());
    return labels;
  }

  expr::TileProgram masked_program(int32_t factor, const std::vector<LabelNumber>& copied) const {
    CopiedNodes nodes(body_);
    const DType type = body_node(body_, factor).dtype;
    const int32_t zero = nodes.builder.constant(int64_t{0}, type);
    const int32_t kept = nodes.at(factor);
    const int32_t root =
        nodes.builder.call(expr::id::kWhere,
                           {nodes.at(choice_.condition), choice_.is_otherwise ? zero : kept,
                            choice_.is_otherwise ? kept : zero},
                           type);
    expr::TileStatement statement{copied, {nodes.builder.finish(root)}, expr::Map{}};
    return {labels_of_part(program_, copied), program_.num_inputs, {std::move(statement)}};
  }

  expr::TileProgram product_program(size_t number, const std::vector<LabelNumber>& copied) const {
    CopiedNodes nodes(body_);
    expr::Access copy{program_.num_inputs, {}};
    for (const LabelNumber label : copied) {
      copy.index.push_back(expr::plain(label));
    }
    std::array<int32_t, 2> factors = {nodes.at(choice_.factors[0]), nodes.at(choice_.factors[1])};
    factors[number] =
        nodes.builder.access(std::move(copy), body_node(body_, choice_.factors[number]).dtype);
    const int32_t product = nodes.builder.call(expr::id::kMultiply, {factors[0], factors[1]},
                                               body_node(body_, choice_.product).dtype);
    expr::TileStatement statement = statement_;
    statement.bodies = {nodes.builder.finish(nodes.builder.cast(product, body_.dtype()))};
    return {program_.labels, program_.num_inputs + 1, {std::move(statement)}};
  }

  expr::TileProgram finiteness_program(int32_t other) const {
    CopiedNodes nodes(body_);
    const std::vector<LabelNumber> over = expr::labels_below(body_, other);
    const int32_t value = nodes.builder.cast(nodes.at(other), body_.dtype());
    const int32_t root = nodes.builder.call(expr::id::kSubtract, {value, value}, body_.dtype());
    const expr::Monoid& sum = expr::reduction_of(statement_)->monoid;
    expr::TileStatement statement{{}, {nodes.builder.finish(root)}, expr::Reduce{sum, over}};
    return {labels_of_part(program_, over), program_.num_inputs, {std::move(statement)}};
  }

  const expr::TileProgram& program_;
  const CallShape& shape_;
  const expr::TileStatement& statement_;
  const expr::Scalar& body_;
  const MaskedChoice choice_;
};

}  // namespace

OrRefusal<MaskedProduct> read_masked_product(const expr::TileProgram& program,
                                             const CallShape& shape) {
  const expr::Reduce* reduce = expr::reduction_of(program.statements[0]);
  if (reduce == nullptr || expr::merging_function(reduce->monoid) != expr::id::kAdd) {
    return Refusal{"it is not one sum"};
  }
  const std::optional<MaskedChoice> choice = masked_choice_of(program.statements[0].bodies[0]);
  if (!choice) {
    return Refusal{"what is summed is no product that a condition lets in, else 0"};
  }
  const MaskedReader reader(program, shape, *choice);
  const size_t first = reader.num_copied(0) <= reader.num_copied(1) ? 0 : 1;
  OrRefusal<MaskedProduct> product = reader.read(first);
  return product ? std::move(product) : reader.read(1 - first);
}

}  // namespace tessera::kernels
