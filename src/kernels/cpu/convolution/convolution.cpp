#include "kernels/cpu/convolution/convolution.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "expr/summed_product.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

bool contains(const std::vector<LabelNumber>& labels, LabelNumber label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// Reads a mode that has two labels, one of the result and one that is summed; nothing for others.
std::optional<WindowDirection> direction_of(const expr::Index& index,
                                            const std::vector<LabelNumber>& out) {
  if (!expr::is_linear(index)) {
    return std::nullopt;
  }
  std::vector<std::pair<LabelNumber, int64_t>> terms;
  expr::for_each_term(index, [&](LabelNumber label, int64_t coefficient) {
    terms.emplace_back(label, coefficient);
  });
  if (terms.size() != 2 || contains(out, terms[0].first) == contains(out, terms[1].first) ||
      std::min(terms[0].second, terms[1].second) < 1) {
    return std::nullopt;
  }
  const auto& [place, tap] =
      contains(out, terms[0].first) ? std::pair(terms[0], terms[1]) : std::pair(terms[1], terms[0]);
  return WindowDirection{place.first, tap.first, place.second, tap.second};
}

/// A sorter of the labels of a sum of products into those of a convolution.
class Sorting {
 public:
  Sorting(const expr::TileProgram& program, const expr::SummedProduct& product,
          std::vector<LabelNumber> of_weights)
      : out_(program.statements[0].out),
        over_(expr::reduced_labels(program.statements[0])),
        of_weights_(std::move(of_weights)),
        convolution_{product.a, product.b, {}, {}, {}, {}, {}, product.type} {}

  OrRefusal<Convolution> run() && {
    for (const expr::Index& index : convolution_.data.index) {
      if (!expr::is_plain_or_fixed(index) && !add_direction(index)) {
        return Refusal{"a mode is read otherwise than at a place and a tap"};
      }
      const std::optional<LabelNumber> label = expr::plain_label(index);
      if (label && !add_of_data(*label)) {
        return Refusal{"it has more labels of one kind than a convolution"};
      }
    }
    const size_t directions = convolution_.directions.size();
    if (directions < 1 || directions > 3) {
      return Refusal{"it moves no window, or in more than three directions"};
    }
    for (const LabelNumber label : of_weights_) {
      if (!contains(used_, label) && !add(contains(out_, label), convolution_.filter, label)) {
        return Refusal{"the weights have a label that is no filter, channel or tap"};
      }
    }
    const bool has_all = used_.size() == out_.size() + over_.size();
    const bool is_alone = !convolution_.channel && !convolution_.filter;
    if (!has_all || (convolution_.group && !is_alone)) {
      return Refusal{"its labels are not those of a convolution"};
    }
    return std::move(convolution_);
  }

 private:
  bool add_direction(const expr::Index& index) {
    const std::optional<WindowDirection> direction = direction_of(index, out_);
    const bool is_one = direction && !contains(of_weights_, direction->place) &&
                        contains(of_weights_, direction->tap) &&
                        !contains(used_, direction->place) && !contains(used_, direction->tap);
    if (is_one) {
      convolution_.directions.push_back(*direction);
      used_.insert(used_.end(), {direction->place, direction->tap});
    }
    return is_one;
  }

  bool add_of_data(LabelNumber label) {
    const bool is_shared = contains(of_weights_, label);
    if (contains(over_, label)) {
      return add(is_shared, convolution_.channel, label);
    }
    return add(true, is_shared ? convolution_.group : convolution_.batch, label);
  }

  /// Gives a label its role, if it `fits` and the role is free.
  bool add(bool fits, std::optional<LabelNumber>& kind, LabelNumber label) {
    if (!fits || kind || contains(used_, label)) {
      return false;
    }
    kind = label;
    used_.push_back(label);
    return true;
  }

  const std::vector<LabelNumber>& out_;
  const std::vector<LabelNumber>& over_;
  const std::vector<LabelNumber> of_weights_;
  Convolution convolution_;
  std::vector<LabelNumber> used_;
};

}  // namespace

OrRefusal<Convolution> read_as_convolution(const expr::TileProgram& program) {
  OrRefusal<expr::SummedProduct> product = expr::summed_product_of(program);
  if (!product) {
    return product.refusal();
  }
  std::optional<std::vector<LabelNumber>> of_weights = expr::own_labels(product->b);
  if (!of_weights) {
    std::swap(product->a, product->b);
    of_weights = expr::own_labels(product->b);
  }
  if (!of_weights) {
    return Refusal{"no factor is read plainly, as weights are"};
  }
  return Sorting(program, *product, std::move(*of_weights)).run();
}

Shape extents_read(const expr::Access& access, const CallShape& shape) {
  Shape extents;
  for (const expr::Index& index : access.index) {
    int64_t extent = 1;
    expr::for_each_term(index, [&](LabelNumber label, int64_t coefficient) {
      extent += std::abs(coefficient) * (shape.ranges[static_cast<size_t>(label)].length - 1);
    });
    extents.push_back(extent);
  }
  return extents;
}

}  // namespace tessera::kernels
