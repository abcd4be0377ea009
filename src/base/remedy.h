#pragma once

#include <string>

namespace tessera {

/// A choice of the library's caller that an error may ask to change.
enum class Setting {
  memory,           // the bytes that a run may use
  spill_directory,  // directory for tiles when memory is short
  parameter,        // of the program, as name=value
  input,            // of the program: the place of its data
  stage             // the stage of a plan that is shown
};

/// A change that would help. Messages name settings in plain words; a caller whose users know them
/// by other names (options, keyword arguments) restates the change in those.
struct Remedy {
  Setting setting = Setting::memory;
  std::string value;  // the value to set, or an input's name; empty: any other value
};

/// Writes a remedy in the caller's words: "memory=1088".
using RemedyWords = std::string (*)(const Remedy&);

}  // namespace tessera
