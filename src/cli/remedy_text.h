#pragma once

#include <string>

#include "base/remedy.h"

namespace tessera::cli {

/// Returns a remedy as an option of the command line: "--memory 1088".
std::string remedy_text(const Remedy& remedy);

}  // namespace tessera::cli
