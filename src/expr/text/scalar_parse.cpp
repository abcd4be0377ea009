#include <algorithm>
#include <charconv>
#include <optional>

#include "base/error.h"
#include "base/suggest.h"
#include "expr/function_ids.h"
#include "expr/text/operators.h"
#include "expr/text/parts.h"

namespace tessera::expr {

namespace {

constexpr int kDeepestNesting = 200;

/// A part of an expression: a node, or a constant that has no dtype yet.
struct Term {
  int32_t node = -1;
  std::optional<Literal> literal;
  SourceSpan span;
};

/// A parser by precedence climbing over the operators; dtypes are made bottom-up.
class Reader {
 public:
  Reader(Scanner& scanner, const Leaves& leaves, const FunctionRegistry& functions)
      : scanner_(scanner), leaves_(leaves), functions_(functions) {}

  Scalar run(Binding binding) {
    if (scanner_.accept("{")) {
      const int32_t root = read_parts();
      scanner_.expect("}");
      return builder_.finish(root);
    }
    return builder_.finish(resolved(read(binding)));
  }

 private:
  /// Reads "$0 = ...; $1 = ...; result".
  int32_t read_parts() {
    while (accept_definition()) {
      parts_.push_back(resolved(read(Binding::comparison)));
      scanner_.expect(";");
    }
    return resolved(read(Binding::comparison));
  }

  /// Accepts "$n =", with n the next number.
  bool accept_definition() {
    Scanner ahead = scanner_;
    const int64_t begin = ahead.position();
    if (!ahead.accept("$")) {
      return false;
    }
    const int64_t part = ahead.integer();
    const SourceSpan span = ahead.since(begin);
    if (ahead.looking_at("==") || !ahead.accept("=")) {
      return false;
    }
    if (part != static_cast<int64_t>(parts_.size())) {
      scanner_.fail(span, fmt::format("expected part ${}", parts_.size()));
    }
    scanner_.move_to(ahead);
    return true;
  }

  /// Returns a node; a constant by itself must state its dtype.
  int32_t resolved(const Term& term) const {
    if (term.literal) {
      scanner_.fail(term.span, "the dtype of this constant does not follow from anything beside it",
                    "write it behind a colon: " + to_string(*term.literal) + ":f32");
    }
    return term.node;
  }

  Term read(Binding binding) {
    if (++nesting_ > kDeepestNesting) {
      const int64_t here = scanner_.position();
      scanner_.fail({here, here + 1}, "this expression is nested too deeply",
                    "name its parts: {$0 = ...; $1 = ... $0 ...; ... $1 ...}");
    }
    Term left = read_signed();
    while (const Operator* op = accept_operator(binding)) {
      const Term right = read(op->right);
      left = call(std::string(op->function), {left, right}, {left.span.begin, right.span.end});
      if (op->binding == Binding::comparison) {
        break;
      }
    }
    --nesting_;
    return left;
  }

  /// Accepts the operator here, if it binds tightly enough.
  const Operator* accept_operator(Binding binding) {
    for (const Operator& op : all_operators()) {
      if (op.arity == 2 && scanner_.looking_at(op.symbol)) {
        return op.binding >= binding && scanner_.accept(op.symbol) ? &op : nullptr;
      }
    }
    return nullptr;
  }

  Term read_signed() {
    const int64_t begin = scanner_.position();
    if (!scanner_.accept("-")) {
      return read_leaf();
    }
    if (auto literal = scanner_.accept_literal(true)) {
      const Term number = typed_constant(*literal, begin);
      if (scanner_.looking_at("^")) {
        scanner_.fail(number.span, "a negative number before ^ is ambiguous",
                      "write (-2) ^ x, or -(2 ^ x)");
      }
      return number;
    }
    const Term argument = read(Binding::sign);
    return call(id::kNegative, {argument}, {begin, argument.span.end});
  }

  Term read_leaf() {
    const int64_t begin = scanner_.position();
    if (const auto word = read_word(begin)) {
      return *word;
    }
    if (auto literal = scanner_.accept_literal()) {
      return typed_constant(*literal, begin);
    }
    if (scanner_.accept("$")) {
      const int64_t part = scanner_.integer();
      if (part < 0 || part >= static_cast<int64_t>(parts_.size())) {
        scanner_.fail(scanner_.since(begin), fmt::format("there is no part ${} before this", part));
      }
      return {parts_[static_cast<size_t>(part)], {}, scanner_.since(begin)};
    }
    if (!scanner_.accept("(")) {
      scanner_.fail_expected("an expression");
    }
    Term inner = read(Binding::comparison);
    scanner_.expect(")");
    return {inner.node, inner.literal, scanner_.since(begin)};
  }

  /// Reads a word: an operand read at an index, a function, a cast, index(label) or a parameter.
  /// Nothing for a word that is a number.
  std::optional<Term> read_word(int64_t begin) {
    if (!scanner_.looking_at_name()) {
      return std::nullopt;
    }
    Scanner after = scanner_;
    const std::string word = after.name();
    const SourceSpan span = after.since(begin);
    const bool is_access = after.accept("[");
    const bool is_call = !is_access && after.accept("(");
    if (!is_access && !is_call &&
        (word == "inf" || word == "nan" || word == "true" || word == "false")) {
      return std::nullopt;
    }
    scanner_.move_to(after);
    const int32_t node = is_access ? read_access(word, span)
                         : is_call ? read_call(word, span)
                                   : parameter(word, span);
    return Term{node, {}, scanner_.since(begin)};
  }

  Term typed_constant(const Literal& literal, int64_t begin) {
    if (scanner_.accept(":")) {
      const int32_t node = builder_.constant(literal, scanner_.dtype());
      return {node, {}, scanner_.since(begin)};
    }
    return {-1, literal, scanner_.since(begin)};
  }

  int32_t parameter(const std::string& word, SourceSpan span) {
    const size_t position = find(leaves_.names.parameters, word, span, "parameter");
    return builder_.parameter(static_cast<int32_t>(position), leaves_.parameters[position]);
  }

  int32_t read_access(const std::string& word, SourceSpan span) {
    const size_t operand = find(leaves_.names.operands, word, span, "operand");
    Access access{static_cast<int32_t>(operand), {}};
    while (!scanner_.accept("]")) {
      if (!access.index.empty()) {
        scanner_.expect(",");
      }
      access.index.push_back(read_index(scanner_, leaves_.names.labels,
                                        [&] { return resolved(read(Binding::comparison)); }));
    }
    return builder_.access(std::move(access), leaves_.operands[operand]);
  }

  /// Reads the rest of a cast, index(label) or a function, after "name(".
  int32_t read_call(const std::string& word, SourceSpan span) {
    if (word == "index") {
      const LabelNumber label = read_label(scanner_, leaves_.names.labels);
      scanner_.expect(")");
      return builder_.index_of(label);
    }
    std::vector<Term> arguments;
    while (!scanner_.accept(")")) {
      if (!arguments.empty()) {
        scanner_.expect(",");
      }
      arguments.push_back(read(Binding::comparison));
    }
    const std::optional<DType> dtype = parse_dtype(word);
    if (dtype && name_of(*dtype) == word) {
      if (arguments.size() != 1) {
        scanner_.fail(span,
                      fmt::format("{}(...) converts one value, not {}", word, arguments.size()));
      }
      return builder_.add({Cast{resolved(arguments[0])}, *dtype});
    }
    return call(word, arguments, span).node;
  }

  Term call(const std::string& word, const std::vector<Term>& arguments, SourceSpan span) {
    const Function* function = functions_.find(word);
    if (function == nullptr) {
      scanner_.fail(span, fmt::format("there is no function {}", word),
                    did_you_mean(word, functions_.names()));
    }
    if (static_cast<size_t>(function->arity) != arguments.size()) {
      scanner_.fail(span, fmt::format("{} takes {} arguments, not {}", word, function->arity,
                                      arguments.size()));
    }
    std::vector<int32_t> nodes = resolved_together(arguments);
    std::vector<DType> dtypes;
    for (const int32_t node : nodes) {
      dtypes.push_back(builder_.dtype_of(node));
    }
    const FunctionTypes types = bound_types(*function, dtypes, span);
    for (size_t position = 0; position < nodes.size(); ++position) {
      if (types.arguments[position] != dtypes[position]) {
        scanner_.fail(arguments[position].span,
                      fmt::format("{} takes {} here, but this is {}", word,
                                  name_of(types.arguments[position]), name_of(dtypes[position])),
                      fmt::format("write {}(...) around it", name_of(types.arguments[position])));
      }
    }
    return {builder_.call(word, std::move(nodes), types.result), {}, span};
  }

  FunctionTypes bound_types(const Function& function, const std::vector<DType>& dtypes,
                            SourceSpan span) const {
    try {
      return function.bind(dtypes);
    } catch (const Error& error) {
      scanner_.fail(span, error.message());
    }
  }

  /// Returns the arguments as nodes: a constant without a dtype takes that of the last argument
  /// that has one and is not a constant.
  std::vector<int32_t> resolved_together(const std::vector<Term>& arguments) {
    const auto sibling = std::find_if(arguments.rbegin(), arguments.rend(), [&](const Term& term) {
      return !term.literal && !std::holds_alternative<Constant>(builder_.node(term.node).op);
    });
    std::vector<int32_t> nodes;
    for (const Term& term : arguments) {
      const bool follows = term.literal && sibling != arguments.rend();
      nodes.push_back(follows ? builder_.constant(*term.literal, builder_.dtype_of(sibling->node))
                              : resolved(term));
    }
    return nodes;
  }

  size_t find(const std::vector<std::string>& names, const std::string& name, SourceSpan span,
              const char* what) const {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      scanner_.fail(span, fmt::format("there is no {} {}", what, written_name(name)),
                    did_you_mean(name, names));
    }
    return static_cast<size_t>(found - names.begin());
  }

  Scanner& scanner_;
  const Leaves& leaves_;
  const FunctionRegistry& functions_;
  ScalarBuilder builder_;
  std::vector<int32_t> parts_;
  int nesting_ = 0;
};

}  // namespace

Scalar read_scalar(Scanner& scanner, const Leaves& leaves, const FunctionRegistry& functions,
                   Binding binding) {
  return Reader(scanner, leaves, functions).run(binding);
}

Scalar parse_scalar(const SourceText& source, const Leaves& leaves,
                    const FunctionRegistry& functions) {
  Scanner scanner(source);
  Scalar scalar = read_scalar(scanner, leaves, functions);
  scanner.expect_end();
  return scalar;
}

}  // namespace tessera::expr
