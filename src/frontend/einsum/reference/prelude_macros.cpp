#include "frontend/einsum/reference/prelude_macros.h"

#include <sstream>
#include <string_view>

#include <fmt/ranges.h>

#include "base/error.h"
#include "frontend/einsum/program/parser.h"
#include "frontend/einsum/program/prelude.h"

namespace tessera::frontend {

namespace {

constexpr std::string_view kMark = "#: ";
constexpr size_t kNumMarked = 3;  // its summary, numpy's name, an example

/// Returns the marked lines directly before a definition.
std::vector<std::string> marked_lines(const std::string& before) {
  std::istringstream lines(before);
  std::vector<std::string> marked;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kMark)) {
      marked.push_back(line.substr(kMark.size()));
    } else {
      marked.clear();
    }
  }
  return marked;
}

/// Returns "layer_norm[j](x, epsilon)": the definition shows which arguments are optional.
std::string call_of(const MacroStatement& macro) {
  std::vector<std::string> labels;
  for (const NameSyntax& label : macro.labels) {
    labels.push_back(label.text);
  }
  std::vector<std::string> arguments;
  for (const MacroParameterSyntax& argument : macro.arguments) {
    arguments.push_back(argument.name.text);
  }
  return fmt::format("{}{}({})", macro.name.text,
                     labels.empty() ? "" : fmt::format("[{}]", fmt::join(labels, ",")),
                     fmt::join(arguments, ", "));
}

/// Joins the lines of a text into one.
std::string on_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) {
    line += (line.empty() ? "" : " ") + word;
  }
  return line;
}

}  // namespace

std::vector<PreludeMacro> prelude_macros() {
  const std::string text = prelude_text();
  Diagnostics findings({"prelude.ein", text});
  const ProgramSyntax syntax = parse_program(findings);
  std::vector<PreludeMacro> macros;
  for (const Statement& statement : syntax.statements) {
    if (std::holds_alternative<AggregateStatement>(statement.of)) {
      continue;  // of a scan, which is listed under its own name
    }
    const auto& macro = std::get<MacroStatement>(statement.of);
    const auto begin = static_cast<size_t>(statement.span.begin);
    const std::string written = text.substr(begin, static_cast<size_t>(statement.span.end) - begin);
    const std::vector<std::string> marked = marked_lines(text.substr(0, begin));
    TESSERA_CHECK(marked.size() == kNumMarked, "the macro {} is described in {} lines",
                  macro.name.text, marked.size());
    macros.push_back(
        {macro.name.text, call_of(macro), on_one_line(written), marked[0], marked[1], marked[2]});
  }
  return macros;
}

}  // namespace tessera::frontend
