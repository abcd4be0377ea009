#include "cli/remedy_text.h"

#include <fmt/core.h>

namespace tessera::cli {

std::string remedy_text(const Remedy& remedy) {
  switch (remedy.setting) {
    case Setting::memory:
      return remedy.value.empty() ? "give it more --memory" : "--memory " + remedy.value;
    case Setting::spill_directory:
      return "--spill-dir DIR names another directory";
    case Setting::parameter:
      return "-D " + remedy.value;
    case Setting::input:
      return fmt::format("give it as {}=FILE", remedy.value);
    case Setting::stage:
      return "--stage " + remedy.value;
  }
  return "";
}

}  // namespace tessera::cli
