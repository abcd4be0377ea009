#pragma once

#include <string>

#include "engine/session.h"

namespace tessera::plans {

/// Applies `NAME VALUE` to settings, by the names of the command line's options:
///   tile i=2,j=3 · planner exact · pieces 8 · sites 4 · workers 1 · memory 1MiB · kernel reference
///   rules-off fuse,merge_elementwise · only fuse (all other rules off) · reproducible
/// Errors: `user` for a name or value that is not known.
void apply_setting(engine::Settings& settings, const std::string& line);

/// Asks for a plan on so many sites; of several no memory budget is kept.
void set_sites(engine::Settings& settings, int64_t num_sites);

/// The names of all rules that can be switched off, the steps on relations among them.
std::vector<std::string> names_of_rules();

}  // namespace tessera::plans
