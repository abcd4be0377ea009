#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "expr/text/parts.h"

namespace tessera::expr {

namespace {

constexpr std::string_view kScan = "scan";
constexpr std::string_view kWhole = "whole";
constexpr std::string_view kBackward = "backward";
constexpr std::string_view kExclusive = "exclusive";

/// Formats "[s,h]", with `order` behind a semicolon.
std::string label_list(const std::vector<LabelNumber>& labels, const Names& names,
                       const std::string& order = "") {
  std::vector<std::string> written;
  written.reserve(labels.size());
  for (const LabelNumber label : labels) {
    written.push_back(label_name(names.labels, label));
  }
  return fmt::format("[{}{}{}]", fmt::join(written, ","), order.empty() ? "" : "; ", order);
}

/// Returns the order of an aggregate or a scan, if it is not the usual one.
std::string order_text(const StatementForm& form, const Names& names) {
  if (form.leaf) {
    return fmt::format("leaf {}={}", label_name(names.labels, form.leaf->label), form.leaf->length);
  }
  std::vector<std::string_view> words;
  if (form.scan && form.scan->direction == Scan::Direction::backward) {
    words.push_back(kBackward);
  }
  if (form.scan && form.scan->is_exclusive) {
    words.push_back(kExclusive);
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string aggregate_text(const StatementForm& form, const Names& names) {
  if (form.is_whole) {
    return std::string(kWhole) + label_list(form.over, names) + " ";
  }
  if (form.aggregate.empty()) {
    return "";
  }
  return (form.scan ? std::string(kScan) + " " : "") + written_name(form.aggregate) +
         label_list(form.over, names, order_text(form, names)) + " ";
}

/// Formats the body of a reduction: a term. One that starts with a sign gets parentheses, or
/// `max[i] -x[i]` would read as a difference.
std::string term_text(const Scalar& body, const Names& names) {
  std::string text = scalar_text(body, names, Binding::product);
  return text[0] == '-' ? "(" + text + ")" : text;
}

std::string body_text(const StatementForm& form, const Names& names) {
  if (form.bodies.size() == 1) {
    return form.aggregate.empty() ? to_text(*form.bodies[0], names)
                                  : term_text(*form.bodies[0], names);
  }
  std::vector<std::string> bodies;
  for (const Scalar* body : form.bodies) {
    bodies.push_back(to_text(*body, names));
  }
  return fmt::format("({})", fmt::join(bodies, ", "));
}

std::string result_text(const std::vector<std::string>& results) {
  if (results.size() == 1) {
    return written_name(results[0]);
  }
  std::vector<std::string> names;
  std::transform(results.begin(), results.end(), std::back_inserter(names), written_name);
  return fmt::format("({})", fmt::join(names, ","));
}

std::vector<std::string> read_results(Scanner& scanner) {
  if (!scanner.accept("(")) {
    return {scanner.name()};
  }
  std::vector<std::string> results;
  while (!scanner.accept(")")) {
    if (!results.empty()) {
      scanner.expect(",");
    }
    results.push_back(scanner.name());
  }
  return results;
}

LabelNumber number_of(Scanner& scanner, Leaves& leaves, bool fixed_labels) {
  const int64_t begin = scanner.position();
  const std::string name = scanner.name();
  std::vector<std::string>& labels = leaves.names.labels;
  const auto found = std::find(labels.begin(), labels.end(), name);
  if (found != labels.end()) {
    return static_cast<LabelNumber>(found - labels.begin());
  }
  if (fixed_labels) {
    scanner.fail(scanner.since(begin), fmt::format("there is no label {}", written_name(name)));
  }
  labels.push_back(name);
  return static_cast<LabelNumber>(labels.size()) - 1;
}

/// Reads "leaf s=512".
Leaf read_leaf(Scanner& scanner, Leaves& leaves) {
  scanner.expect("leaf");
  const LabelNumber label = number_of(scanner, leaves, true);
  scanner.expect("=");
  return {label, scanner.integer()};
}

/// Reads "[s,h]"; `read_order` reads the part behind a semicolon.
std::vector<LabelNumber> read_label_list(Scanner& scanner, Leaves& leaves, bool fixed_labels,
                                         const std::function<void()>& read_order = nullptr) {
  std::vector<LabelNumber> numbers;
  scanner.expect("[");
  while (!scanner.accept("]")) {
    if (read_order != nullptr && !numbers.empty() && scanner.accept(";")) {
      read_order();
      scanner.expect("]");
      return numbers;
    }
    if (!numbers.empty()) {
      scanner.expect(",");
    }
    numbers.push_back(number_of(scanner, leaves, fixed_labels));
  }
  return numbers;
}

/// True at `scan name`: no expression has a name behind a name.
bool looking_at_scan(Scanner ahead) {
  return ahead.accept_word(kScan) && ahead.looking_at_name();
}

/// Reads "sum[s,h; leaf s=512]" or "scan sum[s; backward exclusive]".
void read_aggregate(Scanner& scanner, Leaves& leaves, bool fixed_labels, ReadStatement& statement) {
  if (looking_at_scan(scanner)) {
    scanner.accept_word(kScan);
    statement.scan = ScanForm{};
  }
  const int64_t begin = scanner.position();
  statement.aggregate = scanner.name();
  statement.aggregate_span = scanner.since(begin);
  statement.over = read_label_list(scanner, leaves, fixed_labels, [&] {
    if (!statement.scan) {
      statement.leaf = read_leaf(scanner, leaves);
      return;
    }
    if (scanner.accept_word(kBackward)) {
      statement.scan->direction = Scan::Direction::backward;
    }
    statement.scan->is_exclusive = scanner.accept_word(kExclusive);
  });
  if (statement.scan && statement.over.size() != 1) {
    scanner.fail(statement.aggregate_span, "a scan is along one label");
  }
}

/// True at `whole[...]` with a call of a function of whole arrays behind it: an aggregate may have
/// this name too.
bool looking_at_whole(Scanner ahead, const FunctionRegistry& functions) {
  if (!ahead.accept_word(kWhole) || !ahead.accept("[")) {
    return false;
  }
  while (ahead.looking_at_name()) {
    ahead.name();
    ahead.accept(",");
  }
  if (!ahead.accept("]") || !ahead.looking_at_name()) {
    return false;
  }
  const Function* const function = functions.find(ahead.name());
  return function != nullptr && function->core;
}

/// Reads "whole[i,j]".
void read_whole(Scanner& scanner, Leaves& leaves, bool fixed_labels, ReadStatement& statement) {
  scanner.accept_word(kWhole);
  statement.is_whole = true;
  statement.over = read_label_list(scanner, leaves, fixed_labels);
}

/// True at `name[...]` with a term behind it: an aggregate. An operand is followed by an operator
/// or nothing.
bool looking_at_aggregate(Scanner ahead) {
  if (!ahead.looking_at_name()) {
    return false;
  }
  ahead.name();
  if (!ahead.accept("[")) {
    return false;
  }
  while (ahead.looking_at_name()) {
    ahead.name();
    ahead.accept(",");
  }
  if (ahead.accept(";")) {
    return true;
  }
  return ahead.accept("]") &&
         (ahead.looking_at_name() || ahead.looking_at("(") || ahead.looking_at("{") ||
          ahead.looking_at("$") || ahead.accept_literal().has_value());
}

}  // namespace

std::string statement_text(const StatementForm& form, const Names& names) {
  return fmt::format("{}{} = {}{}", result_text(form.results), label_list(form.out, names),
                     aggregate_text(form, names), body_text(form, names));
}

ReadStatement read_statement(Scanner& scanner, Leaves& leaves, bool fixed_labels,
                             const FunctionRegistry& functions) {
  ReadStatement statement;
  statement.results = read_results(scanner);
  statement.out = read_label_list(scanner, leaves, fixed_labels);
  scanner.expect("=");
  Binding binding = Binding::comparison;
  if (looking_at_whole(scanner, functions)) {
    read_whole(scanner, leaves, fixed_labels, statement);
    binding = Binding::product;
  } else if (looking_at_scan(scanner) || looking_at_aggregate(scanner)) {
    read_aggregate(scanner, leaves, fixed_labels, statement);
    binding = Binding::product;
  }
  if (statement.results.size() == 1) {
    statement.bodies.push_back(read_scalar(scanner, leaves, functions, binding));
    return statement;
  }
  scanner.expect("(");
  while (!scanner.accept(")")) {
    if (!statement.bodies.empty()) {
      scanner.expect(",");
    }
    statement.bodies.push_back(read_scalar(scanner, leaves, functions));
  }
  if (statement.bodies.size() != statement.results.size()) {
    const int64_t here = scanner.position();
    scanner.fail({here - 1, here}, fmt::format("{} results but {} expressions",
                                               statement.results.size(), statement.bodies.size()));
  }
  return statement;
}

}  // namespace tessera::expr
