#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/einsum/einsum.h"

namespace tessera::frontend {

/// The dtypes that give one result, and the result.
struct ResultOf {
  std::vector<DType> arguments;  // all arguments have one of these
  DType result = DType::f32;
};

/// A name that a program may call: a function, an aggregate, a macro of every program, or a call
/// that the language itself defines.
struct Callable {
  enum class Kind { function, aggregate, macro, language };

  std::string name;
  Kind kind = Kind::function;
  std::string group;                   // the heading it is listed under
  std::string call;                    // "exp(x)", "sum[i] x"
  std::string operation = {};          // the call as an operator: "x + y"; empty if there is none
  std::string summary = {};            // one line
  std::string numpy = {};              // numpy's name, or another library's in full; may be empty
  std::string example = {};            // a statement over X, Y, Z or Q, K, V
  std::vector<ResultOf> results = {};  // of functions and aggregates
  std::vector<DType> refused = {};     // dtypes without a meaning for it
  std::string fault = {};              // the fault that ends the run with an error; may be empty
  std::string of_nothing = {};         // of an aggregate: its value over no elements
  std::string definition = {};         // of a macro
};

/// Returns the word for a kind: "function", "aggregate", "macro", "language".
std::string_view name_of(Callable::Kind kind);

/// Returns all callables, by groups in the order they are listed in.
std::vector<Callable> all_callables(const Vocabulary& vocabulary);

/// Returns the callables of a name: `max` is an aggregate and a function. Errors: `user` if there
/// is none, with the name that was probably meant, or the cure for a name of another library.
std::vector<Callable> callables_named(const std::string& name, const Vocabulary& vocabulary);

}  // namespace tessera::frontend
