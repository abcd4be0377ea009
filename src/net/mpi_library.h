#pragma once

#include <memory>
#include <optional>

#include "base/error.h"
#include "net/delays.h"
#include "net/launcher.h"
#include "net/link.h"

namespace tessera::net {

/// The answer of the library that knows MPI: a link, or why there is none. Both are empty if the
/// process turns out to be the only one.
struct JoinAnswer {
  std::unique_ptr<Link> link;
  std::optional<Error> error;
};

/// The function of the library, and its name.
using JoinFunction = void (*)(const Launcher& launcher, const DelaySettings& delays,
                              JoinAnswer& answer);
inline constexpr const char* kJoinFunctionName = "tessera_join";

}  // namespace tessera::net
