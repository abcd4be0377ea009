#include "expr/scalar.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <iterator>
#include <type_traits>

namespace tessera::expr {

namespace {

/// Moves the positions of a node's arguments through `where`.
Node with_arguments(Node node, const std::vector<int32_t>& where) {
  if (auto* call = std::get_if<Call>(&node.op)) {
    for (int32_t& argument : call->arguments) {
      argument = where[static_cast<size_t>(argument)];
    }
  } else if (auto* cast = std::get_if<Cast>(&node.op)) {
    cast->argument = where[static_cast<size_t>(cast->argument)];
  }
  return node;
}

std::vector<int32_t> arguments_of(const Node& node) {
  if (const auto* call = std::get_if<Call>(&node.op)) {
    return call->arguments;
  }
  if (const auto* cast = std::get_if<Cast>(&node.op)) {
    return {cast->argument};
  }
  return {};
}

bool same_bits(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::isnan(a) && std::isnan(b)
                                        : a == b && std::signbit(a) == std::signbit(b);
}

bool same_bits(std::complex<double> a, std::complex<double> b) {
  return same_bits(a.real(), b.real()) && same_bits(a.imag(), b.imag());
}

template <class T>
bool same_bits(T a, T b) {
  return a == b;
}

}  // namespace

bool operator==(const Constant& a, const Constant& b) {
  return std::visit(
      [](auto left, auto right) {
        if constexpr (std::is_same_v<decltype(left), decltype(right)>) {
          return same_bits(left, right);
        } else {
          return false;
        }
      },
      a.value, b.value);
}

AffineIndex plain(LabelNumber label) {
  return {{{label, 1}}, 0};
}

bool is_plain(const AffineIndex& index) {
  return index.terms.size() == 1 && index.terms[0].coefficient == 1 && index.offset == 0;
}

int32_t ScalarBuilder::add(Node node) {
  const auto same = std::find(nodes_.begin(), nodes_.end(), node);
  if (same != nodes_.end()) {
    return static_cast<int32_t>(same - nodes_.begin());
  }
  nodes_.push_back(std::move(node));
  return static_cast<int32_t>(nodes_.size()) - 1;
}

int32_t ScalarBuilder::cast(int32_t node, DType dtype) {
  return dtype_of(node) == dtype ? node : add({Cast{node}, dtype});
}

int32_t ScalarBuilder::inline_scalar(const Scalar& scalar, const std::vector<int32_t>& arguments) {
  std::vector<int32_t> where;
  for (const Node& node : scalar.nodes) {
    const auto* parameter = std::get_if<Parameter>(&node.op);
    where.push_back(parameter != nullptr ? arguments[static_cast<size_t>(parameter->position)]
                                         : add(with_arguments(node, where)));
  }
  return where.back();
}

Scalar ScalarBuilder::finish(int32_t root) const {
  std::vector<int32_t> where(nodes_.size(), -1);
  Scalar scalar;
  std::vector<int32_t> pending = {
      root};  // a stack of our own: an expression may be deeper than the machine's
  while (!pending.empty()) {
    const size_t number = static_cast<size_t>(pending.back());
    const std::vector<int32_t> arguments = arguments_of(nodes_[number]);
    const size_t before = pending.size();
    std::copy_if(arguments.rbegin(), arguments.rend(), std::back_inserter(pending),
                 [&](int32_t argument) { return where[static_cast<size_t>(argument)] < 0; });
    if (pending.size() > before) {
      continue;
    }
    pending.pop_back();
    if (where[number] < 0) {
      where[number] = static_cast<int32_t>(scalar.nodes.size());
      scalar.nodes.push_back(with_arguments(nodes_[number], where));
    }
  }
  return scalar;
}

Scalar scalar_of(Access access, DType dtype) {
  return {{Node{std::move(access), dtype}}};
}

std::vector<const Access*> accesses_of(const Scalar& scalar) {
  std::vector<const Access*> accesses;
  for (const Node& node : scalar.nodes) {
    if (const auto* access = std::get_if<Access>(&node.op)) {
      accesses.push_back(access);
    }
  }
  return accesses;
}

bool mentions_label(const Scalar& scalar, LabelNumber label) {
  const auto reads = [&](const AffineIndex& index) {
    return std::any_of(index.terms.begin(), index.terms.end(),
                       [&](const auto& term) { return term.label == label; });
  };
  return std::any_of(scalar.nodes.begin(), scalar.nodes.end(), [&](const Node& node) {
    if (const auto* access = std::get_if<Access>(&node.op)) {
      return std::any_of(access->index.begin(), access->index.end(), reads);
    }
    const auto* index_of = std::get_if<IndexOf>(&node.op);
    return index_of != nullptr && index_of->label == label;
  });
}

}  // namespace tessera::expr
