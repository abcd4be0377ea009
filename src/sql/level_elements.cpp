#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/level.h"
#include "sql/statement_error.h"
#include "sql/version_index.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

/// The number that a subscript is where it says one; nothing where rows or tensors say it.
std::optional<int64_t> constant_subscript(const ExpressionPtr& subscript) {
  bool is_constant = true;
  for_each(subscript, [&](const ExpressionPtr& part) {
    const auto* const number = std::get_if<NumberLiteral>(&part->of);
    TESSERA_USER_CHECK(number == nullptr || number->is_integer,
                       "an element is named by a whole number, not by {}", number->text);
    is_constant = is_constant && (number != nullptr || std::holds_alternative<Operation>(part->of));
    return is_constant;
  });
  return is_constant ? std::optional(index_value(*subscript, {})) : std::nullopt;
}

/// The position that a subscript names, from 0.
int64_t position_of(int64_t subscript, const Shape& shape, size_t mode) {
  TESSERA_USER_CHECK(subscript >= 1 && subscript <= shape[mode],
                     "there is no element {} along an extent of {} in a {}", subscript, shape[mode],
                     shape_text(shape));
  return subscript - 1;
}

/// What is read of one mode.
struct ReadMode {
  std::optional<int64_t> extent;  // of a slice; none where one position is read
  /// The index, from that along the slice.
  std::function<program::Expression(const program::Expression& along)> index;
};

/// Both ends are included, and may be left out.
ReadMode slice_of(const Element::Subscript& subscript, const Shape& shape, size_t mode) {
  const auto end = [&](const ExpressionPtr& expression, int64_t otherwise) {
    if (!expression) {
      return otherwise;
    }
    const std::optional<int64_t> number = constant_subscript(expression);
    TESSERA_USER_CHECK(number.has_value(),
                       "the ends of a slice are numbers, as shapes are known before rows are");
    return *number;
  };
  const int64_t low = end(subscript.low, 1);
  const int64_t high = end(subscript.high, shape[mode]);
  TESSERA_USER_CHECK(low >= 1 && low <= high && high <= shape[mode],
                     "there is no slice {}:{} along an extent of {} in a {}", low, high,
                     shape[mode], shape_text(shape));
  const int64_t extent = high - low + 1;
  return {extent, [low](const program::Expression& along) {
            return low == 1 ? along : along + program::number(low - 1);
          }};
}

/// Where an error of a subscript is.
SourceSpan place_of(const Element::Subscript& subscript) {
  const SourceSpan low = subscript.low ? subscript.low->span : SourceSpan{};
  const SourceSpan high = subscript.high ? subscript.high->span : low;
  return {subscript.low ? low.begin : high.begin, high.end};
}

}  // namespace

/// A term as a tensor of its own, of which any index may be read.
Term Level::stored_term(const Term& term, const Reading& reading) const {
  const Labels modes = reading.labels->of(term.type.shape);
  Term stored = plain_term(term.type, [this, term, modes](const Expressions& indices) {
    const TensorRows rows = space_->program().add(
        space_->grid(), term.type, {left_of(joined(row_labels_, modes)), term.at(modes)});
    return program::read(rows.name, joined(indices_of(row_labels_), indices));
  });
  stored.takes_indices = true;
  return stored;
}

/// The same term, where no version is in it and a program is unrolled as a statement that stays for
/// all versions: of what is computed of whole arrays, and where there is one row. A sum of products
/// over many rows may be part of a larger one, which is never a tensor by itself.
Term Level::computed_once(const Term& term, const Expression& expression, const Reading& reading) {
  struct Stored {
    int64_t space = 0;  // that it was looked at on
    std::optional<TensorRows> rows;
  };
  const auto* const call = std::get_if<Call>(&expression.of);
  const expr::Function* const function = vocabulary_.functions.find(call->function.text);
  const bool is_of_arrays = function != nullptr && function->core;
  const Labels modes = reading.labels->of(term.type.shape);
  Term once = term;
  once.takes_indices = false;
  once.says = [this, term, modes, is_of_arrays,
               stored = std::make_shared<Stored>()](const Expressions& indices) -> Product {
    // The largest sum is one statement; what is of whole arrays is one within it too, as other
    // versions may read that alone.
    const bool may_be = space_->program().is_unrolled() &&
                        (is_of_arrays || (space_->num_rows() == 1 && !is_within_once_));
    if (!may_be) {
      return term.says(indices);
    }
    if (stored->space != space_id_) {
      const bool was_within = std::exchange(is_within_once_, true);
      const program::Expression value = term.at(modes);
      is_within_once_ = was_within;
      *stored = {space_id_,
                 space_->program().add_once(space_->grid(), term.type,
                                            {left_of(joined(row_labels_, modes)), value})};
    }
    if (!stored->rows) {
      return term.says(indices);
    }
    return {{}, {program::read(stored->rows->name, joined(indices_of(row_labels_), indices))}};
  };
  return once;
}

/// An index that rows say, or tensors: it is read as data.
std::function<program::Expression(const program::Expression&)> Level::data_index(
    const ExpressionPtr& subscript, const Shape& shape, size_t mode, Reading& reading) {
  if (has_tensors(subscript)) {
    const Term number = term_of(subscript, reading);
    TESSERA_USER_CHECK(number.type.shape.empty() && is_integer(number.type.dtype),
                       "an element is named by a whole number, not by {} of {}",
                       shape_text(number.type.shape), name_of(number.type.dtype));
    return [read = stored_term(number, reading)](const program::Expression&) {
      return read.at(Labels{}) - program::number(int64_t{1});
    };
  }
  TESSERA_USER_CHECK(!std::holds_alternative<StringLiteral>(subscript->of) &&
                         !std::holds_alternative<BooleanLiteral>(subscript->of),
                     "an element is named by a whole number, not by {}", sqlite_text(*subscript));
  const std::string column = std::holds_alternative<NullLiteral>(subscript->of)
                                 ? columns_.add(subscript)
                                 : std::get<ColumnReference>(over_table(subscript)->of).column.text;
  reading.reads.push_back(column);
  reading.is_of_tables = false;
  return [this, column, shape, mode, place = subscript->span](const program::Expression&) {
    return at(place, [&] {
      return space_->read_positions(column, shape[mode], shape_text(shape), row_labels_);
    });
  };
}

Term Level::element_term(const Element& node, Reading& reading) {
  const Term tensor = term_of(node.operand, reading);
  const Shape& shape = tensor.type.shape;
  TESSERA_USER_CHECK(!shape.empty(), "a number has no elements");
  TESSERA_USER_CHECK(node.subscripts.size() <= shape.size(), "a {} has no {} subscripts",
                     shape_text(shape), node.subscripts.size());
  std::vector<ReadMode> modes;
  Shape left;
  for (size_t mode = 0; mode < shape.size(); ++mode) {
    ReadMode& read = modes.emplace_back(
        ReadMode{shape[mode], [](const program::Expression& along) { return along; }});
    if (mode < node.subscripts.size()) {
      const Element::Subscript& subscript = node.subscripts[mode];
      at(place_of(subscript), [&] {
        if (subscript.is_slice) {
          read = slice_of(subscript, shape, mode);
        } else if (const std::optional<int64_t> number = constant_subscript(subscript.low)) {
          const program::Expression index = program::number(position_of(*number, shape, mode));
          read = {std::nullopt, [index](const program::Expression&) { return index; }};
        } else {
          read = {std::nullopt, data_index(subscript.low, shape, mode, reading)};
        }
      });
    }
    if (read.extent) {
      left.push_back(*read.extent);
    }
  }
  const Term whole = tensor.takes_indices ? tensor : stored_term(tensor, reading);
  Term term = plain_term({tensor.type.dtype, left}, [whole, modes](const Expressions& along) {
    Expressions indices;
    size_t next = 0;
    for (const ReadMode& mode : modes) {
      indices.push_back(mode.index(mode.extent ? along[next++] : program::number(int64_t{0})));
    }
    return whole.at(indices);
  });
  term.takes_indices = true;
  return term;
}

}  // namespace tessera::sql
