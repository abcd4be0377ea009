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

/// What a program may call: a function, an aggregate, a macro of every program, or a call that the
/// language itself knows.
struct Callable {
  enum class Kind { function, aggregate, macro, language };

  std::string name;
  Kind kind = Kind::function;
  std::string group;           // the heading it is listed under
  std::string call;            // "exp(x)", "sum[i] x"
  std::string operation = {};  // the same as an operator: "x + y"; empty where there is none
  std::string summary = {};    // one line
  std::string numpy = {};      // numpy's name, or another library's in full; may be empty
  std::string example = {};    // a statement over X, Y, Z or Q, K, V
  std::vector<ResultOf> results = {};  // of functions and aggregates
  std::vector<DType> refused = {};     // dtypes that it has no meaning for
  std::string fault = {};              // what ends the run with an error; may be empty
  std::string of_nothing = {};         // of an aggregate: its value of no elements
  std::string definition = {};         // of a macro
};

/// The word for a kind: "function", "aggregate", "macro", "language".
std::string_view name_of(Callable::Kind kind);

/// Everything a program may call, by groups in the order they are listed in.
std::vector<Callable> all_callables(const Vocabulary& vocabulary);

/// Those of a name: `max` is an aggregate and a function. Errors: `user` where there is none, with
/// the name that was meant, or what is written for a name of another library.
std::vector<Callable> callables_named(const std::string& name, const Vocabulary& vocabulary);

}  // namespace tessera::frontend
