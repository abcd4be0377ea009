#include "program/growing/term.h"

#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::program {

namespace {

constexpr std::string_view kLetters = "ijklmnpqrstuvwxyzabcdefgh";

std::string label_of(int64_t extent, int64_t number) {
  const auto num_letters = static_cast<int64_t>(kLetters.size());
  // Behind the last letter they stand twice, then three times, …
  return fmt::format("{}_{}",
                     std::string(static_cast<size_t>(number / num_letters) + 1,
                                 kLetters[static_cast<size_t>(number % num_letters)]),
                     extent);
}

}  // namespace

std::string text_of(const Term& term, const Labels& labels) {
  const Product product = term.says(labels);
  return product.bound.empty()
             ? product.text
             : fmt::format("(sum[{}] {})", fmt::join(product.bound, ","), product.text);
}

Term plain_term(ArrayType type, std::function<std::string(const Labels&)> text) {
  // Shared, as terms are copied into all that they are part of.
  auto shared = std::make_shared<const std::function<std::string(const Labels&)>>(std::move(text));
  return {std::move(type), false,
          [shared = std::move(shared)](const Labels& labels) -> Product {
            return {{}, (*shared)(labels)};
          },
          false};
}

Term number_term(const std::string& text, bool is_integer) {
  return {{is_integer ? DType::i64 : DType::f64, {}},
          true,
          [text](const Labels&) -> Product {
            return {{}, text};
          },
          true};
}

std::string FreshLabels::of(int64_t extent) {
  return label_of(extent, num_given_[extent]++);
}

Labels FreshLabels::of(const Shape& shape) {
  Labels labels;
  for (const int64_t extent : shape) {
    labels.push_back(of(extent));
  }
  return labels;
}

Labels FreshLabels::given() const {
  Labels labels;
  for (const auto& [extent, count] : num_given_) {
    for (int64_t number = 0; number < count; ++number) {
      labels.push_back(label_of(extent, number));
    }
  }
  return labels;
}

int64_t extent_of_label(const std::string& label) {
  return std::stoll(label.substr(label.find('_') + 1));
}

}  // namespace tessera::program
