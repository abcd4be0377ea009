#include "frontend/einsum/program/syntax_builder.h"

#include <algorithm>

#include "frontend/einsum/program/parser.h"

namespace tessera::frontend {

int SyntaxBuilder::depth_below(const std::vector<ExpressionId>& arguments) const {
  int depth = 0;
  for (const ExpressionId argument : arguments) {
    depth = std::max(depth, program_.at(argument).depth);
  }
  return depth;
}

int SyntaxBuilder::depth_below(const std::vector<IndexSyntax>& indices) const {
  int depth = 0;
  for (const IndexSyntax& index : indices) {
    const std::optional<ExpressionId> segments = index.order ? index.order->segments : std::nullopt;
    for (const std::optional<ExpressionId>& part :
         {index.value, index.end, index.pad, index.num_groups, segments}) {
      depth = part ? std::max(depth, program_.at(*part).depth) : depth;
    }
  }
  return depth;
}

ExpressionId SyntaxBuilder::add_expression(ExpressionSyntax expression) {
  if (expression.depth > kMaxDepth) {
    findings_.add({ErrorKind::user,
                   expression.span,
                   fmt::format("the expression is nested more than {} deep", kMaxDepth),
                   "name parts of it in statements of their own",
                   {}});
    expression = {UnsupportedSyntax{}, expression.span, 1};
  }
  program_.expressions.push_back(std::move(expression));
  return ExpressionId(static_cast<int64_t>(program_.expressions.size()) - 1);
}

HeaderLabelSyntax SyntaxBuilder::mode_of_one(const Literal& number, SourceSpan span) {
  if (number != Literal(int64_t{1})) {
    findings_.add({ErrorKind::user,
                   span,
                   fmt::format("a mode is named by a label, or 1 where its extent is 1, not {}",
                               to_string(number)),
                   fmt::format("write i={} to fix the extent of a label i", to_string(number)),
                   {}});
  }
  return {{"1", span}, {}, true};
}

ExpressionId SyntaxBuilder::number(Literal value, SourceSpan span) {
  return add_expression({NumberSyntax{value}, span, 1});
}

ExpressionId SyntaxBuilder::access(NameSyntax name, std::vector<IndexSyntax> indices,
                                   bool has_brackets, SourceSpan span) {
  const int depth = depth_below(indices) + 1;
  return add_expression(
      {AccessSyntax{std::move(name), std::move(indices), has_brackets}, span, depth});
}

ExpressionId SyntaxBuilder::call(NameSyntax function, std::vector<ExpressionId> arguments,
                                 SourceSpan span) {
  const int depth = depth_below(arguments) + 1;
  return add_expression({CallSyntax{std::move(function), std::move(arguments)}, span, depth});
}

ExpressionId SyntaxBuilder::apply(ApplicationSyntax application, SourceSpan span) {
  int depth = std::max(depth_below(application.arguments), depth_below(application.labels));
  if (application.condition) {
    depth = std::max(depth, program_.at(*application.condition).depth);
  }
  return add_expression({std::move(application), span, depth + 1});
}

IndexSyntax SyntaxBuilder::scanned(NameSyntax label, ScanOrderSyntax order, SourceSpan span) {
  IndexSyntax index{{}, {}, false, span};
  const SourceSpan label_span = label.span;
  index.value = access(std::move(label), {}, false, label_span);
  index.order = std::move(order);
  return index;
}

ExpressionId SyntaxBuilder::version(VersionSyntax version, SourceSpan span) {
  const int depth = std::max(program_.at(version.version).depth, depth_below(version.indices));
  return add_expression({std::move(version), span, depth + 1});
}

ExpressionId SyntaxBuilder::unsupported(std::string feature, SourceSpan span) {
  return add_expression({UnsupportedSyntax{std::move(feature)}, span, 1});
}

ExpressionId SyntaxBuilder::operate(const std::string& function, SourceSpan sign,
                                    std::vector<ExpressionId> operands, SourceSpan span) {
  const int depth = depth_below(operands) + 1;
  return add_expression({CallSyntax{{function, sign}, std::move(operands), true}, span, depth});
}

}  // namespace tessera::frontend
