#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/suggest.h"
#include "expr/text/parts.h"

namespace tessera::expr {

namespace {

/// Formats one text alone, several in parentheses.
std::string tuple_text(const std::vector<std::string>& texts) {
  return texts.size() == 1 ? texts[0] : fmt::format("({})", fmt::join(texts, ", "));
}

std::string state_text(const std::vector<DType>& state) {
  std::vector<std::string> names;
  std::transform(state.begin(), state.end(), std::back_inserter(names),
                 [](DType dtype) { return std::string(name_of(dtype)); });
  return names.size() == 1 ? names[0] : fmt::format("({})", fmt::join(names, ","));
}

/// Returns a, or a0, a1, ... if the state has several entries.
std::vector<std::string> state_names(const std::string& side, size_t num_states) {
  if (num_states == 1) {
    return {side};
  }
  std::vector<std::string> names;
  for (size_t entry = 0; entry < num_states; ++entry) {
    names.push_back(fmt::format("{}{}", side, entry));
  }
  return names;
}

std::vector<std::string> both_sides(size_t num_states) {
  std::vector<std::string> names = state_names("a", num_states);
  const std::vector<std::string> right = state_names("b", num_states);
  names.insert(names.end(), right.begin(), right.end());
  return names;
}

/// Formats "(a, b) -> max(a, b)".
std::string lambda_text(const std::vector<std::string>& parameters,
                        const std::vector<Scalar>& bodies) {
  std::vector<std::string> texts;
  for (const Scalar& body : bodies) {
    texts.push_back(to_text(body, Names{{}, {}, parameters}));
  }
  return fmt::format("({}) -> {}", fmt::join(parameters, ", "), tuple_text(texts));
}

std::vector<Scalar> read_lambda(Scanner& scanner, const std::vector<DType>& parameters,
                                size_t num_results, const FunctionRegistry& functions) {
  Leaves leaves{{}, {}, parameters};
  scanner.expect("(");
  for (size_t parameter = 0; parameter < parameters.size(); ++parameter) {
    if (parameter > 0) {
      scanner.expect(",");
    }
    leaves.names.parameters.push_back(scanner.name());
  }
  scanner.expect(")");
  scanner.expect("->");
  std::vector<Scalar> bodies;
  if (num_results != 1) {
    scanner.expect("(");
  }
  for (size_t result = 0; result < num_results; ++result) {
    if (result > 0) {
      scanner.expect(",");
    }
    bodies.push_back(read_scalar(scanner, leaves, functions));
  }
  if (num_results != 1) {
    scanner.expect(")");
  }
  return bodies;
}

std::vector<DType> read_state(Scanner& scanner) {
  if (!scanner.accept("(")) {
    return {scanner.dtype()};
  }
  std::vector<DType> state;
  while (!scanner.accept(")")) {
    if (!state.empty()) {
      scanner.expect(",");
    }
    state.push_back(scanner.dtype());
  }
  return state;
}

std::string combine_text(const Monoid& monoid) {
  std::vector<std::string> identities;
  for (const Literal& identity : monoid.identity) {
    identities.push_back(to_string(identity));
  }
  return fmt::format("{} identity {}{}",
                     lambda_text(both_sides(monoid.state.size()), monoid.combine),
                     tuple_text(identities), monoid.is_commutative ? "" : " in order");
}

Literal read_literal(Scanner& scanner) {
  const bool negative = scanner.accept("-");
  const std::optional<Literal> literal = scanner.accept_literal(negative);
  if (!literal) {
    scanner.fail_expected("a number");
  }
  return *literal;
}

/// Reads the text of combine_text(), into a monoid whose state is known.
void read_combine(Scanner& scanner, Monoid& monoid, const FunctionRegistry& functions) {
  std::vector<DType> both = monoid.state;
  both.insert(both.end(), monoid.state.begin(), monoid.state.end());
  const size_t num_states = monoid.state.size();
  monoid.combine = read_lambda(scanner, both, num_states, functions);
  if (!scanner.accept_word("identity")) {
    scanner.fail_expected("'identity'");
  }
  if (num_states != 1) {
    scanner.expect("(");
  }
  for (size_t entry = 0; entry < num_states; ++entry) {
    if (entry > 0) {
      scanner.expect(",");
    }
    monoid.identity.push_back(read_literal(scanner));
  }
  if (num_states != 1) {
    scanner.expect(")");
  }
  if (scanner.accept_word("in")) {
    scanner.expect("order");
    monoid.is_commutative = false;
  }
}

std::optional<BoundAggregate> bind_if_possible(const AggregateRegistry& registry,
                                               const std::string& name, DType element) {
  const Aggregate* aggregate = registry.find(name);
  if (aggregate == nullptr) {
    return std::nullopt;
  }
  try {
    return aggregate->bind(element);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

Monoid MonoidScope::find(const std::string& name, DType first_state) const {
  for (const Monoid& monoid : defined) {
    if (monoid.name == name && monoid.state[0] == first_state) {
      return monoid;
    }
  }
  const Aggregate* aggregate = registry.find(name);
  TESSERA_USER_CHECK(aggregate != nullptr, "there is no aggregate {} {}", name,
                     did_you_mean(name, registry.names()));
  return aggregate->bind(first_state).monoid;
}

std::string reference_to(const Monoid& monoid) {
  return fmt::format("{}:{}", written_name(monoid.name),
                     monoid.state.empty() ? "_" : name_of(monoid.state[0]));
}

bool is_registered(const Monoid& monoid, const AggregateRegistry& registry) {
  if (monoid.state.empty()) {
    return false;
  }
  const std::optional<BoundAggregate> bound =
      bind_if_possible(registry, monoid.name, monoid.state[0]);
  return bound && bound->monoid == monoid;
}

std::string to_text(const Monoid& monoid) {
  return fmt::format("{}:{} {}", written_name(monoid.name), state_text(monoid.state),
                     combine_text(monoid));
}

Monoid parse_monoid(const SourceText& source, const FunctionRegistry& functions) {
  Scanner scanner(source);
  Monoid monoid = read_monoid(scanner, functions);
  scanner.expect_end();
  return monoid;
}

Monoid read_monoid(Scanner& scanner, const FunctionRegistry& functions) {
  Monoid monoid;
  monoid.name = scanner.name();
  scanner.expect(":");
  const int64_t begin = scanner.position();
  monoid.state = read_state(scanner);
  if (monoid.state.empty()) {
    scanner.fail(scanner.since(begin), "a state has at least one entry");
  }
  read_combine(scanner, monoid, functions);
  return monoid;
}

std::string to_text(const NamedAggregate& named) {
  const BoundAggregate& aggregate = named.aggregate;
  const std::vector<std::string> state = state_names("a", aggregate.monoid.state.size());
  return fmt::format("{}:{} by {}; {}; {}{}", written_name(named.name), name_of(named.element),
                     to_text(aggregate.monoid), lambda_text({"x", "i"}, aggregate.lift),
                     lambda_text(state, {aggregate.finalise}),
                     aggregate.defined_on_empty ? "" : "; not of nothing");
}

NamedAggregate parse_aggregate(const SourceText& source, const FunctionRegistry& functions) {
  Scanner scanner(source);
  NamedAggregate aggregate = read_aggregate(scanner, functions);
  scanner.expect_end();
  return aggregate;
}

NamedAggregate read_aggregate(Scanner& scanner, const FunctionRegistry& functions) {
  NamedAggregate named;
  BoundAggregate& aggregate = named.aggregate;
  named.name = scanner.name();
  scanner.expect(":");
  named.element = scanner.dtype();
  scanner.expect("by");
  aggregate.monoid = read_monoid(scanner, functions);
  const std::vector<DType>& state = aggregate.monoid.state;
  scanner.expect(";");
  aggregate.lift = read_lambda(scanner, {named.element, DType::i64}, state.size(), functions);
  scanner.expect(";");
  aggregate.finalise = read_lambda(scanner, state, 1, functions)[0];
  if (scanner.accept(";")) {
    for (const char* word : {"not", "of", "nothing"}) {
      scanner.expect(word);
    }
    aggregate.defined_on_empty = false;
  }
  return named;
}

}  // namespace tessera::expr
