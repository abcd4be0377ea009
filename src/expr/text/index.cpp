#include <algorithm>

#include <fmt/format.h>

#include "base/suggest.h"
#include "expr/text/parts.h"

namespace tessera::expr {

namespace {

/// Reads a whole number whose sign was read already.
int64_t signed_integer(Scanner& scanner, bool negative, int64_t begin) {
  const std::optional<Literal> literal = scanner.accept_literal(negative);
  if (!literal || !std::holds_alternative<int64_t>(*literal)) {
    scanner.fail({begin, scanner.position()}, "expected a label or a whole number in this index");
  }
  return std::get<int64_t>(*literal);
}

std::string boundary_text(const Boundary& boundary) {
  return std::visit(Overload{[](const Inside&) { return std::string(); },
                             [](const Pad& pad) { return " pad " + to_string(pad.value); },
                             [](const Edge&) { return std::string(" edge"); },
                             [](const Reflect&) { return std::string(" reflect"); }},
                    boundary);
}

Boundary read_boundary(Scanner& scanner) {
  if (scanner.accept_word("edge")) {
    return Edge{};
  }
  if (scanner.accept_word("reflect")) {
    return Reflect{};
  }
  if (!scanner.accept_word("pad")) {
    return Inside{};
  }
  const std::optional<Literal> value = scanner.accept_literal(scanner.accept("-"));
  if (!value) {
    scanner.fail_expected("a number");
  }
  return Pad{*value};
}

std::string position_text(const AffineIndex& index, const std::vector<std::string>& labels) {
  const std::string sum = affine_text(index, labels);
  return index.divisor == 1 ? sum : fmt::format("({})/{}", sum, index.divisor);
}

/// Reads "2*i+k-1" or "(i-k)/2".
AffineIndex read_position(Scanner& scanner, const std::vector<std::string>& labels) {
  if (!scanner.accept("(")) {
    return read_affine(scanner, labels);
  }
  AffineIndex index = read_affine(scanner, labels);
  scanner.expect(")");
  scanner.expect("/");
  index.divisor = scanner.integer();
  return index;
}

/// True at an expression that is more than labels and whole numbers: it has an access, a call, a
/// part or a constant with its dtype.
bool looking_at_expression(Scanner ahead) {
  while (!ahead.at_end() && !ahead.looking_at(",") && !ahead.looking_at("]")) {
    if (ahead.looking_at_name()) {
      ahead.name();
      if (ahead.looking_at("[") || ahead.looking_at("(")) {
        return true;
      }
    } else if (ahead.looking_at("$") || ahead.looking_at("{")) {
      return true;
    } else if (ahead.accept_literal()) {
      if (ahead.looking_at(":")) {
        return true;
      }
    } else if (!ahead.accept("(") && !ahead.accept(")") && !ahead.accept("+") &&
               !ahead.accept("-") && !ahead.accept("*") && !ahead.accept("/")) {
      return false;
    }
  }
  return false;
}

}  // namespace

std::string index_text(const Index& index, const std::vector<std::string>& labels,
                       const std::function<std::string(int32_t)>& node_text) {
  const std::string position =
      std::visit(Overload{[&](const PlainIndex& plain) { return label_name(labels, plain.label); },
                          [](const FixedIndex& fixed) { return fmt::format("{}", fixed.position); },
                          [&](const AffineIndex& affine) { return position_text(affine, labels); },
                          [&](const GatheredIndex& gathered) { return node_text(gathered.node); }},
                 index);
  return position + boundary_text(boundary_of(index));
}

Index read_index(Scanner& scanner, const std::vector<std::string>& labels,
                 const std::function<int32_t()>& read_node) {
  if (looking_at_expression(scanner)) {
    const int32_t node = read_node();
    return GatheredIndex{node, read_boundary(scanner)};
  }
  AffineIndex index = read_position(scanner, labels);
  index.outside = read_boundary(scanner);
  return affine(std::move(index));
}

std::string affine_text(const AffineIndex& index, const std::vector<std::string>& labels) {
  std::string text;
  for (const AffineIndex::Term& term : index.terms) {
    const std::string label = label_name(labels, term.label);
    const std::string sign = term.coefficient < 0 ? "-" : text.empty() ? "" : "+";
    const std::string size = fmt::format("{}", term.coefficient);
    const std::string magnitude = term.coefficient < 0 ? size.substr(1) : size;
    text += magnitude == "1" ? fmt::format("{}{}", sign, label)
                             : fmt::format("{}{}*{}", sign, magnitude, label);
  }
  if (text.empty()) {
    return fmt::format("{}", index.offset);
  }
  return index.offset == 0 ? text : text + fmt::format("{:+}", index.offset);
}

AffineIndex read_affine(Scanner& scanner, const std::vector<std::string>& labels) {
  AffineIndex index;
  bool first = true;
  while (first || scanner.looking_at("+") || scanner.looking_at("-")) {
    const int64_t begin = scanner.position();
    const bool negative = scanner.accept("-");
    if (!negative && !first) {
      scanner.expect("+");
    }
    first = false;
    if (scanner.looking_at_name()) {
      index.terms.push_back({read_label(scanner, labels), negative ? -1 : 1});
      continue;
    }
    const int64_t number = signed_integer(scanner, negative, begin);
    if (scanner.accept("*")) {
      index.terms.push_back({read_label(scanner, labels), number});
    } else if (__builtin_add_overflow(index.offset, number, &index.offset)) {
      scanner.fail(scanner.since(begin), "this offset does not fit 64 bits");
    }
  }
  return index;
}

LabelNumber read_label(Scanner& scanner, const std::vector<std::string>& labels) {
  const int64_t begin = scanner.position();
  const std::string name = scanner.name();
  const auto found = std::find(labels.begin(), labels.end(), name);
  if (found == labels.end()) {
    scanner.fail(scanner.since(begin), "there is no label " + written_name(name),
                 did_you_mean(name, labels));
  }
  return static_cast<LabelNumber>(found - labels.begin());
}

}  // namespace tessera::expr
