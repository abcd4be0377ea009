#include "engine/source.h"

namespace tessera::engine {

SourceText text_of(const Source& source) {
  if (const auto* equation = std::get_if<Equation>(&source)) {
    return {frontend::kEquationName, equation->text};
  }
  if (const auto* program = std::get_if<Program>(&source)) {
    return program->source;
  }
  return std::get<StageText>(source).source;
}

}  // namespace tessera::engine
