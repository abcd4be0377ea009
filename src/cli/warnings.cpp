#include "cli/warnings.h"

#include <optional>
#include <string>

#include "cli/standard_streams.h"
#include "engine/explain/precision.h"

namespace tessera::cli {

void say_warnings(const engine::Stages& stages) {
  if (stages.warnings && !stages.warnings->empty()) {
    write_message(stages.warnings->render());
  }
}

void say_precision(const engine::Session& session) {
  if (const std::optional<std::string> note = engine::precision_note(session)) {
    write_message("tessera: note: " + *note);
  }
}

}  // namespace tessera::cli
