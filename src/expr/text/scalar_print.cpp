#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "expr/text/operators.h"
#include "expr/text/parts.h"

namespace tessera::expr {

namespace {

/// The most nodes of an expression, with shared ones counted as often as they would be written;
/// beyond, shared parts are named.
constexpr double kLongExpression = 48;

/// The greatest depth of calls; deeper ones are named, so that neither writer nor reader nests
/// deeper.
constexpr int kDeepExpression = 48;

bool is_constant(const Node& node) {
  return std::holds_alternative<Constant>(node.op);
}

/// Marks the nodes that are named parts, in the order of the nodes.
std::vector<bool> named_parts(const Scalar& scalar) {
  const size_t count = scalar.nodes.size();
  std::vector<double> size(count, 1);
  std::vector<int> uses(count, 0);
  for (size_t number = 0; number < count; ++number) {
    for_each_argument(scalar.nodes[number], [&](int32_t argument) {
      size[number] += size[static_cast<size_t>(argument)];
      ++uses[static_cast<size_t>(argument)];
    });
  }
  const bool is_long = size.back() > kLongExpression;
  std::vector<bool> named(count, false);
  std::vector<int> depth(count, 0);
  for (size_t number = 0; number + 1 < count; ++number) {
    bool is_leaf = true;
    for_each_argument(scalar.nodes[number], [&](int32_t argument) {
      depth[number] = std::max(depth[number], 1 + depth[static_cast<size_t>(argument)]);
      is_leaf = false;
    });
    if (!is_leaf && ((is_long && uses[number] > 1) || depth[number] >= kDeepExpression)) {
      named[number] = true;
      depth[number] = 0;
    }
  }
  return named;
}

class Writer {
 public:
  Writer(const Scalar& scalar, const Names& names)
      : scalar_(scalar), names_(names), named_(named_parts(scalar)), part_(named_.size(), -1) {}

  std::string run(Binding binding) {
    std::string parts;
    int count = 0;
    for (size_t number = 0; number < named_.size(); ++number) {
      if (named_[number]) {
        parts += fmt::format("${} = {}; ", count,
                             operation(static_cast<int32_t>(number), Binding::comparison));
        part_[number] = count++;
      }
    }
    const auto root = static_cast<int32_t>(scalar_.nodes.size()) - 1;
    return count == 0 ? text(root, binding) : "{" + parts + text(root, Binding::comparison) + "}";
  }

 private:
  const Node& node(int32_t number) const { return scalar_.nodes[static_cast<size_t>(number)]; }

  std::string text(int32_t number, Binding binding) const {
    const int part = part_[static_cast<size_t>(number)];
    return part >= 0 ? fmt::format("${}", part) : operation(number, binding);
  }

  std::string operation(int32_t number, Binding binding) const {
    struct Visitor {
      const Writer& writer;
      const Node& node;
      Binding binding;
      std::string operator()(const Constant& constant) const {
        return writer.literal(constant, ":" + std::string(name_of(node.dtype)), binding);
      }
      std::string operator()(const Access& access) const { return writer.access(access); }
      std::string operator()(const IndexOf& index) const {
        return fmt::format("index({})", label_name(writer.names_.labels, index.label));
      }
      std::string operator()(const Parameter& parameter) const {
        const size_t position = static_cast<size_t>(parameter.position);
        return position < writer.names_.parameters.size() ? writer.names_.parameters[position]
                                                          : fmt::format("p{}", parameter.position);
      }
      std::string operator()(const Cast& cast) const {
        return fmt::format("{}({})", name_of(node.dtype),
                           writer.text(cast.argument, Binding::comparison));
      }
      std::string operator()(const Call& call) const { return writer.call(call, binding); }
    };
    return std::visit(Visitor{*this, node(number), binding}, node(number).op);
  }

  /// Writes a literal. A negative base of a power would read as the negative of the power.
  std::string literal(const Constant& constant, const std::string& dtype, Binding binding) const {
    const std::string value = to_string(constant.value) + dtype;
    return value[0] == '-' && binding > Binding::sign ? "(" + value + ")" : value;
  }

  std::string access(const Access& access) const {
    std::vector<std::string> indices;
    for (const Index& index : access.index) {
      indices.push_back(index_text(
          index, names_.labels, [&](int32_t number) { return text(number, Binding::comparison); }));
    }
    const size_t operand = static_cast<size_t>(access.operand);
    const std::string name = operand < names_.operands.size()
                                 ? written_name(names_.operands[operand])
                                 : fmt::format("x{}", access.operand);
    return fmt::format("{}[{}]", name, fmt::join(indices, ","));
  }

  std::string call(const Call& call, Binding binding) const {
    const Operator* op = find_operator(call.function, call.arguments.size());
    if (op != nullptr && !(call.arguments.size() == 1 && is_constant(node(call.arguments[0])))) {
      return infix(*op, call, binding);
    }
    std::vector<std::string> arguments;
    for (const int32_t number : call.arguments) {
      arguments.push_back(argument(call, number, Binding::comparison));
    }
    return fmt::format("{}({})", written_name(call.function), fmt::join(arguments, ", "));
  }

  std::string infix(const Operator& op, const Call& call, Binding binding) const {
    const std::string text =
        call.arguments.size() == 1
            ? fmt::format("{}{}", op.symbol, signed_argument(call, op.right))
            : fmt::format("{} {} {}", argument(call, call.arguments[0], op.left), op.symbol,
                          argument(call, call.arguments[1], op.right));
    return op.binding < binding ? "(" + text + ")" : text;
  }

  /// Writes the argument of a sign; text that starts with a number would read as a negative number.
  std::string signed_argument(const Call& call, Binding binding) const {
    const std::string text = argument(call, call.arguments[0], binding);
    const bool starts_with_number =
        (text[0] >= '0' && text[0] <= '9') || text.compare(0, 4, "inf ") == 0 ||
        text.compare(0, 4, "inf:") == 0 || text.compare(0, 4, "nan ") == 0 ||
        text.compare(0, 4, "nan:") == 0;
    return starts_with_number ? "(" + text + ")" : text;
  }

  /// Writes an argument; a constant omits its dtype if the reader takes it from the other
  /// arguments.
  std::string argument(const Call& call, int32_t number, Binding binding) const {
    const auto* constant = std::get_if<Constant>(&node(number).op);
    const auto sibling = std::find_if(call.arguments.rbegin(), call.arguments.rend(),
                                      [&](int32_t other) { return !is_constant(node(other)); });
    if (constant != nullptr && sibling != call.arguments.rend() &&
        node(*sibling).dtype == node(number).dtype) {
      return literal(*constant, "", binding);
    }
    return text(number, binding);
  }

  const Scalar& scalar_;
  const Names& names_;
  std::vector<bool> named_;
  std::vector<int> part_;  // the number of a written named part, else -1
};

}  // namespace

std::string label_name(const std::vector<std::string>& names, LabelNumber label) {
  const size_t number = static_cast<size_t>(label);
  return number < names.size() ? written_name(names[number]) : fmt::format("?{}", label);
}

std::string scalar_text(const Scalar& scalar, const Names& names, Binding binding) {
  return Writer(scalar, names).run(binding);
}

std::string to_text(const Scalar& scalar, const Names& names) {
  return scalar_text(scalar, names, Binding::comparison);
}

}  // namespace tessera::expr
