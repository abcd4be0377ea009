#pragma once

#include <string>

#include "base/source_places.h"
#include "types/origin.h"

namespace tessera::frontend {

/// Returns the origin of a vertex: a statement and a place in the program's text.
Origin origin_of(const SourcePlaces& places, const std::string& statement, SourceSpan span);

}  // namespace tessera::frontend
