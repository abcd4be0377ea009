#include "frontend/einsum/program/origin.h"

namespace tessera::frontend {

Origin origin_of(const SourcePlaces& places, const std::string& statement, SourceSpan span) {
  const SourcePosition position = places.position_of(span.begin);
  return {statement, places.source().name, position.line, position.column,
          num_characters(places.source(), span)};
}

}  // namespace tessera::frontend
