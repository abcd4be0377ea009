#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/refusal.h"
#include "optimizer/einsum/rule.h"
#include "optimizer/einsum/scalar_rewrite.h"
#include "optimizer/einsum/substitution.h"

/// y[i] = c[n-1-i] with c[i] = cumsum[i] r[i] and r[i] = x[n-1-i] becomes y[i] = cumsum[i reverse]
/// x[i], and y[i,j] = c[j,i] with c[j,i] = cumsum[i] t[j,i] and t[j,i] = x[i,j] becomes y[i,j] =
/// cumsum[i] x[i,j]. A scan that is only copied, in another order of its modes or from the end, is
/// made in that order at once, and copies that were made for it are read in place. States are
/// merged in the same order, by any operator, so no bit changes; unlike in x + sum - cumsum[i] x,
/// the usual form of the first, where x cancels.
///
/// Conditions, with what goes wrong without them:
/// - one reader, which copies all positions: if another needs c, it is made all the same, and the
///   copy is less work than a second scan;
/// - the scan then reads in order: an r[n-1-i] that is not itself a reversed copy would be read
///   from the end, which needs a copy in order first;
/// - the scan's result is its state alone: else it may read operands of other modes.
namespace tessera::optimizer::rule_copy_of_scan {

namespace {

using einsum::EinSum;
using einsum::Vertex;
using expr::Index;
using expr::LabelNumber;

/// Returns the access that a statement consists of, if it is a plain copy.
const expr::Access* copied_by(const Vertex& vertex) {
  const auto* einsum = std::get_if<EinSum>(&vertex.op);
  return einsum == nullptr || einsum->reduction || einsum->body.nodes.size() != 1
             ? nullptr
             : std::get_if<expr::Access>(&einsum->body.nodes[0].op);
}

/// The label of an index that goes through a whole mode, from its beginning or from its end.
struct Through {
  LabelNumber label = 0;
  bool is_from_end = false;
};

std::optional<Through> through(const Index& index, const std::vector<expr::LabelDecl>& labels,
                               int64_t extent) {
  if (const auto label = expr::plain_label(index)) {
    return Through{*label, false};
  }
  for (size_t label = 0; expr::is_linear(index) && label < labels.size(); ++label) {
    const auto number = static_cast<LabelNumber>(label);
    const Index backwards = expr::affine({{{number, -1}}, extent - 1, 1, expr::Inside{}});
    if (index == backwards && labels[label].extent == extent) {
      return Through{number, true};
    }
  }
  return std::nullopt;
}

/// The way in which a copy reads all of a scan: its modes' order and its direction.
struct Turned {
  std::vector<Index> indices;
  LabelNumber along = 0;
  bool is_reversed = false;
};

std::optional<Turned> turned(const Vertex& copy, const expr::Access& access, const Vertex& read) {
  const auto& scan = std::get<einsum::Scan>(read.op);
  const std::vector<expr::LabelDecl>& labels = einsum::labels_of(copy.op);
  if (runs_never(labels) || labels.size() != access.index.size()) {
    return std::nullopt;
  }
  Turned made{indices_of(access, labels, read.type.shape), 0, false};
  std::vector<bool> is_met(labels.size(), false);
  for (size_t mode = 0; mode < made.indices.size(); ++mode) {
    const std::optional<Through> all = through(made.indices[mode], labels, read.type.shape[mode]);
    const bool is_along = scan.out[mode] == scan.what.along;
    if (!all || is_met[static_cast<size_t>(all->label)] || (all->is_from_end && !is_along)) {
      return std::nullopt;
    }
    is_met[static_cast<size_t>(all->label)] = true;
    if (is_along) {
      made.along = all->label;
      made.is_reversed = all->is_from_end;
    }
  }
  return made;
}

bool lies_in_order(const expr::Scalar& body) {
  const std::vector<const expr::Access*> accesses = expr::accesses_of(body);
  return std::all_of(accesses.begin(), accesses.end(), [](const expr::Access* access) {
    return std::all_of(access->index.begin(), access->index.end(), expr::is_plain_or_fixed);
  });
}

class CopyOfScan {
 public:
  CopyOfScan(const Vertex& copy, const Vertex& read, const RuleContext& around)
      : read_(read), around_(around), made_(copy) {}

  OrRefusal<Vertex> run(const Turned& turned) && {
    const auto& scan = std::get<einsum::Scan>(read_.op);
    const ReadPlace place = place_of_read(around_.graph(), read_, turned.indices, made_);
    std::vector<expr::Scalar> bodies;
    for (const expr::Scalar& body : scan.bodies) {
      expr::ScalarBuilder builder;
      const OrRefusal<int32_t> root = copy_at(builder, body, place);
      if (!root) {
        return root.refusal();
      }
      bodies.push_back(without_copies(builder.finish(*root)));
      if (!lies_in_order(bodies.back())) {
        return Refusal{"would read from the end what is no copy"};
      }
    }
    einsum::Scan made{einsum::labels_of(made_.op), einsum::result_labels(made_.op), scan.what,
                      std::move(bodies), scan.result};
    made.what.along = turned.along;
    if (turned.is_reversed) {
      made.what.direction = scan.what.direction == expr::Scan::Direction::forward
                                ? expr::Scan::Direction::backward
                                : expr::Scan::Direction::forward;
    }
    number_operands(made.bodies);
    made_.op = std::move(made);
    return std::move(made_);
  }

 private:
  /// Returns the body with copies replaced by their originals, wherever that is possible.
  expr::Scalar without_copies(const expr::Scalar& body) {
    expr::ScalarBuilder builder;
    const int32_t root =
        copy_into(builder, body, [&](expr::ScalarBuilder& to, const expr::Node& leaf) {
          const auto* access = std::get_if<expr::Access>(&leaf.op);
          const std::optional<int32_t> element =
              access == nullptr ? std::nullopt : element_of(to, *access);
          return element ? *element : to.add(leaf);
        });
    return builder.finish(root);
  }

  std::optional<int32_t> element_of(expr::ScalarBuilder& to, const expr::Access& access) {
    const einsum::VertexId id = made_.operands[static_cast<size_t>(access.operand)];
    const Vertex& operand = around_.graph().at(id);
    if (copied_by(operand) == nullptr) {
      return std::nullopt;
    }
    const std::vector<expr::LabelDecl>& labels = einsum::labels_of(made_.op);
    const ReadPlace place = place_of_read(around_.graph(), operand,
                                          indices_of(access, labels, operand.type.shape), made_);
    expr::ScalarBuilder tried;
    const OrRefusal<int32_t> root = copy_at(tried, std::get<EinSum>(operand.op).body, place);
    if (!root) {
      return std::nullopt;
    }
    const expr::Scalar element = tried.finish(*root);
    return lies_in_order(element) ? std::optional(to.inline_scalar(element, {})) : std::nullopt;
  }

  /// Lists the operands that the bodies read, each once.
  void number_operands(std::vector<expr::Scalar>& bodies) {
    std::vector<einsum::VertexId> met;
    for (expr::Scalar& body : bodies) {
      expr::for_each_access(body, [&](expr::Access& access, DType) {
        const einsum::VertexId operand = made_.operands[static_cast<size_t>(access.operand)];
        const auto known = std::find(met.begin(), met.end(), operand);
        access.operand = static_cast<int32_t>(known - met.begin());
        if (known == met.end()) {
          met.push_back(operand);
        }
      });
    }
    made_.operands = std::move(met);
  }

  const Vertex& read_;
  const RuleContext& around_;
  Vertex made_;
};

Outcome apply(const Vertex& vertex, const RuleContext& around) {
  const expr::Access* access = copied_by(vertex);
  if (access == nullptr) {
    return NotApplied{};
  }
  const einsum::VertexId id = vertex.operands[static_cast<size_t>(access->operand)];
  const Vertex& read = around.graph().at(id);
  const auto* scan = std::get_if<einsum::Scan>(&read.op);
  const std::optional<Turned> all = scan == nullptr ? std::nullopt : turned(vertex, *access, read);
  if (!all) {
    return NotApplied{};
  }
  if (!expr::accesses_of(scan->result).empty() || !labels_in(scan->result).empty()) {
    return NotApplied{read.name + " gives more than its state"};
  }
  if (around.num_readers(id) > 1) {
    return NotApplied{
        fmt::format("{} has {} readers: it stays", read.name, around.num_readers(id))};
  }
  OrRefusal<Vertex> made = CopyOfScan(vertex, read, around).run(*all);
  return made ? Outcome(Rewritten{{*std::move(made)}})
              : Outcome(NotApplied{read.name + " " + made.reason()});
}

}  // namespace

void register_rule(RuleRegistry& registry) {
  registry.add({"copy_of_scan", "make a scan in the order in which its only reader copies it",
                Phase::normalize, [] { return VertexRewrite(&apply); }});
}

}  // namespace tessera::optimizer::rule_copy_of_scan
