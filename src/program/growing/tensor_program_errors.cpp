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

/// The name that places of statements have. No user sees it.
constexpr const char* kTextName = TensorProgram::kTextName;

bool is_of_program(const std::optional<SourcePlace>& place) {
  return place && place->source == kTextName;
}

/// The line of the program that an error is about; 0 if it is about none.
int64_t line_of(const Error& error) {
  for (const ErrorContext& context : error.context()) {
    if (is_of_program(context.place)) {
      return context.place->position.line;
    }
  }
  const std::string& message = error.message();  // "…, for a task of T3 (<tensor part>:7:1)"
  const std::string mark = std::string("(") + kTextName + ":";
  const size_t at = message.find(mark);
  return at == std::string::npos ? 0 : std::atoll(message.c_str() + at + mark.size());
}

/// The message without places of the program: `T3 (<tensor part>:7:1)` is what the caret is below.
std::string without_places(std::string message) {
  const std::string mark = std::string(" (") + kTextName + ":";
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
std::string in_names_of_user(const std::string& message,
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

}  // namespace

Error TensorProgram::in_words_of_user(const Error& error, const std::vector<std::string>& names,
                                      const std::vector<std::string>& tensors) const {
  std::map<std::string, std::string> tensors_by_name;
  for (size_t number = 0; number < names.size(); ++number) {
    tensors_by_name.emplace(names[number], tensors[number]);
  }
  const Diagnostics* const findings = error.findings();
  const std::string& message =
      findings == nullptr ? error.message() : findings->found().front().message;
  Error said(error.kind(), in_names_of_user(without_labels(without_places(message)),
                                            inputs_.stored(), tensors_by_name));
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

void TensorProgram::fail_at(const StatementPlace& place, const Error& error) const {
  if (error.kind() != ErrorKind::interrupted && error.kind() != ErrorKind::internal) {
    show_error_(error, place);
  }
  throw Error(error);
}

void TensorProgram::fail_at_place(const FrameProgram& program, const Error& error) const {
  const Error said = in_words_of_user(error, program.names, program.tensors);
  const size_t num_inputs = program.shape.inputs.size();
  const int64_t number = line_of(error) - program.first_line;
  if (number < 0 || number >= static_cast<int64_t>(program.shape.members.size())) {
    throw Error(said);
  }
  fail_at(statements_.at(program.tensors[num_inputs + static_cast<size_t>(number)]).place, said);
}

}  // namespace tessera::program
