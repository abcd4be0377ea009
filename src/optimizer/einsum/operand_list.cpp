#include "optimizer/einsum/operand_list.h"

#include "optimizer/einsum/scalar_rewrite.h"

namespace tessera::optimizer {

void OperandList::meet(const expr::Scalar& part) {
  for (const expr::Access* access : expr::accesses_of(part)) {
    int32_t& number = numbers_[static_cast<size_t>(access->operand)];
    if (number < 0) {
      number = add(from_.operands[static_cast<size_t>(access->operand)]);
    }
  }
}

int32_t OperandList::add(einsum::VertexId vertex) {
  vertices_.push_back(vertex);
  return static_cast<int32_t>(vertices_.size()) - 1;
}

int32_t OperandList::copy(expr::ScalarBuilder& builder, const expr::Scalar& part,
                          const std::vector<expr::LabelNumber>& labels) const {
  return copy_into(builder, part, [&](expr::ScalarBuilder& to, const expr::Node& leaf) {
    return copy_leaf(to, leaf, labels, numbers_);
  });
}

}  // namespace tessera::optimizer
