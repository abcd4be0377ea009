#include "cli/options.h"
#include "cli/standard_streams.h"
#include "engine/explain/functions.h"

namespace tessera::cli {

void run_functions(const FunctionsOptions& options) {
  write_output(options.json ? engine::functions_json(options.name)
                            : engine::functions_text(options.name));
}

}  // namespace tessera::cli
