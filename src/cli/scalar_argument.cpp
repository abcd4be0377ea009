#include "cli/scalar_argument.h"

#include <filesystem>

#include "base/error.h"
#include "cli/options.h"

namespace tessera::cli {

std::optional<Literal> scalar_argument(const std::string& name, const std::string& spec,
                                       const frontend::DeclaredInput* header) {
  std::error_code ignored;
  const std::optional<Literal> number = parse_number(spec);
  if (!number || std::filesystem::exists(spec, ignored)) {
    return std::nullopt;
  }
  const size_t num_modes = header == nullptr ? 0 : header->extents.size();
  TESSERA_USER_CHECK(num_modes == 0,
                     "{0}={1}: {0} has {2} mode{3} and wants a file, {0}=FILE; a number is for an "
                     "input without modes, or for a parameter, -D NAME={1}",
                     name, spec, num_modes, num_modes == 1 ? "" : "s");
  return number;
}

const frontend::DeclaredInput* find_header(
    const std::map<std::string, frontend::DeclaredInput>& headers, const std::string& name) {
  const auto found = headers.find(name);
  return found == headers.end() ? nullptr : &found->second;
}

}  // namespace tessera::cli
