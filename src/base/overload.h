#pragma once

#include <concepts>
#include <type_traits>

namespace tessera {

/// A visitor made of lambdas, one for each alternative of a variant. None takes `auto` alone: then
/// the compiler names every visit that a new alternative is missing in.
template <class... Cases>
struct Overload : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;

/// T is one of these: for a lambda that is of several alternatives, each of them named.
template <class T, class... Of>
concept Among = (std::same_as<std::remove_const_t<T>, Of> || ...);

/// T, const or not: for lambdas that visit both.
template <class T, class Of>
concept SameBut = std::same_as<std::remove_const_t<T>, Of>;

}  // namespace tessera
