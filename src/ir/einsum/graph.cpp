#include "ir/einsum/graph.h"

#include "base/error.h"
#include "base/overload.h"

namespace tessera::einsum {

namespace {

bool equal(const expr::BoundAggregate& a, const expr::BoundAggregate& b) {
  return a.monoid == b.monoid && a.lift == b.lift && a.finalise == b.finalise &&
         a.defined_on_empty == b.defined_on_empty;
}

}  // namespace

bool operator==(const EinSum& a, const EinSum& b) {
  const bool same_reduction =
      a.reduction && b.reduction ? equal(*a.reduction, *b.reduction) : !a.reduction && !b.reduction;
  return a.labels == b.labels && a.out == b.out && a.over == b.over && a.aggregate == b.aggregate &&
         same_reduction && a.body == b.body && a.gathers_source == b.gathers_source;
}

const EinSum& einsum_of(const Vertex& vertex) {
  const auto refuse = [&](const char* what) -> const EinSum& {
    throw_error(ErrorKind::internal, "{} is {}, no einsum", vertex.name, what);
  };
  return std::visit(
      Overload{[&](const Input&) -> const EinSum& { return refuse("an input"); },
               [](const EinSum& einsum) -> const EinSum& { return einsum; },
               [&](const Scan&) -> const EinSum& { return refuse("a scan"); },
               [&](const Whole&) -> const EinSum& { return refuse("a function of whole arrays"); }},
      vertex.op);
}

const std::vector<expr::LabelDecl>& labels_of(const Op& op) {
  static const std::vector<expr::LabelDecl> none;
  using Found = const std::vector<expr::LabelDecl>&;
  return std::visit(Overload{[](const Input&) -> Found { return none; },
                             [](const EinSum& einsum) -> Found { return einsum.labels; },
                             [](const Scan& scan) -> Found { return scan.labels; },
                             [](const Whole& whole) -> Found { return whole.labels; }},
                    op);
}

std::vector<const expr::Scalar*> expressions_of(const Op& op) {
  using Found = std::vector<const expr::Scalar*>;
  return std::visit(Overload{[](const Input&) { return Found{}; },
                             [](const EinSum& einsum) { return Found{&einsum.body}; },
                             [](const Scan& scan) {
                               Found found;
                               for (const expr::Scalar& body : scan.bodies) {
                                 found.push_back(&body);
                               }
                               found.push_back(&scan.result);
                               return found;
                             },
                             [](const Whole& whole) { return Found{&whole.body}; }},
                    op);
}

namespace {

using Labels = std::vector<expr::LabelNumber>;

const Labels& no_labels() {
  static const Labels none;
  return none;
}

}  // namespace

const Labels& result_labels(const Op& op) {
  return std::visit(Overload{[](const Input&) -> const Labels& { return no_labels(); },
                             [](const EinSum& einsum) -> const Labels& { return einsum.out; },
                             [](const Scan& scan) -> const Labels& { return scan.out; },
                             [](const Whole& whole) -> const Labels& { return whole.out; }},
                    op);
}

const Labels& reduced_labels(const Op& op) {
  return std::visit(Overload{[](const Input&) -> const Labels& { return no_labels(); },
                             [](const EinSum& einsum) -> const Labels& { return einsum.over; },
                             [](const Scan&) -> const Labels& { return no_labels(); },
                             [](const Whole& whole) -> const Labels& { return whole.what.over; }},
                    op);
}

std::optional<int32_t> source_operand(const Op& op) {
  using Found = std::optional<int32_t>;
  return std::visit(
      Overload{[](const Among<Input, Scan, Whole> auto&) { return Found(); },
               [](const EinSum& einsum) {
                 return einsum.gathers_source
                            ? Found(std::get<expr::Access>(einsum.body.nodes.back().op).operand)
                            : Found();
               }},
      op);
}

const expr::Monoid* monoid_of(const Op& op) {
  using Found = const expr::Monoid*;
  return std::visit(Overload{[](const Among<Input, Whole> auto&) -> Found { return nullptr; },
                             [](const EinSum& einsum) -> Found {
                               return einsum.reduction ? &einsum.reduction->monoid : nullptr;
                             },
                             [](const Scan& scan) -> Found { return &scan.what.monoid; }},
                    op);
}

std::vector<ir::NamedOutput> named_outputs(const Graph& graph) {
  std::vector<ir::NamedOutput> outputs;
  for (const Output& output : graph.outputs) {
    outputs.push_back({output.name, output.vertex.value});
  }
  return outputs;
}

}  // namespace tessera::einsum
