#include "optimizer/einsum/substitution.h"

#include <algorithm>

#include "base/error.h"
#include "optimizer/einsum/scalar_rewrite.h"

namespace tessera::optimizer {

namespace {

using expr::AffineIndex;
using expr::Index;
using expr::LabelDecl;
using expr::LabelNumber;

/// A sum of labels under construction; nothing once it does not fit in 64 bits.
class LinearSum {
 public:
  explicit LinearSum(const std::vector<LabelDecl>& labels) : labels_(labels) {}

  /// Adds coefficient * index. REQUIRES is_linear(index).
  void add(const Index& index, int64_t coefficient) {
    add_offset(expr::offset_of(index), coefficient);
    expr::for_each_term(index, [&](LabelNumber label, int64_t own) {
      if (labels_[static_cast<size_t>(label)].extent != 1) {
        add_term(label, own, coefficient);
      }
    });
  }
  void add_offset(int64_t offset, int64_t coefficient) {
    sum_.offset = plus_product(sum_.offset, offset, coefficient);
  }

  /// Returns the sum as an index; nothing if it is too large.
  std::optional<AffineIndex> index() const {
    if (overflows_) {
      return std::nullopt;
    }
    AffineIndex made = sum_;
    std::erase_if(made.terms, [](const AffineIndex::Term& term) { return term.coefficient == 0; });
    return made;
  }

 private:
  int64_t plus_product(int64_t sum, int64_t a, int64_t b) {
    int64_t product = 0;
    int64_t made = 0;
    overflows_ = __builtin_mul_overflow(a, b, &product) ||
                 __builtin_add_overflow(sum, product, &made) || overflows_;
    return made;
  }

  void add_term(LabelNumber label, int64_t own, int64_t coefficient) {
    auto found = std::find_if(sum_.terms.begin(), sum_.terms.end(),
                              [&](const AffineIndex::Term& term) { return term.label == label; });
    if (found == sum_.terms.end()) {
      found = sum_.terms.insert(found, {label, 0});
    }
    found->coefficient = plus_product(found->coefficient, own, coefficient);
  }

  const std::vector<LabelDecl>& labels_;
  AffineIndex sum_;
  bool overflows_ = false;
};

std::vector<expr::LabelRange> whole_ranges(const std::vector<LabelDecl>& labels) {
  std::vector<expr::LabelRange> ranges;
  for (const LabelDecl& label : labels) {
    ranges.push_back({0, label.extent});
  }
  return ranges;
}

/// Composes a sum of labels with the place where its statement is read.
OrRefusal<Index> composed(const AffineIndex& affine, const ReadPlace& place, int64_t extent) {
  LinearSum sum(place.labels);
  sum.add_offset(affine.offset, 1);
  for (const AffineIndex::Term& term : affine.terms) {
    const Index& at = place.at[static_cast<size_t>(term.label)];
    if (!expr::is_linear(at)) {
      return Refusal{"is read in a sum of labels at a position that is no such sum"};
    }
    sum.add(at, term.coefficient);
  }
  std::optional<AffineIndex> made = sum.index();
  if (!made) {
    return Refusal{"is read at a sum of labels beyond 64 bits"};
  }
  made->divisor = affine.divisor;
  made->outside = affine.outside;
  const Index whole = expr::affine(std::move(*made));
  return fitting(without_idle_boundary(whole, place.labels, extent), place.labels, extent);
}

/// Composes one index with the place where its statement is read.
OrRefusal<Index> index_at(const Index& index, const ReadPlace& place, int64_t extent) {
  using Made = OrRefusal<Index>;
  return std::visit(
      Overload{[&](const expr::PlainIndex& plain) {
                 return Made(
                     fitting(place.at[static_cast<size_t>(plain.label)], place.labels, extent));
               },
               [&](const AffineIndex& affine) { return composed(affine, place, extent); },
               [](const Among<expr::FixedIndex, expr::GatheredIndex> auto& same) {
                 return Made(Index(same));
               }},
      index);
}

/// Makes index(label) at the place where its statement is read.
OrRefusal<int32_t> position_at(expr::ScalarBuilder& builder, const Index& at) {
  using Made = OrRefusal<int32_t>;
  return std::visit(
      Overload{[&](const expr::PlainIndex& plain) { return Made(builder.index_of(plain.label)); },
               [&](const expr::FixedIndex& fixed) {
                 return Made(builder.constant(fixed.position, DType::i64));
               },
               [](const Among<AffineIndex, expr::GatheredIndex> auto&) {
                 return Made(
                     Refusal{"asks for the position of a label that is no label where it is read"});
               }},
      at);
}

OrRefusal<int32_t> access_at(expr::ScalarBuilder& builder, const expr::Access& access, DType dtype,
                             const ReadPlace& place) {
  const auto operand = static_cast<size_t>(access.operand);
  expr::Access made{place.operands[operand], {}};
  for (size_t mode = 0; mode < access.index.size(); ++mode) {
    OrRefusal<Index> index = index_at(access.index[mode], place, place.shapes[operand][mode]);
    if (!index) {
      return index.refusal();
    }
    made.index.push_back(std::move(*index));
  }
  return builder.access(std::move(made), dtype);
}

OrRefusal<int32_t> leaf_at(expr::ScalarBuilder& builder, const expr::Node& leaf,
                           const ReadPlace& place) {
  return std::visit(
      Overload{
          [&](const expr::Access& access) { return access_at(builder, access, leaf.dtype, place); },
          [&](const expr::IndexOf& index) {
            return position_at(builder, place.at[static_cast<size_t>(index.label)]);
          },
          [&](const Among<expr::Constant, expr::Parameter, expr::Call, expr::Cast> auto&) {
            return OrRefusal<int32_t>(builder.add(leaf));
          }},
      leaf.op);
}

/// Drops the boundary of a sum that stays inside a mode of this extent, and labels of one position.
Index without_idle_boundary(const AffineIndex& affine, const std::vector<LabelDecl>& labels,
                            int64_t extent) {
  LinearSum sum(labels);
  sum.add_offset(affine.offset, 1);
  for (const AffineIndex::Term& term : affine.terms) {
    sum.add(expr::plain(term.label), term.coefficient);
  }
  std::optional<AffineIndex> made = sum.index();
  const std::optional<expr::Reach> reach = expr::reach_of(affine, whole_ranges(labels));
  if (affine.divisor != 1 || !made || !reach) {
    return affine;
  }
  const bool is_inside = reach->lowest >= 0 && reach->highest < extent;
  made->outside = is_inside ? expr::Boundary(expr::Inside{}) : affine.outside;
  return expr::affine(std::move(*made));
}

/// Returns the only index of an access that has a label; null if none, several, or one twice has
/// it.
const Index* only_index_with(const expr::Access& access, LabelNumber label) {
  const Index* only = nullptr;
  for (const Index& index : access.index) {
    if (!expr::mentions(index, label)) {
      continue;
    }
    if (only != nullptr) {
      return nullptr;
    }
    only = &index;
  }
  return only;
}

}  // namespace

bool runs_never(const std::vector<LabelDecl>& labels) {
  return std::any_of(labels.begin(), labels.end(),
                     [](const LabelDecl& label) { return label.extent == 0; });
}

Index without_idle_boundary(const Index& index, const std::vector<LabelDecl>& labels,
                            int64_t extent) {
  return std::visit(
      Overload{
          [&](const AffineIndex& affine) { return without_idle_boundary(affine, labels, extent); },
          [](const Among<expr::PlainIndex, expr::FixedIndex, expr::GatheredIndex> auto& same) {
            return Index(same);
          }},
      index);
}

Index fitting(Index index, const std::vector<LabelDecl>& labels, int64_t extent) {
  const std::optional<LabelNumber> label = expr::plain_label(index);
  if (!label || labels[static_cast<size_t>(*label)].extent == extent) {
    return index;
  }
  return AffineIndex{{{*label, 1}}, 0, 1, expr::Edge{}};
}

std::vector<Index> indices_of(const expr::Access& access, const std::vector<LabelDecl>& labels,
                              const Shape& shape) {
  std::vector<Index> indices;
  for (size_t mode = 0; mode < access.index.size(); ++mode) {
    indices.push_back(without_idle_boundary(access.index[mode], labels, shape[mode]));
  }
  return indices;
}

bool has_whole_mode(const expr::Access& access, const Shape& shape, LabelNumber label,
                    int64_t extent) {
  const Index* index = only_index_with(access, label);
  return index != nullptr && expr::is_plain(*index) &&
         shape[static_cast<size_t>(index - access.index.data())] == extent;
}

ReadPlace place_of_read(const einsum::Graph& graph, const einsum::Vertex& read,
                        const std::vector<Index>& indices, einsum::Vertex& reader) {
  ReadPlace place;
  place.at.resize(einsum::labels_of(read.op).size(), expr::fixed(0));
  const std::vector<LabelNumber>& out = einsum::result_labels(read.op);
  for (size_t mode = 0; mode < out.size(); ++mode) {
    place.at[static_cast<size_t>(out[mode])] = indices[mode];
  }
  place.labels = einsum::labels_of(reader.op);
  for (const einsum::VertexId operand : read.operands) {
    const auto known = std::find(reader.operands.begin(), reader.operands.end(), operand);
    place.operands.push_back(static_cast<int32_t>(known - reader.operands.begin()));
    if (known == reader.operands.end()) {
      reader.operands.push_back(operand);
    }
    place.shapes.push_back(graph.at(operand).type.shape);
  }
  return place;
}

OrRefusal<int32_t> copy_at(expr::ScalarBuilder& builder, const expr::Scalar& expression,
                           const ReadPlace& place) {
  std::optional<Refusal> refused;
  const int32_t root =
      copy_into(builder, expression, [&](expr::ScalarBuilder& to, const expr::Node& leaf) {
        const OrRefusal<int32_t> made = leaf_at(to, leaf, place);
        if (!made) {
          refused = made.refusal();
          return to.add(leaf);
        }
        return *made;
      });
  if (refused) {
    return *refused;
  }
  return root;
}

std::vector<einsum::VertexId> take_read_operands(const std::vector<einsum::VertexId>& operands,
                                                 expr::Scalar& expression) {
  std::vector<einsum::VertexId> met;
  expr::for_each_access(expression, [&](expr::Access& access, DType) {
    const einsum::VertexId operand = operands[static_cast<size_t>(access.operand)];
    const auto known = std::find(met.begin(), met.end(), operand);
    access.operand = static_cast<int32_t>(known - met.begin());
    if (known == met.end()) {
      met.push_back(operand);
    }
  });
  return met;
}

}  // namespace tessera::optimizer
