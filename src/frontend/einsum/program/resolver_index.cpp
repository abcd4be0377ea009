#include <algorithm>

#include "base/error.h"
#include "base/overload.h"
#include "expr/function_ids.h"
#include "frontend/einsum/expression/builder.h"
#include "frontend/einsum/program/resolver.h"
#include "frontend/einsum/program/typing.h"

namespace tessera::frontend {

namespace {

using Form = std::optional<LinearForm>;

/// Adds a multiple of terms to others; false if a number exceeds 64 bits.
bool add_terms(std::vector<IndexTerm>& to, const std::vector<IndexTerm>& from, int64_t times) {
  for (const IndexTerm& term : from) {
    const auto same = std::find_if(to.begin(), to.end(),
                                   [&](const IndexTerm& own) { return own.label == term.label; });
    IndexTerm& sum = same != to.end() ? *same : to.emplace_back(IndexTerm{term.label, 0});
    int64_t product = 0;
    if (__builtin_mul_overflow(term.coefficient, times, &product) ||
        __builtin_add_overflow(sum.coefficient, product, &sum.coefficient)) {
      return false;
    }
  }
  std::erase_if(to, [](const IndexTerm& term) { return term.coefficient == 0; });
  return true;
}

/// Returns a + times * b; nothing if a number exceeds 64 bits.
Form plus(LinearForm a, const LinearForm& b, int64_t times) {
  int64_t product = 0;
  const bool fits = add_terms(a.labels, b.labels, times) && add_terms(a.sizes, b.sizes, times) &&
                    !__builtin_mul_overflow(b.offset, times, &product) &&
                    !__builtin_add_overflow(a.offset, product, &a.offset);
  return fits ? Form(std::move(a)) : std::nullopt;
}

bool is_number(const LinearForm& form) {
  return form.labels.empty() && form.sizes.empty();
}

Form number_form(const Literal& literal) {
  const auto* number = std::get_if<int64_t>(&literal);
  return number == nullptr ? std::nullopt : Form(LinearForm{{}, {}, *number});
}

/// Returns the name if an expression is just a name, else null.
const NameSyntax* name_at(ExpressionId id, const ProgramSyntax& syntax) {
  const auto* access = std::get_if<AccessSyntax>(&syntax.at(id).of);
  return access == nullptr || access->has_brackets ? nullptr : &access->name;
}

}  // namespace

bool Resolver::is_name(ExpressionId id, const Environment& environment) {
  const NameSyntax* name = name_at(id, environment.syntax());
  const MacroArgument* argument = name == nullptr ? nullptr : environment.find_argument(name->text);
  return argument == nullptr ? name != nullptr
                             : is_name(argument->expression, *argument->environment);
}

std::optional<LinearForm> Resolver::linear_form(const AccessSyntax& access,
                                                Environment& environment) {
  const std::string& name = access.name.text;
  if (access.has_brackets) {
    return std::nullopt;
  }
  if (const MacroArgument* argument = environment.find_argument(name)) {
    return linear_form(argument->expression, *argument->environment);
  }
  const std::vector<NameSyntax> parts = environment.labels_of(access.name);
  if (parts.size() != 1) {
    return std::nullopt;  // several labels have no position
  }
  if (!environment.find_label(parts[0].text)) {
    if (const auto parameter = scope_.parameters.find(name); parameter != scope_.parameters.end()) {
      return number_form(parameter->second);
    }
    if (scope_.tensors.contains(name)) {
      return std::nullopt;
    }
  }
  return LinearForm{{{use_label(parts[0], environment), 1}}, {}, 0};
}

std::optional<LinearForm> Resolver::linear_form(const CallSyntax& call, Environment& environment) {
  const std::string& function = call.function.text;
  if (!call.is_operator && function == "size" && call.arguments.size() == 1) {
    const NameSyntax* name = name_at(call.arguments[0], environment.syntax());
    const std::optional<NameSyntax> label =
        name == nullptr ? std::nullopt : bound_label(*name, environment);
    return label ? Form(LinearForm{{}, {{use_label(*label, environment), 1}}, 0}) : std::nullopt;
  }
  const bool is_linear = function == expr::id::kNegative || function == expr::id::kAdd ||
                         function == expr::id::kSubtract || function == expr::id::kMultiply;
  if (!call.is_operator || !is_linear) {
    return std::nullopt;
  }
  const Form left = linear_form(call.arguments[0], environment);
  if (!left || function == expr::id::kNegative) {
    return left ? plus({}, *left, -1) : std::nullopt;
  }
  const Form right = linear_form(call.arguments[1], environment);
  if (!right) {
    return std::nullopt;
  }
  if (function != expr::id::kMultiply) {
    return plus(*left, *right, function == expr::id::kAdd ? 1 : -1);
  }
  if (is_number(*left)) {
    return plus({}, *right, left->offset);
  }
  return is_number(*right) ? plus({}, *left, right->offset) : std::nullopt;
}

std::optional<LinearForm> Resolver::linear_form(ExpressionId id, Environment& environment) {
  return std::visit(
      Overload{[](const NumberSyntax& number) { return number_form(number.value); },
               [&](const AccessSyntax& access) { return linear_form(access, environment); },
               [&](const CallSyntax& call) { return linear_form(call, environment); },
               [](const Among<ApplicationSyntax, UnsupportedSyntax, VersionSyntax> auto&) {
                 return Form();
               }},
      environment.syntax().at(id).of);
}

/// Returns the value of an expression of numbers and parameters; nothing for any other.
std::optional<Literal> Resolver::constant_of(ExpressionId id, Environment& environment) {
  if (!is_constant(id, environment)) {
    return std::nullopt;
  }
  const Resolved node = resolve_node(id, environment);
  if (!node) {
    return std::nullopt;
  }
  SourceSpan at;
  GuardValues guards;
  ExpressionBuilder builder(vocabulary_);
  try {
    const Value value = Typing(result_.nodes, builder, guards, &no_leaf, at).value_of(*node);
    return value.is_number() ? std::optional(value.number()) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// True if an expression is made of numbers, parameters and calls of functions alone.
bool Resolver::is_constant(ExpressionId id, const Environment& environment) const {
  return std::visit(
      Overload{[](const NumberSyntax&) { return true; },
               [&](const AccessSyntax& access) {
                 if (const MacroArgument* argument = environment.find_argument(access.name.text)) {
                   return is_constant(argument->expression, *argument->environment);
                 }
                 return !access.has_brackets && !environment.find_label(access.name.text) &&
                        (scope_.parameters.contains(access.name.text) ||
                         find_constant(access.name.text));
               },
               [&](const CallSyntax& call) {
                 const auto is_one = [&](ExpressionId argument) {
                   return is_constant(argument, environment);
                 };
                 return !call.arguments.empty() &&
                        vocabulary_.functions.find_scalar(call.function.text) != nullptr &&
                        std::all_of(call.arguments.begin(), call.arguments.end(), is_one);
               },
               [](const Among<ApplicationSyntax, UnsupportedSyntax, VersionSyntax> auto&) {
                 return false;
               }},
      environment.syntax().at(id).of);
}

std::optional<expr::Boundary> Resolver::resolve_pad(ExpressionId id, DType dtype,
                                                    Environment& environment) {
  const ProgramSyntax& syntax = environment.syntax();
  if (const NameSyntax* name = name_at(id, syntax)) {
    if (name->text == "edge") {
      return expr::Edge{};
    }
    if (name->text == "reflect") {
      return expr::Reflect{};
    }
  }
  const std::optional<Literal> number = constant_of(id, environment);
  const SourceSpan span = environment.shown(syntax.at(id).span);
  if (!number) {
    return report(
        span, "pad takes a number, edge or reflect",
        "pad(0) is 0 outside, pad(edge) the nearest element, pad(reflect) the mirrored one");
  }
  const bool is_fraction = std::holds_alternative<double>(*number);
  const bool is_imaginary = std::holds_alternative<std::complex<double>>(*number);
  if ((is_integer(dtype) && is_fraction) || (!is_complex(dtype) && is_imaginary)) {
    return report(span, fmt::format("{} is no value of {}", to_string(*number), name_of(dtype)));
  }
  try {
    ExpressionBuilder builder(vocabulary_);
    builder.cast(builder.number(*number), dtype);
  } catch (const Error& error) {
    return report(span, error.message());
  }
  return expr::Pad{*number};
}

std::optional<int64_t> Resolver::resolve_bound(std::optional<ExpressionId> bound, int64_t otherwise,
                                               int64_t extent, Environment& environment) {
  if (!bound) {
    return otherwise;
  }
  const std::optional<LinearForm> form = linear_form(*bound, environment);
  const SourceSpan span = environment.shown(environment.syntax().at(*bound).span);
  if (!form || !is_number(*form)) {
    report(span, "a slice begins and ends at whole numbers and parameters");
    return std::nullopt;
  }
  const int64_t position = form->offset + (form->offset < 0 ? extent : 0);
  if (position < 0 || position > extent) {
    report(span, fmt::format("this mode has {} positions, so a slice begins and ends from {} to {}",
                             extent, -extent, extent));
    return std::nullopt;
  }
  return position;
}

std::optional<ModeIndex> Resolver::resolve_slice(const IndexSyntax& index, const Tensor& tensor,
                                                 size_t mode, Environment& environment) {
  const SourceSpan span = environment.shown(index.span);
  if (!index.label) {
    return report(span, "a slice says which label runs over it", "for example X[e = 0:4]");
  }
  const LabelIndex label = use_label(*index.label, environment);
  if (mode >= tensor.type.shape.size()) {
    return std::nullopt;  // reported when modes are counted
  }
  const int64_t extent = tensor.type.shape[mode];
  const std::optional<int64_t> begin = resolve_bound(index.value, 0, extent, environment);
  const std::optional<int64_t> end = resolve_bound(index.end, extent, extent, environment);
  if (!begin || !end) {
    return std::nullopt;
  }
  give_extent(label, std::max<int64_t>(*end - *begin, 0), span, "its slice");
  result_.labels[static_cast<size_t>(label)].is_fixed = true;
  return ComputedIndex{LinearForm{{{label, 1}}, {}, *begin}, expr::Inside{}, span};
}

void Resolver::add_left_place(const IndexSyntax& index, const NameSyntax& label,
                              Environment& environment) {
  add_left_label(label, environment);
  const std::optional<LinearForm> form = linear_form(*index.value, environment);
  if (has_failed_) {
    return;
  }
  if (!form || form->labels.size() != 1) {
    report(index.span, fmt::format("this place does not grow with the label {}", label.text),
           "a place on the left is a multiple of a label and a number: Y[2*i + 1]");
    return;
  }
  result_.labels.back().is_used = false;  // by the right side
  result_.left.back().place = *form;
  result_.left.back().is_computed = true;
}

std::optional<ModeIndex> Resolver::resolve_index(const IndexSyntax& index, const Tensor& tensor,
                                                 size_t mode, Environment& environment) {
  const SourceSpan span = environment.shown(index.span);
  if (index.order) {
    return refuse_order(index, environment);
  }
  if (index.is_slice) {
    return resolve_slice(index, tensor, mode, environment);
  }
  if (index.label || index.num_groups) {
    return report(span, "a group stands on the left side only",
                  "a slice says which label runs over it: X[e = 0:4]");
  }
  std::optional<expr::Boundary> outside = expr::Inside{};
  if (index.pad) {
    outside = resolve_pad(*index.pad, tensor.type.dtype, environment);
  }
  std::optional<LinearForm> form = linear_form(*index.value, environment);
  if (!outside) {
    return std::nullopt;
  }
  if (!form) {
    ++index_depth_;
    const Resolved node = resolve_node(*index.value, environment);
    --index_depth_;
    return node ? std::optional<ModeIndex>(GatherIndex{*node, *outside}) : std::nullopt;
  }
  // A sum of a label and a number is one whatever the number.
  if (!index.pad && form->labels.size() == 1 && is_name(*index.value, environment)) {
    return form->labels[0].label;
  }
  if (is_number(*form) && form->offset < 0 && !index.pad && mode < tensor.type.shape.size()) {
    form->offset += tensor.type.shape[mode];  // from the end
  }
  return ComputedIndex{std::move(*form), *outside, span};
}

}  // namespace tessera::frontend
