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

void check_data(const Bindings& bindings, const ProgramSyntax& syntax, Diagnostics& findings) {
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
  const SourceSpan place = first == nullptr ? SourceSpan{0, 0} : first->inputs.front().name.span;
  const std::string guess = did_you_mean(unknown.front(), declared);
  findings.add({ErrorKind::user,
                {place.begin, place.begin},
                fmt::format("data is given for {}, which the program does not declare",
                            fmt::join(unknown, ", ")),
                guess.empty() ? fmt::format("declare it: input {}[...]", unknown.front()) : guess,
                {}});
}

void check_values(const Bindings& bindings, const std::map<std::string, SourceSpan>& parameters,
                  Diagnostics& findings) {
  const std::vector<std::string> declared = names_of(parameters);
  const std::vector<std::string> unknown = missing_from(declared, names_of(bindings.parameters));
  if (unknown.empty()) {
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
  check_data(bindings, syntax, findings);
  check_values(bindings, parameters, findings);
}

}  // namespace tessera::frontend
