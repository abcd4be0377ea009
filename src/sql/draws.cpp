#include "sql/draws.h"

#include <fmt/format.h>

#include "base/error.h"

namespace tessera::sql {

namespace {

/// The position of an element: of its row, then within its tensor.
std::string position_of(const Labels& row_labels, const Labels& labels) {
  std::string text = "0";
  for (const Labels* part : {&row_labels, &labels}) {
    for (const std::string& label : *part) {
      text = fmt::format("({} * {} + index({}))", text, extent_of_label(label), label);
    }
  }
  return text;
}

}  // namespace

Draws::Draws(TensorCall& call) : source_(call.draws) {
  TESSERA_CHECK(call.draws != nullptr, "{} of no statement", call.name);
  key_ = call.draws->new_key();
}

std::string Draws::bits_at(const Labels& labels, int64_t number, int64_t count) const {
  return fmt::format("philox({}, {} * {} + {})", key_, position_of(source_->row_labels(), labels),
                     count, number);
}

std::string Draws::unit_at(const Labels& labels, int64_t number, int64_t count) const {
  return fmt::format("(f64(bitwise_and({}, 9007199254740991)) * {})",
                     bits_at(labels, number, count), 0x1p-53);
}

std::string text_at_last(const Term& argument, const Labels& labels) {
  const auto count = static_cast<std::ptrdiff_t>(argument.type.shape.size());
  return text_of(argument, Labels(labels.end() - count, labels.end()));
}

}  // namespace tessera::sql
