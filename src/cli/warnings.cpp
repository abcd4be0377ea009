#include "cli/warnings.h"

#include "cli/standard_streams.h"

namespace tessera::cli {

void say_warnings(const engine::Stages& stages) {
  if (stages.warnings && !stages.warnings->empty()) {
    write_message(stages.warnings->render());
  }
}

}  // namespace tessera::cli
