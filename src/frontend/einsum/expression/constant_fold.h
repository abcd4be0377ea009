#pragma once

#include <span>
#include <utility>

#include "base/error.h"
#include "expr/function_code.h"
#include "types/literal.h"

namespace tessera::frontend {

/// The code that evaluates a function of expr/functions/ once, at bind time.
struct ConstantFold {
  const char* name;
  /// `computed` is the dtype of the last argument. Throws a user Error if the arguments fault.
  Literal (*fold)(DType computed, std::span<const Literal> arguments);
};

/// Returns every function of expr/functions/; the list is generated from the folder.
std::span<const ConstantFold> constant_folds();

template <class T, class Signatures>
inline constexpr bool kIsComputedIn = false;
template <class T, template <class> class Kind, class... In>
inline constexpr bool kIsComputedIn<T, Kind<expr::TESSERA_ISA::Types<In...>>> =
    (std::is_same_v<T, In> || ...);

/// The type of one argument. A choice takes a bool first; every other function takes one type only.
template <class T, class Signatures, size_t kPosition>
struct FoldArgument {
  using type = T;
};
template <class T, class List>
struct FoldArgument<T, expr::TESSERA_ISA::Choice<List>, 0> {
  using type = bool;
};

/// The type of a draw's first argument: its bits.
template <class T, class List>
struct FoldArgument<T, expr::TESSERA_ISA::Draw<List>, 0> {
  using type = int64_t;
};

template <class T>
Literal to_literal(T value) {
  constexpr bool kIsItself =
      std::is_same_v<T, int64_t> || std::is_same_v<T, uint64_t> || std::is_same_v<T, bool>;
  if constexpr (std::is_integral_v<T> && !kIsItself) {
    return static_cast<int64_t>(value);
  } else {
    return value;
  }
}

template <class F, class... Arguments>
Literal fold_values(Arguments... arguments) {
  if constexpr (requires { F::faults(arguments...); }) {
    constexpr bool kIsDraw = F::kFault == expr::TESSERA_ISA::Fault::no_distribution;
    TESSERA_USER_CHECK(!F::faults(arguments...), "{} of these {}", F::kName,
                       kIsDraw ? "parameters has no distribution" : "integers divides by zero");
  }
  return to_literal(F::apply(arguments...));
}

template <class F, class T, size_t... kPositions>
Literal fold_in(std::span<const Literal> arguments, std::index_sequence<kPositions...>) {
  if constexpr (kIsComputedIn<T, typename F::Computed>) {
    using Signatures = typename F::Computed;
    return fold_values<F>(literal_as<typename FoldArgument<T, Signatures, kPositions>::type>(
        arguments[kPositions])...);
  } else {
    throw_error(ErrorKind::user, "{} is not defined for these numbers", F::kName);
  }
}

template <class F>
Literal fold_function(DType computed, std::span<const Literal> arguments) {
  using Positions = std::make_index_sequence<static_cast<size_t>(F::kArity)>;
  switch (computed) {
    case DType::b1:
      return fold_in<F, bool>(arguments, Positions{});
    case DType::i64:
      return fold_in<F, int64_t>(arguments, Positions{});
    case DType::u64:
      return fold_in<F, uint64_t>(arguments, Positions{});
    case DType::c128:
      return fold_in<F, std::complex<double>>(arguments, Positions{});
    default:
      return fold_in<F, double>(arguments, Positions{});
  }
}

}  // namespace tessera::frontend
