#include "engine/setup/reach.h"

namespace tessera::engine {

io::Reach reach_of(const net::Link& link) {
  for (int32_t process = 1; process < link.num_processes(); ++process) {
    if (link.host(process) != link.host(0)) {
      return io::Reach::network;
    }
  }
  return io::Reach::host;
}

}  // namespace tessera::engine
