#include "engine/verified.h"

#include <fmt/ranges.h>

#include "base/error.h"

namespace tessera::engine {

void check_sound(const std::vector<std::string>& problems, const std::string& arrow) {
  if (!problems.empty()) {
    throw_error(ErrorKind::internal, "what {} made does not hold together:\n  {}", arrow,
                fmt::join(problems, "\n  "));
  }
}

std::function<void(const std::string& rule, const einsum::Graph& made)> verifier_of_rules(
    const Session& session) {
  if (!session.settings().verify) {
    return {};
  }
  return [&session](const std::string& rule, const einsum::Graph& made) {
    check_sound(verify(made, session.functions()), "rule " + rule);
  };
}

}  // namespace tessera::engine
