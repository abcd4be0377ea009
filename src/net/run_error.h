#pragma once

#include <optional>
#include <string>

#include "net/link.h"

namespace tessera::net {

/// Returns an error that concerns the whole run, whichever process finds it (data that a task
/// cannot compute with), as the reason of a failure: the message, the actions, and their places.
std::string reason_of_run(const Error& error);

/// Returns the error on another process, with its kind and its places, so that it is reported like
/// in one process. Nothing if the failure is only its process's own.
std::optional<Error> error_of_run(const Failure& failure);

}  // namespace tessera::net
