#include "frontend/einsum/program/inputs.h"

#include <set>

#include "base/suggest.h"
#include "frontend/einsum/program/parser.h"
#include "types/dtype_names.h"

namespace tessera::frontend {

namespace {

std::optional<DType> dtype_of_header(const NameSyntax& name, Diagnostics& findings) {
  const std::optional<DType> dtype = parse_dtype(name.text);
  if (!dtype) {
    findings.add({ErrorKind::user,
                  name.span,
                  fmt::format("there is no dtype {}", name.text),
                  did_you_mean(name.text, dtype_names()),
                  {}});
  }
  return dtype;
}

/// Returns a size that is a plain number; nothing for one that depends on parameters.
std::optional<int64_t> plain_size(const HeaderLabelSyntax& label, const ProgramSyntax& syntax) {
  if (label.is_one) {
    return 1;
  }
  if (!label.size) {
    return std::nullopt;
  }
  const auto* number = std::get_if<NumberSyntax>(&syntax.at(*label.size).of);
  const auto* size = number == nullptr ? nullptr : std::get_if<int64_t>(&number->value);
  return size == nullptr ? std::nullopt : std::optional(*size);
}

DeclaredInput declared(const InputSyntax& input, const ProgramSyntax& syntax,
                       Diagnostics& findings) {
  DeclaredInput result;
  result.name = input.name.text;
  result.span = input.span;
  if (input.dtype) {
    result.dtype = dtype_of_header(*input.dtype, findings);
  }
  for (const HeaderLabelSyntax& label : input.labels) {
    result.extents.push_back(plain_size(label, syntax));
  }
  return result;
}

}  // namespace

std::string text_of(const InputSyntax& input) {
  std::string text = input.name.text + "[";
  for (size_t mode = 0; mode < input.labels.size(); ++mode) {
    text += (mode == 0 ? "" : ",") + input.labels[mode].name.text;
  }
  return text + "]";
}

std::vector<std::string> labels_of(const InputSyntax& input) {
  std::vector<std::string> labels;
  std::set<std::string> taken;
  for (const HeaderLabelSyntax& label : input.labels) {
    taken.insert(label.name.text);
  }
  for (const HeaderLabelSyntax& label : input.labels) {
    std::string name = label.is_one ? "one" : label.name.text;
    for (int next = 2; label.is_one && !taken.insert(name).second; ++next) {
      name = fmt::format("one_{}", next);
    }
    labels.push_back(std::move(name));
  }
  return labels;
}

std::vector<bool> left_out_of(const InputSyntax& input) {
  std::vector<bool> is_left_out;
  for (const HeaderLabelSyntax& label : input.labels) {
    is_left_out.push_back(label.is_one);
  }
  return is_left_out;
}

void InputHeaders::report(SourceSpan span, std::string message, std::string help,
                          std::vector<SourceSpan> others) {
  findings_.add({ErrorKind::user, span, std::move(message), std::move(help), std::move(others)});
}

bool InputHeaders::check_dtype(const InputSyntax& input, const ArrayType& type) {
  if (!input.dtype) {
    return true;
  }
  const std::optional<DType> dtype = dtype_of_header(*input.dtype, findings_);
  if (dtype && *dtype != type.dtype) {
    report(input.dtype->span,
           fmt::format("{} is {} in its header but {} in the data", input.name.text,
                       name_of(*dtype), name_of(type.dtype)),
           fmt::format("leave the dtype out and convert where it is read: {}({}[...])",
                       name_of(*dtype), input.name.text));
  }
  return dtype == type.dtype;
}

bool InputHeaders::check_label(const InputSyntax& input, size_t mode, int64_t extent,
                               std::optional<int64_t> size) {
  const NameSyntax& label = input.labels[mode].name;
  if (input.labels[mode].is_one) {
    if (extent != 1) {
      report(label.span,
             fmt::format("mode {} of {} is named 1 but has extent {} in the data", mode + 1,
                         input.name.text, extent),
             "only a mode of extent 1 goes without a label");
    }
    return extent == 1;
  }
  if (size && *size != extent) {
    report(label.span, fmt::format("label {} of {} is {} in the header but {} in the data",
                                   label.text, input.name.text, *size, extent));
    return false;
  }
  const auto declared_size = scope_.label_sizes.find(label.text);
  const bool is_declared =
      declared_size != scope_.label_sizes.end() && declared_size->second.is_declared;
  const auto [known, is_new] = sizes_.try_emplace(
      label.text, is_declared ? declared_size->second : LabelSize{extent, label.span, false});
  if (is_new) {
    origins_[label.text] = is_declared ? "its declaration" : text_of(input);
  }
  if (known->second.extent == extent) {
    return true;
  }
  report(label.span,
         fmt::format("label {} is {} in {} but {} in {}", label.text, known->second.extent,
                     origins_[label.text], extent, text_of(input)),
         "labels of one input statement agree: use another label, or a statement for each",
         {known->second.span});
  return false;
}

std::optional<ArrayType> InputHeaders::check(const InputSyntax& input,
                                             const std::vector<std::optional<int64_t>>& sizes) {
  const auto data = bindings_.inputs.find(input.name.text);
  if (data == bindings_.inputs.end()) {
    findings_.add({ErrorKind::user,
                   input.span,
                   fmt::format("there is no data for the input {}", input.name.text),
                   input.labels.empty()
                       ? "it has no modes: a number will do, " + input.name.text + "=1.0"
                       : "",
                   {},
                   Remedy{Setting::input, input.name.text}});
    return std::nullopt;
  }
  const ArrayType& type = data->second;
  if (type.shape.size() != input.labels.size()) {
    report(input.span,
           fmt::format("{} has {} mode{} but is written with {} label{}", input.name.text,
                       type.shape.size(), type.shape.size() == 1 ? "" : "s", input.labels.size(),
                       input.labels.size() == 1 ? "" : "s"),
           fmt::format("the data is {}", to_string(type)));
    return std::nullopt;
  }
  if (!is_countable(type)) {
    report(input.span,
           fmt::format("{} is {}: more than 2^60 bytes", input.name.text, to_string(type)));
    return std::nullopt;
  }
  bool agrees = check_dtype(input, type);
  for (size_t mode = 0; mode < input.labels.size(); ++mode) {
    agrees = check_label(input, mode, type.shape[mode], sizes[mode]) && agrees;
  }
  return agrees ? std::optional(type) : std::nullopt;
}

Result<std::vector<DeclaredInput>> inputs_of_program(const SourceText& source) {
  Diagnostics findings(source);
  const ProgramSyntax syntax = parse_program(findings);
  std::vector<DeclaredInput> inputs;
  for (const Statement& statement : syntax.statements) {
    if (const auto* headers = std::get_if<InputStatement>(&statement.of)) {
      for (const InputSyntax& input : headers->inputs) {
        inputs.push_back(declared(input, syntax, findings));
      }
    }
  }
  if (!findings.empty()) {
    return findings;
  }
  return inputs;
}

}  // namespace tessera::frontend
