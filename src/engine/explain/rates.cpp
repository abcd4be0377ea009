#include "engine/explain/rates.h"

namespace tessera::engine {

std::string rates_text(const Machine& machine) {
  return machine.rates_measured.empty() ? "built-in rates"
                                        : "rates measured on " + machine.rates_measured;
}

}  // namespace tessera::engine
