#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/diagnostic.h"
#include "frontend/einsum/einsum.h"

namespace tessera::engine {

/// An equation of numpy's einsum, over operands that are named for messages.
struct Equation {
  std::string text;
  std::vector<std::string> operands;
  frontend::EquationOptions options;
};

/// A program in the language of `.ein` files.
struct Program {
  SourceText source;
};

/// The text of a stage (`tra`, `ia`, `tasks`, `einsum`), in the form printed by explain: planning
/// goes on from there.
struct StageText {
  SourceText source;
};

/// A program to be planned. One that is bound already has no text.
using Source = std::variant<Equation, Program, StageText, frontend::BoundProgram>;

/// Loads a file as the source it holds: a stage's text if it starts with a stage's word, else a
/// program. Errors: `user` if there is none; `resource` if it cannot be read.
Source load_source(const std::string& path);

/// Returns the text of a source under the name that errors show for it.
SourceText text_of(const Source& source);

}  // namespace tessera::engine
