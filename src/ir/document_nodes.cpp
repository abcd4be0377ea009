#include "ir/document_nodes.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/diagnostic.h"
#include "expr/text/scanner.h"

namespace tessera::ir {

namespace {

int32_t node_number(const SourceText& source, const Field& field, int64_t limit) {
  const std::string& text = field.text;
  int32_t number = -1;
  const char* const end = text.data() + text.size();
  const bool is_node = text.size() > 1 && text[0] == '%';
  const auto [stopped, error] = std::from_chars(text.data() + (is_node ? 1 : 0), end, number);
  if (!is_node || error != std::errc() || stopped != end || number < 0) {
    fail_at(source, field.span, "expected a node such as %0");
  }
  if (number >= limit) {
    fail_at(source, field.span, "there is no node " + text + " before this");
  }
  return number;
}

}  // namespace

void fail_at(const SourceText& source, SourceSpan place, const std::string& message,
             const std::string& help, ErrorKind kind) {
  Diagnostics diagnostics(source);
  diagnostics.add({kind, place, message, help, {}});
  throw Error(std::move(diagnostics));
}

Document parse_stage(const SourceText& source, const std::string& stage) {
  Document document = parse_document(source);
  if (document.stage != stage) {
    fail_at(source, {0, 0},
            fmt::format("this is the text of stage {}, not {}", document.stage, stage));
  }
  return document;
}

std::string node_name(int64_t number) {
  return fmt::format("%{}", number);
}

Field operand(int64_t number) {
  return {"", node_name(number), {}};
}

Description operation(const std::string& op, std::vector<Field> parameters) {
  Description node;
  node.op = op;
  node.parameters = std::move(parameters);
  return node;
}

Description describe_output(const std::string& name, int64_t node) {
  Description line = operation("output", {{"", expr::written_name(name), {}}});
  line.operands.push_back(operand(node));
  return line;
}

const Field& what_of(const SourceText& source, const Description& node) {
  return parameter_of(source, node, "");
}

const Field& parameter_of(const SourceText& source, const Description& node,
                          const std::string& name) {
  const Field* field = node.find(name);
  if (field == nullptr) {
    fail_at(source, node.span,
            name.empty() ? node.op + " does not say what it is"
                         : fmt::format("{} has no parameter {}=...", node.op, name));
  }
  return *field;
}

void check_parameters(const SourceText& source, const Description& node,
                      const std::vector<std::string>& known) {
  for (const Field& parameter : node.parameters) {
    if (std::find(known.begin(), known.end(), parameter.name) == known.end()) {
      fail_at(source, parameter.span,
              parameter.name.empty()
                  ? node.op + " takes no parameter without a name"
                  : fmt::format("{} has no parameter {}", node.op, parameter.name),
              known.empty() ? "" : fmt::format("it has: {}", fmt::join(known, ", ")));
    }
    if (node.find(parameter.name) != &parameter) {
      fail_at(source, parameter.span, "this parameter stands twice");
    }
  }
}

std::vector<int32_t> parse_operands(const SourceText& source, const Description& node,
                                    int64_t limit) {
  std::vector<int32_t> numbers;
  for (const Field& field : node.operands) {
    numbers.push_back(node_number(source, field, limit));
  }
  return numbers;
}

int32_t parse_operand(const SourceText& source, const Description& node, int64_t limit) {
  const std::vector<int32_t> numbers = parse_operands(source, node, limit);
  if (numbers.size() != 1) {
    fail_at(source, node.span,
            fmt::format("{} takes one operand, not {}", node.op, numbers.size()));
  }
  return numbers[0];
}

void add_storage_order(Description& node, StorageOrder order) {
  if (order != StorageOrder::row_major) {
    node.parameters.push_back({"stored", name_of(order), {}});
  }
}

StorageOrder read_storage_order(const SourceText& source, const Description& node) {
  const Field* field = node.find("stored");
  if (field == nullptr) {
    return StorageOrder::row_major;
  }
  const std::optional<StorageOrder> order = parse_storage_order(field->text);
  if (!order) {
    fail_at(source, field->span, "an array is stored row_major or column_major");
  }
  return *order;
}

void add_reproducible(Document& document, bool is_reproducible) {
  if (is_reproducible) {
    document.settings.push_back({"reproducible", "yes", {}});
  }
}

bool read_reproducible(const SourceText& source, const Field& setting) {
  if (setting.text != "yes") {
    fail_at(source, setting.span, "expected 'yes'",
            "without reproducible=, bits may depend on how large the tiles are");
  }
  return true;
}

void refuse_problems(const SourceText& source, const std::vector<std::string>& problems) {
  if (!problems.empty()) {
    throw_error(ErrorKind::user, "{}: this does not hold together\n  {}", source.name,
                fmt::join(problems, "\n  "));
  }
}

}  // namespace tessera::ir
