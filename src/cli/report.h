#pragma once

#include "base/error.h"

namespace tessera::cli {

/// Says on stderr what went wrong; findings about a source text say where and of what kind they are
/// themselves.
void report(const Error& error);

}  // namespace tessera::cli
