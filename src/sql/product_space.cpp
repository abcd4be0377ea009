#include "sql/product_space.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "base/error.h"

namespace tessera::sql {

ProductSpace::ProductSpace(std::vector<Factor> factors) : factors_(std::move(factors)) {
  find_grid();
}

void ProductSpace::find_grid() {
  grid_.clear();
  for (const Factor& factor : factors_) {
    grid_.push_back(factor.rows.num_rows());
  }
}

size_t ProductSpace::factor_of(const std::string& column) const {
  const auto found = std::find_if(factors_.begin(), factors_.end(), [&](const Factor& factor) {
    return factor.columns.count(column) != 0;
  });
  TESSERA_CHECK(found != factors_.end(), "no factor has the column {}", column);
  return static_cast<size_t>(found - factors_.begin());
}

bool ProductSpace::leave_out_nulls(const std::vector<std::string>& columns) {
  bool leaves_out = false;
  for (Factor& factor : factors_) {
    std::vector<std::string> own;
    std::copy_if(columns.begin(), columns.end(), std::back_inserter(own),
                 [&](const std::string& column) { return factor.columns.count(column) != 0; });
    leaves_out = factor.rows.leave_out_nulls(own) || leaves_out;
  }
  find_grid();
  return leaves_out;
}

program::Expression ProductSpace::read(const TensorRows& tensor, const std::string& column,
                                       const Labels& row_labels, const Expressions& indices) {
  const size_t factor = factor_of(column);
  return factors_[factor].rows.read(tensor, column, {row_labels[factor]}, indices);
}

program::Expression ProductSpace::read_numbers(const std::string& column,
                                               const Labels& row_labels) {
  const size_t factor = factor_of(column);
  return factors_[factor].rows.read_numbers(column, {row_labels[factor]});
}

program::Expression ProductSpace::read_positions(const std::string& column, int64_t extent,
                                                 const std::string& tensor,
                                                 const Labels& row_labels) {
  const size_t factor = factor_of(column);
  return factors_[factor].rows.read_positions(column, extent, tensor, {row_labels[factor]});
}

program::Expression ProductSpace::gathered(const std::string& column, const Labels& row_labels) {
  const size_t factor = factor_of(column);
  return factors_[factor].rows.gathered(column, {row_labels[factor]});
}

std::optional<RowReader::RowsLeft> ProductSpace::rows_left(
    const std::vector<std::string>& columns) {
  const auto some = std::make_shared<ProductSpace>(*this);
  if (!some->leave_out_nulls(columns)) {
    return std::nullopt;
  }
  return RowsLeft{some, [this, some](const Labels& row_labels) {
                    Expressions places;
                    for (size_t factor = 0; factor < factors_.size(); ++factor) {
                      places.push_back(factors_[factor].rows.places_among(
                          some->factors_[factor].rows, {row_labels[factor]}));
                    }
                    return places;
                  }};
}

}  // namespace tessera::sql
