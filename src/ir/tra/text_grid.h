#pragma once

#include <string>

#include "expr/text/scanner.h"
#include "types/grid.h"

namespace tessera::tra {

/// Formats a grid: "2x64", "100/64", "[0,10,100]".
std::string grid_text(const ModeGrid& grid);
ModeGrid read_grid(expr::Scanner& scanner);

/// Formats windows: "windows[0:10,8:18]"; they are read from behind the word.
std::string windows_text(const WindowGrid& grid);
WindowGrid read_windows(expr::Scanner& scanner);

}  // namespace tessera::tra
