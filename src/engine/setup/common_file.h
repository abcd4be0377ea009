#pragma once

#include "io/shared_sink.h"
#include "net/link.h"

namespace tessera::engine {

/// Where the processes of a run are that write a file together.
io::Reach reach_of(const net::Link& link);

}  // namespace tessera::engine
