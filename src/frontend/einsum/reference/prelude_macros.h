#pragma once

#include <string>
#include <vector>

namespace tessera::frontend {

/// A macro that every program has, as described in prelude.ein.
struct PreludeMacro {
  std::string name;
  std::string call;        // "layer_norm[j](x, epsilon)"
  std::string definition;  // all of it, on one line
  std::string summary;
  std::string numpy;
  std::string example;
};

/// Returns all of them, in the order of the prelude. Errors: `internal` for one without its three
/// lines.
std::vector<PreludeMacro> prelude_macros();

}  // namespace tessera::frontend
