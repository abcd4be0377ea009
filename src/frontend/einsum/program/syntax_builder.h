#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "frontend/einsum/program/syntax.h"

namespace tessera::frontend {

/// A maker of a program's nodes as the grammar recognises them.
///
/// Findings: an expression nested deeper than kMaxDepth, an expression in place of a label.
class SyntaxBuilder {
 public:
  explicit SyntaxBuilder(Diagnostics& findings) : findings_(findings) {}

  /// Returns the mode that a number in a header stands for; reports every number but 1.
  HeaderLabelSyntax mode_of_one(const Literal& number, SourceSpan span);
  ExpressionId number(Literal value, SourceSpan span);
  ExpressionId access(NameSyntax name, std::vector<IndexSyntax> indices, bool has_brackets,
                      SourceSpan span);
  ExpressionId call(NameSyntax function, std::vector<ExpressionId> arguments, SourceSpan span);
  ExpressionId apply(ApplicationSyntax application, SourceSpan span);
  ExpressionId version(VersionSyntax version, SourceSpan span);
  ExpressionId unsupported(std::string feature, SourceSpan span);

  /// Returns the label of a scan, with its order.
  IndexSyntax scanned(NameSyntax label, ScanOrderSyntax order, SourceSpan span);

  /// Adds a call of the function that an operator stands for, over one or two operands.
  ExpressionId operate(const std::string& function, SourceSpan sign,
                       std::vector<ExpressionId> operands, SourceSpan span);

  void add(Statement statement) { program_.statements.push_back(std::move(statement)); }
  void set_expression(ExpressionId expression) { program_.expression = expression; }
  SourceSpan span_of(ExpressionId id) const { return program_.at(id).span; }
  ProgramSyntax take() { return std::move(program_); }

 private:
  int depth_below(const std::vector<ExpressionId>& arguments) const;
  int depth_below(const std::vector<IndexSyntax>& indices) const;
  ExpressionId add_expression(ExpressionSyntax expression);

  Diagnostics& findings_;
  ProgramSyntax program_;
};

}  // namespace tessera::frontend
