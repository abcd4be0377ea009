#include "program/growing/statement_text.h"

#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "base/overload.h"
#include "expr/function_ids.h"
#include "expr/text/operators.h"
#include "frontend/einsum/program/language_calls.h"

namespace tessera::program {

namespace {

using expr::Binding;

std::string list_of(const Labels& labels) {
  std::vector<std::string> names;
  for (const Label& label : labels) {
    names.push_back(name_of(label));
  }
  return fmt::format("{}", fmt::join(names, ","));
}

/// The text of expressions, in indices or not.
class Printer {
 public:
  /// A text that binds at least as tightly as `needed`.
  std::string text_of(const Expression& expression, Binding needed) {
    return std::visit(
        Overload{[](const NumberNode& number) { return to_string(number.value); },
                 [&](const PositionNode& position) {
                   const std::string label = name_of(position.label);
                   return is_in_index_ ? label : fmt::format("{}({})", frontend::kIndex, label);
                 },
                 [&](const ReadNode& read) { return text_of(read); },
                 [&](const CallNode& call) { return text_of(call, needed); },
                 [&](const ApplicationNode& application) { return text_of(application, needed); }},
        expression.node().of);
  }

 private:
  std::string list_of_values(const Expressions& values) {
    std::vector<std::string> texts;
    for (const Expression& value : values) {
      texts.push_back(text_of(value, Binding::comparison));
    }
    return fmt::format("{}", fmt::join(texts, is_in_index_ ? "," : ", "));
  }

  std::string text_of(const ReadNode& read) {
    if (read.indices.empty()) {
      return read.tensor;
    }
    const bool was_in_index = std::exchange(is_in_index_, true);
    const std::string indices = list_of_values(read.indices);
    is_in_index_ = was_in_index;
    return fmt::format("{}[{}]", read.tensor, indices);
  }

  std::string text_of(const CallNode& call, Binding needed) {
    const expr::Operator* const sign = expr::find_operator(call.function, call.arguments.size());
    if (sign == nullptr) {
      return fmt::format("{}({})", call.function, list_of_values(call.arguments));
    }
    const std::string last = text_of(call.arguments.back(), sign->right);
    const std::string text =
        sign->arity == 1 ? fmt::format("{}{}", sign->symbol, last)
                         : fmt::format("{} {} {}", text_of(call.arguments.front(), sign->left),
                                       sign->symbol, last);
    return sign->binding < needed ? "(" + text + ")" : text;
  }

  std::string text_of(const ApplicationNode& application, Binding needed) {
    const bool was_in_index = std::exchange(is_in_index_, false);
    std::string text = application.name + "[" + list_of(application.labels);
    if (application.order) {
      text += application.order->is_reverse ? " reverse by " : " by ";
      text += text_of(application.order->segments, Binding::comparison);
    }
    const bool takes_product = application.name == expr::id::kSum && needed <= Binding::sum;
    text += takes_product ? "] " + text_of(application.arguments.front(), Binding::product)
                          : "](" + list_of_values(application.arguments) + ")";
    is_in_index_ = was_in_index;
    return text;
  }

  bool is_in_index_ = false;
};

}  // namespace

std::string left_text(const std::string& name, const LeftIndices& left) {
  std::vector<std::string> indices;
  for (const LeftIndex& index : left) {
    indices.push_back(std::visit(
        Overload{[](const Label& label) { return name_of(label); },
                 [](const GroupIndex& group) {
                   return fmt::format("{} of {}", Printer().text_of(group.number, Binding::sum),
                                      group.num_groups);
                 }},
        index));
  }
  return indices.empty() ? name : fmt::format("{}[{}]", name, fmt::join(indices, ","));
}

std::string text_of(const std::string& name, const Assignment& assignment) {
  return left_text(name, assignment.left) + " = " +
         Printer().text_of(assignment.value, Binding::comparison);
}

}  // namespace tessera::program
