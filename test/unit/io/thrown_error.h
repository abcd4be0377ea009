#pragma once

#include "base/error.h"

namespace tessera {

/// The Error that `action` throws; an `internal` one that says so if it throws none.
template <class Action>
Error thrown_error(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return {ErrorKind::internal, "nothing was thrown"};
}

}  // namespace tessera
