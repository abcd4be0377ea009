#pragma once

#include <optional>
#include <string>

#include "net/link.h"

namespace tessera::net {

/// An error that is the same for the whole run, whichever process finds it (data that a task cannot
/// compute with), as the reason of a failure: the message, what was being done, and its places.
std::string reason_of_run(const Error& error);

/// The error again on another process, with its kind and its places, so that it is reported as one
/// process reports it. Nothing if the failure is that of its process alone.
std::optional<Error> error_of_run(const Failure& failure);

}  // namespace tessera::net
