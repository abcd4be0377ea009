#pragma once

#include <concepts>
#include <type_traits>

namespace tessera {

/// A visitor made of lambdas, one for each alternative of a variant. None takes `auto` alone, so
/// that the compiler names every visit that lacks a new alternative.
template <class... Cases>
struct Overload : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;

/// True if T is one of these: for a lambda of several alternatives, each of them named.
template <class T, class... Of>
concept Among = (std::same_as<std::remove_const_t<T>, Of> || ...);

/// True if T is Of, const or not: for lambdas that visit both.
template <class T, class Of>
concept SameBut = std::same_as<std::remove_const_t<T>, Of>;

}  // namespace tessera
