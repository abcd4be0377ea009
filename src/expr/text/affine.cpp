#include <algorithm>

#include <fmt/format.h>

#include "base/suggest.h"
#include "expr/text/parts.h"

namespace tessera::expr {

namespace {

/// A whole number whose sign was read already.
int64_t signed_integer(Scanner& scanner, bool negative, int64_t begin) {
  const std::optional<Literal> literal = scanner.accept_literal(negative);
  if (!literal || !std::holds_alternative<int64_t>(*literal)) {
    scanner.fail({begin, scanner.position()}, "expected a label or a whole number in this index");
  }
  return std::get<int64_t>(*literal);
}

}  // namespace

std::string affine_text(const AffineIndex& index, const std::vector<std::string>& labels) {
  std::string text;
  for (const AffineIndex::Term& term : index.terms) {
    const std::string label = label_name(labels, term.label);
    const std::string sign = term.coefficient < 0 ? "-" : text.empty() ? "" : "+";
    const std::string size = fmt::format("{}", term.coefficient);
    const std::string magnitude = term.coefficient < 0 ? size.substr(1) : size;
    text += sign + (magnitude == "1" ? label : magnitude + "*" + label);
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
