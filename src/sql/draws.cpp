#include "sql/draws.h"

#include "base/error.h"

namespace tessera::sql {

namespace {

using program::call;
using program::number;

/// The position of an element: of its row, then within its tensor.
program::Expression position_of(const Labels& labels) {
  program::Expression position = number(int64_t{0});
  for (const Label& label : labels) {
    position = position * number(label.extent) + label;
  }
  return position;
}

constexpr int64_t kMostBits = (int64_t{1} << 53) - 1;  // of a double

}  // namespace

Draws::Draws(TensorCall& call) : source_(call.draws) {
  TESSERA_CHECK(call.draws != nullptr, "{} of no statement", call.name);
  key_ = call.draws->new_key();
}

program::Expression Draws::bits_at(const Expressions& indices, int64_t place, int64_t count) const {
  const program::Expression position =
      position_of(joined(source_->row_labels(), labels_of(indices)));
  return call("philox", {number(key_), position * number(count) + number(place)});
}

program::Expression Draws::unit_at(const Expressions& indices, int64_t place, int64_t count) const {
  const program::Expression bits =
      call("bitwise_and", {bits_at(indices, place, count), number(kMostBits)});
  return program::converted(DType::f64, bits) * number(0x1p-53);
}

program::Expression at_last(const Term& argument, const Expressions& indices) {
  const auto count = static_cast<std::ptrdiff_t>(argument.type.shape.size());
  return argument.at(Expressions(indices.end() - count, indices.end()));
}

}  // namespace tessera::sql
