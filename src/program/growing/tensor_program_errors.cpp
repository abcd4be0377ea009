#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <utility>

#include "base/diagnostic.h"
#include "program/growing/tensor_program.h"

namespace tessera::program {

namespace {

bool is_of_program(const std::optional<SourcePlace>& place) {
  return place && place->source == TensorProgram::kTextName;
}

/// The line of the program that an error is about; 0 where it is about none.
int64_t line_of(const Error& error) {
  if (const Diagnostics* const findings = error.findings()) {
    return position_of(findings->source(), findings->found().front().span.begin).line;
  }
  for (const ErrorContext& context : error.context()) {
    if (is_of_program(context.place)) {
      return context.place->position.line;
    }
  }
  const std::string& message = error.message();  // "…, for a task of T3 (<tensor part>:7:1)"
  const std::string mark = std::string("(") + TensorProgram::kTextName + ":";
  const size_t at = message.find(mark);
  return at == std::string::npos ? 0 : std::atoll(message.c_str() + at + mark.size());
}

/// The message without places of the program: `T3 (<tensor part>:7:1)` is what the caret is below.
std::string without_places(std::string message) {
  const std::string mark = std::string(" (") + TensorProgram::kTextName + ":";
  for (size_t at = message.find(mark); at != std::string::npos; at = message.find(mark)) {
    const size_t end = message.find(')', at);
    const size_t blank = message.rfind(' ', at - 1);
    const size_t begin = blank == std::string::npos ? 0 : blank + 1;
    message.replace(begin, (end == std::string::npos ? message.size() : end + 1) - begin,
                    "this expression");
  }
  return message;
}

/// The message without labels of rows and elements, which nobody wrote: `, where i_4 = 1`.
std::string without_labels(const std::string& message) {
  static const std::regex labels(",? where [a-z]+_[0-9]+ = [0-9]+(, [a-z]+_[0-9]+ = [0-9]+)*");
  return std::regex_replace(message, labels, "");
}

/// A message in which tensors of the program are columns of tables, or without names.
std::string in_names_of_sql(const std::string& message,
                            const std::map<std::string, std::string>& stored,
                            const std::map<std::string, std::string>& tensors) {
  std::string said;
  for (size_t at = 0; at < message.size();) {
    size_t end = at;
    while (end < message.size() && std::isalnum(static_cast<unsigned char>(message[end])) != 0) {
      ++end;
    }
    const std::string word = message.substr(at, end - at);
    const auto tensor = tensors.find(word);
    const auto known = std::find_if(stored.begin(), stored.end(), [&](const auto& entry) {
      return tensor != tensors.end() && entry.second == tensor->second;
    });
    said += known != stored.end() ? known->first : tensor != tensors.end() ? "a tensor" : word;
    if (end < message.size()) {
      said += message[end];
    }
    at = end + 1;
  }
  return said;
}

/// The same error in words of SQL.
Error in_words_of_sql(const Error& error, const std::map<std::string, std::string>& stored,
                      const std::map<std::string, std::string>& tensors) {
  const Diagnostics* const findings = error.findings();
  const std::string& message =
      findings == nullptr ? error.message() : findings->found().front().message;
  Error said(error.kind(),
             in_names_of_sql(without_labels(without_places(message)), stored, tensors));
  for (const ErrorContext& context : error.context()) {
    if (!is_of_program(context.place)) {
      said.add_context(without_places(context.text), context.place);
    }
  }
  for (const Remedy& remedy : error.remedies()) {
    said = Error(std::move(said).suggest(remedy));
  }
  return said;
}

}  // namespace

void TensorProgram::fail_at_place(const Text& text, const Error& error) const {
  const int64_t line = line_of(error);
  const int64_t number = line - text.num_lines_before;
  const Error said = in_words_of_sql(error, stored_, text.tensors);
  const bool is_about_part =
      said.kind() != ErrorKind::interrupted && said.kind() != ErrorKind::internal;
  if (!is_about_part || number < 1 || number > static_cast<int64_t>(text.statements.size())) {
    throw Error(said);
  }
  const std::string& statement = text.statements[static_cast<size_t>(number - 1)];
  show_error_(said, statements_.at(statement).place);
  throw Error(said);
}

}  // namespace tessera::program
