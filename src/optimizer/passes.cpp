#include "optimizer/passes.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/suggest.h"

namespace tessera::optimizer {

void check_names(const std::set<std::string>& disabled, std::vector<std::string> known) {
  std::sort(known.begin(), known.end());
  for (const std::string& name : disabled) {
    if (std::binary_search(known.begin(), known.end(), name)) {
      continue;
    }
    const std::string guess = did_you_mean(name, known);
    throw_error(ErrorKind::user, "there is no optimizer rule {}; {}the rules are {}", name,
                guess.empty() ? guess : guess + " ", fmt::join(known, ", "));
  }
}

}  // namespace tessera::optimizer
