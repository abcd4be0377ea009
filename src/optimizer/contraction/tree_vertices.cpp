#include "optimizer/contraction/tree_vertices.h"

#include <algorithm>
#include <optional>

#include "optimizer/einsum/input_part.h"
#include "optimizer/einsum/scalar_rewrite.h"

namespace tessera::optimizer {

namespace {

using einsum::EinSum;
using einsum::Vertex;
using einsum::VertexId;
using expr::LabelNumber;

bool contains(const LabelSet& labels, LabelNumber label) {
  return std::binary_search(labels.begin(), labels.end(), label);
}

LabelSet without(const LabelSet& labels, const LabelSet& left_out) {
  LabelSet rest;
  std::set_difference(labels.begin(), labels.end(), left_out.begin(), left_out.end(),
                      std::back_inserter(rest));
  return rest;
}

LabelSet sorted(std::vector<LabelNumber> labels) {
  std::sort(labels.begin(), labels.end());
  return labels;
}

/// True if an access must become a vertex of its own. A contiguous part of an input at fixed
/// leading positions is read in place instead.
bool is_irregular(const expr::Access& access, bool is_of_input) {
  const size_t num_fixed = is_of_input ? num_leading_fixed(access) : 0;
  return labels_of(access).size() + num_fixed != access.index.size();
}

/// Returns the reduced labels of every factor that no other factor has; none if all their extents
/// are 1, because then there is nothing to add up.
std::vector<LabelSet> own_labels(const EinSum& einsum, const std::vector<LabelSet>& reads,
                                 const std::vector<int64_t>& extents) {
  std::vector<int64_t> num_factors(einsum.labels.size(), 0);
  for (const LabelSet& labels : reads) {
    for (const LabelNumber label : labels) {
      ++num_factors[static_cast<size_t>(label)];
    }
  }
  const LabelSet over = sorted(einsum.over);
  std::vector<LabelSet> own;
  for (const LabelSet& labels : reads) {
    LabelSet found;
    std::copy_if(labels.begin(), labels.end(), std::back_inserter(found), [&](LabelNumber label) {
      return contains(over, label) && num_factors[static_cast<size_t>(label)] == 1;
    });
    if (volume(found, extents) == 1) {
      found.clear();
    }
    own.push_back(std::move(found));
  }
  return own;
}

/// A tensor of the tree: its vertex, the label of each mode, and how to read an element.
struct Tensor {
  VertexId vertex;
  std::vector<LabelNumber> modes;
  DType stored = DType::f32;
  std::vector<DType> casts;  // applied to an element before it is multiplied
  // of a part of an input; if empty, a plain one for each mode
  std::vector<expr::Index> index = {};
};

/// A writer of one vertex over labels of the contraction. Labels are renumbered, and each operand
/// is listed once.
class VertexWriter {
 public:
  explicit VertexWriter(const Contraction& contraction)
      : contraction_(contraction), numbers_(contraction.einsum.labels.size(), -1) {}

  std::vector<LabelNumber> declare(const std::vector<LabelNumber>& labels) {
    std::vector<LabelNumber> numbered;
    for (const LabelNumber label : labels) {
      LabelNumber& number = numbers_[static_cast<size_t>(label)];
      if (number < 0) {
        number = static_cast<LabelNumber>(einsum_.labels.size());
        einsum_.labels.push_back(contraction_.einsum.labels[static_cast<size_t>(label)]);
      }
      numbered.push_back(number);
    }
    return numbered;
  }

  /// Reads an element of a vertex, cast step by step. REQUIRES the labels of the index are
  /// declared.
  int32_t read(VertexId vertex, const std::vector<expr::Index>& index, DType stored,
               const std::vector<DType>& casts) {
    auto place = std::find(operands_.begin(), operands_.end(), vertex);
    if (place == operands_.end()) {
      place = operands_.insert(operands_.end(), vertex);
    }
    expr::Access access{static_cast<int32_t>(place - operands_.begin()), {}};
    for (const expr::Index& mode : index) {
      access.index.push_back(expr::relabelled(mode, numbers_));
    }
    int32_t element = builder_.access(std::move(access), stored);
    for (const DType dtype : casts) {
      element = builder_.cast(element, dtype);
    }
    return element;
  }

  int32_t read(const Tensor& tensor) {
    std::vector<expr::Index> index = tensor.index;
    for (const LabelNumber label :
         tensor.index.empty() ? tensor.modes : std::vector<LabelNumber>{}) {
      index.push_back(expr::plain(label));
    }
    return read(tensor.vertex, index, tensor.stored, tensor.casts);
  }

  expr::ScalarBuilder& builder() { return builder_; }

  /// Finishes out = ⊕ over labels of the expression, or the expression itself if there are none.
  Vertex finish(const std::vector<LabelNumber>& out, const std::vector<LabelNumber>& over,
                int32_t root, const expr::BoundAggregate& reduction, std::string name) {
    einsum_.out = declare(out);
    einsum_.over = declare(over);
    einsum_.body = builder_.finish(root);
    DType dtype = einsum_.body.dtype();
    if (!over.empty()) {
      einsum_.aggregate = contraction_.einsum.aggregate;
      einsum_.reduction = reduction;
      dtype = reduction.result();
    }
    Vertex vertex;
    for (const LabelNumber number : einsum_.out) {
      const expr::LabelDecl& label = einsum_.labels[static_cast<size_t>(number)];
      vertex.type.shape.push_back(label.extent);
      vertex.labels.push_back(label.name);
    }
    vertex.type.dtype = dtype;
    vertex.operands = std::move(operands_);
    vertex.op = std::move(einsum_);
    vertex.name = std::move(name);
    vertex.origin = contraction_.vertex.origin;
    return vertex;
  }

 private:
  const Contraction& contraction_;
  std::vector<LabelNumber> numbers_;  // by label of the contraction: its number in the new vertex
  std::vector<VertexId> operands_;
  expr::ScalarBuilder builder_;
  EinSum einsum_;
};

/// A writer of the tensors of the tree, one after the other.
class TreeWriter {
 public:
  TreeWriter(const Contraction& contraction, OwnLabels own_labels, RuleContext& around)
      : contraction_(contraction),
        own_labels_(own_labels),
        around_(around),
        state_(contraction.einsum.reduction->monoid.state.front()) {}

  std::vector<Vertex> run(const std::vector<ContractionStep>& steps) {
    for (size_t factor = 0; factor < contraction_.reads.size(); ++factor) {
      tensors_.push_back(prepare(factor));
    }
    for (size_t step = 0; step < steps.size(); ++step) {
      contract(steps[step], step + 1 == steps.size());
    }
    return std::move(vertices_);
  }

 private:
  /// Makes a factor a tensor with distinct plain modes, its own labels reduced if they are to be.
  Tensor prepare(size_t factor) {
    const Factor& from = contraction_.product.factors[factor];
    const VertexId vertex = contraction_.vertex.operands[static_cast<size_t>(from.access.operand)];
    const LabelSet over =
        own_labels_ == OwnLabels::reduced_first ? contraction_.own[factor] : LabelSet{};
    if (!contraction_.irregular[factor] && over.empty()) {
      return {vertex, modes_in_order(from.access), from.stored, from.casts, from.access.index};
    }
    const std::vector<LabelNumber> kept = without_labels(modes_in_order(from.access), over);
    VertexWriter writer(contraction_);
    writer.declare(modes_in_order(from.access));
    std::vector<DType> casts;
    if (!over.empty()) {
      casts = from.casts;
      casts.push_back(state_);
    }
    const int32_t element = writer.read(vertex, from.access.index, from.stored, casts);
    const VertexId made =
        append(writer.finish(kept, over, element, over_states(*contraction_.einsum.reduction),
                             around_.fresh_name(contraction_.vertex.name)));
    return over.empty() ? Tensor{made, kept, from.stored, from.casts, {}}
                        : Tensor{made, kept, state_, {}, {}};
  }

  /// Returns the labels of an access, each once, in the order of its modes. Its modes are plain or
  /// fixed.
  static std::vector<LabelNumber> modes_in_order(const expr::Access& access) {
    std::vector<LabelNumber> modes;
    for (const expr::Index& index : access.index) {
      const std::optional<LabelNumber> label = expr::plain_label(index);
      if (label && std::find(modes.begin(), modes.end(), *label) == modes.end()) {
        modes.push_back(*label);
      }
    }
    return modes;
  }

  static std::vector<LabelNumber> without_labels(std::vector<LabelNumber> labels,
                                                 const LabelSet& left_out) {
    labels.erase(std::remove_if(labels.begin(), labels.end(),
                                [&](LabelNumber label) { return contains(left_out, label); }),
                 labels.end());
    return labels;
  }

  void contract(const ContractionStep& step, bool is_last) {
    const Tensor left = tensors_[static_cast<size_t>(step.left)];
    const Tensor right = tensors_[static_cast<size_t>(step.right)];
    const std::vector<LabelNumber> out =
        is_last ? contraction_.einsum.out : order_of_result(left, right, step.labels);
    const LabelSet over = without(union_of(sorted(left.modes), sorted(right.modes)), sorted(out));

    // The last two, if they are the user's own operands, keep the user's product and aggregate,
    // because kernels know that form.
    const bool as_written =
        is_last && !over.empty() && has_product_dtype(left) && has_product_dtype(right);
    const expr::BoundAggregate& whole = *contraction_.einsum.reduction;
    const bool finalise_apart = is_last && !as_written && !over.empty() && !expr::is_plain(whole);

    VertexWriter writer(contraction_);
    writer.declare(left.modes);
    writer.declare(right.modes);
    const DType dtype = as_written ? contraction_.product.dtype : state_;
    const int32_t x = writer.builder().cast(writer.read(left), dtype);
    const int32_t y = writer.builder().cast(writer.read(right), dtype);
    int32_t root = writer.builder().call(contraction_.product.function, {x, y}, dtype);
    if (is_last && over.empty()) {
      root = writer.builder().inline_scalar(whole.finalise, {root});
    }
    Vertex vertex =
        writer.finish(out, over, root, as_written ? whole : over_states(whole),
                      is_last && !finalise_apart ? contraction_.vertex.name
                                                 : around_.fresh_name(contraction_.vertex.name));
    if (is_last) {
      vertex.labels = contraction_.vertex.labels;
    }
    tensors_.push_back({append(std::move(vertex)), out, state_, {}, {}});
    if (finalise_apart) {
      finalise(tensors_.back());
    }
  }

  /// Reads the result from the state: f16(state).
  void finalise(const Tensor& state) {
    VertexWriter writer(contraction_);
    writer.declare(state.modes);
    const expr::BoundAggregate& whole = *contraction_.einsum.reduction;
    const int32_t root = writer.builder().inline_scalar(whole.finalise, {writer.read(state)});
    Vertex vertex = writer.finish(state.modes, {}, root, whole, contraction_.vertex.name);
    vertex.labels = contraction_.vertex.labels;
    append(std::move(vertex));
  }

  /// True if an element is read in the dtype of the user's product.
  bool has_product_dtype(const Tensor& tensor) const {
    return (tensor.casts.empty() ? tensor.stored : tensor.casts.back()) ==
           contraction_.product.dtype;
  }

  /// Orders the labels of a result: first the shared ones (the batch of a matrix product), then the
  /// left operand's, then the right's.
  static std::vector<LabelNumber> order_of_result(const Tensor& left, const Tensor& right,
                                                  const LabelSet& kept) {
    std::vector<LabelNumber> batch;
    std::vector<LabelNumber> rows;
    for (const LabelNumber label : left.modes) {
      if (contains(kept, label)) {
        const bool shared =
            std::find(right.modes.begin(), right.modes.end(), label) != right.modes.end();
        (shared ? batch : rows).push_back(label);
      }
    }
    batch.insert(batch.end(), rows.begin(), rows.end());
    for (const LabelNumber label : right.modes) {
      if (contains(kept, label) && std::find(batch.begin(), batch.end(), label) == batch.end()) {
        batch.push_back(label);
      }
    }
    return batch;
  }

  VertexId append(Vertex vertex) {
    vertices_.push_back(std::move(vertex));
    return VertexId(static_cast<int64_t>(around_.graph().vertices.size() + vertices_.size()) - 1);
  }

  const Contraction& contraction_;
  OwnLabels own_labels_;
  RuleContext& around_;
  DType state_;
  std::vector<Tensor> tensors_;
  std::vector<Vertex> vertices_;
};

}  // namespace

Contraction contraction_of(const Vertex& vertex, const einsum::Graph& graph) {
  const EinSum& einsum = einsum::einsum_of(vertex);
  Contraction contraction{vertex, einsum, *product_of(einsum.body), {}, {}, {}, {}};
  for (const expr::LabelDecl& label : einsum.labels) {
    contraction.extents.push_back(label.extent);
  }
  for (const Factor& factor : contraction.product.factors) {
    contraction.reads.push_back(labels_of(factor.access));
    const VertexId read = vertex.operands[static_cast<size_t>(factor.access.operand)];
    contraction.irregular.push_back(is_irregular(factor.access, is_part_source(graph.at(read))));
  }
  contraction.own = own_labels(einsum, contraction.reads, contraction.extents);
  return contraction;
}

TensorNetwork network_of(const Contraction& contraction, OwnLabels own_labels) {
  TensorNetwork network{contraction.reads, contraction.extents, sorted(contraction.einsum.out)};
  for (size_t factor = 0; own_labels == OwnLabels::reduced_first && factor < network.tensors.size();
       ++factor) {
    network.tensors[factor] = without(network.tensors[factor], contraction.own[factor]);
  }
  return network;
}

double cost_of_one_loop(const Contraction& contraction) {
  LabelSet all;
  for (const LabelSet& labels : contraction.reads) {
    all = union_of(all, labels);
  }
  return volume(all, contraction.extents) * static_cast<double>(contraction.reads.size());
}

double cost_of_preparation(const Contraction& contraction) {
  double cost = 0;
  for (size_t factor = 0; factor < contraction.reads.size(); ++factor) {
    cost += contraction.own[factor].empty()
                ? 0
                : volume(contraction.reads[factor], contraction.extents);
  }
  return cost;
}

std::vector<Vertex> tree_vertices(const Contraction& contraction, OwnLabels own_labels,
                                  const std::vector<ContractionStep>& steps, RuleContext& around) {
  return TreeWriter(contraction, own_labels, around).run(steps);
}

}  // namespace tessera::optimizer
