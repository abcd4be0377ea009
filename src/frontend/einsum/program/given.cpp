#include "frontend/einsum/program/given.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/suggest.h"
#include "frontend/einsum/program/scope.h"

namespace tessera::frontend {

namespace {

std::vector<std::string> missing_from(const std::vector<std::string>& declared,
                                      const std::vector<std::string>& given) {
  std::vector<std::string> missing;
  std::copy_if(given.begin(), given.end(), std::back_inserter(missing), [&](const auto& name) {
    return std::find(declared.begin(), declared.end(), name) == declared.end();
  });
  return missing;
}

void check_data(const Bindings& bindings, const ProgramSyntax& syntax,
                const std::map<std::string, SourceSpan>& parameters, Diagnostics& findings) {
  std::vector<std::string> declared;
  const InputStatement* first = nullptr;
  for (const Statement& statement : syntax.statements) {
    if (const auto* headers = std::get_if<InputStatement>(&statement.of)) {
      first = first == nullptr ? headers : first;
      for (const InputSyntax& input : headers->inputs) {
        declared.push_back(input.name.text);
      }
    }
  }
  const std::vector<std::string> unknown = missing_from(declared, names_of(bindings.inputs));
  if (unknown.empty()) {
    return;
  }
  if (const auto parameter = parameters.find(unknown.front()); parameter != parameters.end()) {
    findings.add({ErrorKind::user,
                  parameter->second,
                  fmt::format("data is given for {0}, but {0} is a parameter", unknown.front()),
                  "",
                  {},
                  Remedy{Setting::parameter, unknown.front() + "=1"}});
    return;
  }
  const SourceSpan place = first == nullptr ? SourceSpan{0, 0} : first->inputs.front().name.span;
  const std::string guess = did_you_mean(unknown.front(), declared);
  findings.add({ErrorKind::user,
                {place.begin, place.begin},
                fmt::format("data is given for {}, which the program does not declare",
                            fmt::join(unknown, ", ")),
                guess.empty() ? fmt::format("declare it: input {}[...]", unknown.front()) : guess,
                {}});
}

/// Returns the header of an input of that name; null if there is none.
const InputSyntax* find_input(const ProgramSyntax& syntax, const std::string& name) {
  for (const Statement& statement : syntax.statements) {
    if (const auto* headers = std::get_if<InputStatement>(&statement.of)) {
      for (const InputSyntax& input : headers->inputs) {
        if (input.name.text == name) {
          return &input;
        }
      }
    }
  }
  return nullptr;
}

void check_values(const Bindings& bindings, const ProgramSyntax& syntax,
                  const std::map<std::string, SourceSpan>& parameters, Diagnostics& findings) {
  const std::vector<std::string> declared = names_of(parameters);
  const std::vector<std::string> unknown = missing_from(declared, names_of(bindings.parameters));
  if (unknown.empty()) {
    return;
  }
  if (const InputSyntax* input = find_input(syntax, unknown.front())) {
    findings.add(
        {ErrorKind::user,
         input->span,
         fmt::format("a parameter's value is given for {0}, but {0} is an input", unknown.front()),
         input->labels.empty()
             ? "an input without modes may be a number: " + unknown.front() + "=1.0"
             : "",
         {},
         Remedy{Setting::input, unknown.front()}});
    return;
  }
  const SourceSpan place = parameters.empty() ? SourceSpan{0, 0} : parameters.begin()->second;
  const std::string guess = did_you_mean(unknown.front(), declared);
  findings.add({ErrorKind::user,
                place,
                fmt::format("a value is given for {}, which the program does not declare",
                            fmt::join(unknown, ", ")),
                guess.empty() ? fmt::format("declare it: param {} = 1", unknown.front()) : guess,
                {}});
}

}  // namespace

void check_given(const Bindings& bindings, const ProgramSyntax& syntax,
                 const std::map<std::string, SourceSpan>& parameters, Diagnostics& findings) {
  check_data(bindings, syntax, parameters, findings);
  check_values(bindings, syntax, parameters, findings);
}

}  // namespace tessera::frontend
