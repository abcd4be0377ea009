#pragma once

#include <string>

namespace tessera {

/// What the caller of the library chooses and an error may ask to be chosen otherwise.
enum class Setting {
  memory,           // the bytes that a run may use
  spill_directory,  // where tiles go when memory is short
  parameter,        // of the program, as name=value
  input,            // of the program: where its data are
  stage             // what of a plan is shown
};

/// A change that would help. Messages name settings in plain words; a caller whose users know them
/// by names of their own (options, keyword arguments) says the change in those.
struct Remedy {
  Setting setting = Setting::memory;
  std::string value;  // what to set it to, or for an input its name; empty: another one than now
};

/// Writes a remedy in the caller's words: "memory=1088".
using RemedyWords = std::string (*)(const Remedy&);

}  // namespace tessera
