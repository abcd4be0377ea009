#pragma once

#include <memory>
#include <optional>

#include "base/error.h"
#include "net/delays.h"
#include "net/launcher.h"
#include "net/link.h"

namespace tessera::net {

/// What the library that knows MPI gives: a link, or why there is none. Neither is there where the
/// process turns out to be the only one.
struct JoinAnswer {
  std::unique_ptr<Link> link;
  std::optional<Error> error;
};

/// The name by which the program finds it in the library.
using JoinFunction = void (*)(const Launcher& launcher, const DelaySettings& delays,
                              JoinAnswer& answer);
inline constexpr const char* kJoinFunctionName = "tessera_join";

}  // namespace tessera::net
