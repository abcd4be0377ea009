#include <cctype>
#include <string>

#include <fmt/format.h>

#include "base/error.h"
#include "sql/tensor_function.h"

namespace tessera::sql::tensor_function_softmax {

namespace {

/// True if a label stands in a text as a word of its own.
bool names_label(const std::string& text, const std::string& label) {
  const auto is_of_word = [&](size_t place) {
    return place < text.size() &&
           (text[place] == '_' || std::isalnum(static_cast<unsigned char>(text[place])) != 0);
  };
  for (size_t at = text.find(label); at != std::string::npos; at = text.find(label, at + 1)) {
    if ((at == 0 || !is_of_word(at - 1)) && !is_of_word(at + label.size())) {
      return true;
    }
  }
  return false;
}

/// The text of a number that may be the same at all positions of a label, in words that name the
/// label, as softmax of it has a value at each of them.
std::string with_label(const std::string& text, const std::string& label) {
  return names_label(text, label) ? text
                                  : fmt::format("where(index({}) >= 0, {}, {})", label, text, text);
}

/// Over the last mode: of a matrix every row is a distribution.
Term apply(TensorCall& call) {
  const Term tensor = in_floats(call.arguments[0]);
  TESSERA_USER_CHECK(!tensor.type.shape.empty(), "{} takes a vector or a matrix, not a scalar",
                     call.name);
  const std::string spare = call.labels.of(tensor.type.shape.back());
  return plain_term(tensor.type, [=](const Labels& labels) {
    return at_distinct(labels, {labels.size() - 1}, {spare}, [&](const Labels& own) {
      return fmt::format("softmax[{}]({})", own.back(),
                         with_label(text_of(tensor, own), own.back()));
    });
  });
}

}  // namespace

void register_tensor_function(TensorFunctionRegistry& registry) {
  registry.add({"softmax", "x", "exp(x) over its sum along the last mode", 1, apply});
}

}  // namespace tessera::sql::tensor_function_softmax
