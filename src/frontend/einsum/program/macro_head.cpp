#include "frontend/einsum/program/macro_head.h"

#include <algorithm>
#include <set>
#include <string>

namespace tessera::frontend {

void check_macro_head(const MacroStatement& macro, Diagnostics& findings) {
  std::set<std::string> names;
  const auto check_new = [&](const NameSyntax& name) {
    if (!names.insert(name.text).second) {
      findings.add({ErrorKind::user,
                    name.span,
                    fmt::format("{} stands twice in the macro's head", name.text),
                    "",
                    {}});
    }
  };
  std::for_each(macro.labels.begin(), macro.labels.end(), check_new);
  const MacroParameterSyntax* optional = nullptr;
  for (const MacroParameterSyntax& argument : macro.arguments) {
    check_new(argument.name);
    if (optional != nullptr && !argument.value) {
      findings.add({ErrorKind::user,
                    argument.name.span,
                    fmt::format("{} has no value, but {} before it has one", argument.name.text,
                                optional->name.text),
                    "arguments that may be left out stand last",
                    {optional->name.span}});
    }
    optional = argument.value ? &argument : optional;
  }
}

}  // namespace tessera::frontend
