#include "frontend/einsum/reference/callables.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/error.h"
#include "base/suggest.h"
#include "frontend/einsum/program/foreign_names.h"
#include "frontend/einsum/program/language_calls.h"
#include "frontend/einsum/reference/dtype_tables.h"
#include "frontend/einsum/reference/prelude_macros.h"

namespace tessera::frontend {

namespace {

/// Returns "x, y" for a function of two arguments.
std::string usual_arguments(int arity) {
  return std::string("x, y, z").substr(0, static_cast<size_t>(3 * arity - 2));
}

/// Returns "Z[i] = hypot(X[i], Y[i])", or with an operator, "Z[i] = X[i] + Y[i]".
std::string usual_example(const expr::Function& function) {
  const bool is_unary = function.arity == 1;
  const std::string result = is_unary ? "Y[i] = " : "Z[i] = ";
  if (!function.sign.empty()) {
    return is_unary
               ? fmt::format("{}{}{}X[i]", result, function.sign, function.sign == "not" ? " " : "")
               : fmt::format("{}X[i] {} Y[i]", result, function.sign);
  }
  return fmt::format("{}{}({})", result, function.name, is_unary ? "X[i]" : "X[i], Y[i]");
}

std::string operation_of(const expr::Function& function) {
  if (function.sign.empty()) {
    return "";
  }
  return function.arity == 1
             ? fmt::format("{}{}x", function.sign, function.sign == "not" ? " " : "")
             : fmt::format("x {} y", function.sign);
}

/// Returns "[i,j]" for a function of whole matrices.
std::string labels_of(const expr::Function& function) {
  if (!function.core) {
    return "";
  }
  return function.core->count == 2 ? "[i,j]" : "[k]";
}

/// Returns the result dtype of a function of arguments of one dtype. A draw takes integers besides,
/// the bits first.
DType result_of(const expr::Function& function, DType dtype) {
  std::vector<DType> dtypes(static_cast<size_t>(function.arity), dtype);
  if (function.group == expr::FunctionGroup::draws) {
    std::fill_n(dtypes.begin(), function.core ? function.arity - 1 : 1, DType::i64);
  }
  return function.bind(dtypes).result;
}

Callable callable_of(const expr::Function& function) {
  const std::string arguments =
      function.arguments.empty() ? usual_arguments(function.arity) : function.arguments;
  Callable made{function.name, Callable::Kind::function,
                std::string(expr::title_of(function.group)),
                fmt::format("{}{}({})", function.name, labels_of(function), arguments)};
  made.operation = operation_of(function);
  made.summary = function.summary;
  made.numpy = function.numpy;
  made.example = function.example.empty() ? usual_example(function) : function.example;
  made.fault = function.fault;
  add_results(made, [&](DType dtype) { return result_of(function, dtype); });
  return made;
}

Callable callable_of(const expr::Aggregate& aggregate) {
  Callable made{aggregate.name, Callable::Kind::aggregate, "aggregates",
                fmt::format("{}[i] x", aggregate.name)};
  made.summary = aggregate.summary;
  made.numpy = aggregate.numpy;
  made.example = fmt::format("Y[i] = {}[j] X[i,j]", aggregate.name);
  made.of_nothing = value_of_nothing(aggregate);
  add_results(made, [&](DType dtype) { return aggregate.bind(dtype).result(); });
  return made;
}

/// Returns numpy's name for the running values of an aggregate; empty if it has none.
std::string numpy_of_scan(const std::string& aggregate) {
  static const std::map<std::string, std::string> names = {
      {"sum", "cumsum"},
      {"prod", "cumprod"},
      {"max", "maximum.accumulate"},
      {"min", "minimum.accumulate"},
      {"any", "logical_or.accumulate"},
      {"all", "logical_and.accumulate"},
      {"logsumexp", "logaddexp.accumulate"},
  };
  const auto known = names.find(aggregate);
  return known == names.end() ? "" : known->second;
}

/// Describes the running values of an aggregate.
Callable scan_by(const expr::Aggregate& aggregate) {
  Callable made{"cum" + aggregate.name, Callable::Kind::aggregate, "scans",
                fmt::format("cum{}[i] x", aggregate.name)};
  made.summary = fmt::format("running values of {} along i", aggregate.name);
  made.numpy = numpy_of_scan(aggregate.name);
  made.example = fmt::format("Y[i,j] = cum{}[i] X[i,j]", aggregate.name);
  add_results(made, [&](DType dtype) { return aggregate.bind(dtype).result(); });
  return made;
}

/// Describes the scans that are not named after an aggregate.
std::vector<Callable> other_scans() {
  Callable recurrence{"cumsumprod", Callable::Kind::aggregate, "scans", "cumsumprod[i](y, w)"};
  recurrence.summary = "the recurrence z[i] = y[i] + w[i] * z[i-1], from 0";
  recurrence.example = "Z[i] = cumsumprod[i](Y[i], X[i])";
  Callable any{"scan", Callable::Kind::aggregate, "scans", "scan[i] name(x, ...)"};
  any.summary = "running states of any aggregate, the program's own too";
  any.example = "Y[i] = scan[i] sum(X[i])";
  return {std::move(recurrence), std::move(any)};
}

Callable callable_of(const PreludeMacro& macro) {
  Callable made{macro.name, Callable::Kind::macro, "macros", macro.call};
  made.summary = macro.summary;
  made.numpy = macro.numpy;
  made.example = macro.example;
  made.definition = macro.definition;
  return made;
}

constexpr const char* kOfTheLanguage = "conversions and labels";

Callable callable_of(const LanguageCall& call) {
  Callable made{std::string(call.name), Callable::Kind::language, kOfTheLanguage,
                std::string(call.call)};
  made.summary = call.summary;
  made.numpy = call.numpy;
  made.example = call.example;
  return made;
}

Callable conversion_to(DType dtype) {
  Callable made{std::string(name_of(dtype)), Callable::Kind::language, kOfTheLanguage,
                fmt::format("{}(x)", name_of(dtype))};
  made.summary = fmt::format("x converted to {}", name_of(dtype));
  made.numpy = dtype == DType::bf16 ? "ml_dtypes.bfloat16" : std::string(numpy_name(dtype));
  made.example = fmt::format("Y[i] = {}(X[i])", name_of(dtype));
  return made;
}

void add_functions(std::vector<Callable>& all, const expr::FunctionRegistry& functions) {
  for (const expr::FunctionGroup group : expr::all_function_groups()) {
    for (const std::string& name : functions.names()) {
      const expr::Function& function = *functions.find(name);
      if (function.group == group) {
        all.push_back(callable_of(function));
      }
    }
  }
}

/// Returns the help for an unknown name: the callable that numpy or another library gives that
/// name, or a similar one.
std::string help_for(const std::string& name, const std::vector<Callable>& all) {
  if (std::string cure = cure_for_foreign_name(name); !cure.empty()) {
    return cure;
  }
  std::vector<std::string> known;
  for (const Callable& callable : all) {
    if (callable.numpy == name || callable.numpy.ends_with("." + name)) {
      return "write " + callable.call;
    }
    known.push_back(callable.name);
  }
  return did_you_mean(name, known);
}

}  // namespace

std::string_view name_of(Callable::Kind kind) {
  switch (kind) {
    case Callable::Kind::function:
      return "function";
    case Callable::Kind::aggregate:
      return "aggregate";
    case Callable::Kind::macro:
      return "macro";
    case Callable::Kind::language:
      return "language";
  }
  throw_error(ErrorKind::internal, "no such kind: {}", static_cast<int>(kind));
}

std::vector<Callable> all_callables(const Vocabulary& vocabulary) {
  std::vector<Callable> all;
  for (const std::string& name : vocabulary.aggregates.names()) {
    all.push_back(callable_of(*vocabulary.aggregates.find(name)));
  }
  for (const std::string& name : vocabulary.aggregates.names()) {
    all.push_back(scan_by(*vocabulary.aggregates.find(name)));
  }
  for (Callable& scan : other_scans()) {
    all.push_back(std::move(scan));
  }
  for (const PreludeMacro& macro : prelude_macros()) {
    all.push_back(callable_of(macro));
  }
  add_functions(all, vocabulary.functions);
  for (const LanguageCall& call : language_calls()) {
    all.push_back(callable_of(call));
  }
  for (const DType dtype : all_dtypes()) {
    all.push_back(conversion_to(dtype));
  }
  return all;
}

std::vector<Callable> callables_named(const std::string& name, const Vocabulary& vocabulary) {
  const std::vector<Callable> all = all_callables(vocabulary);
  std::vector<Callable> found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found),
               [&](const Callable& callable) { return callable.name == name; });
  if (found.empty()) {
    const std::string help = help_for(name, all);
    throw_error(ErrorKind::user, "there is no function, macro or aggregate {}{}{}", name,
                help.empty() ? "" : "; ", help);
  }
  return found;
}

}  // namespace tessera::frontend
