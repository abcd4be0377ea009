#pragma once

#include "expr/text/scanner.h"
#include "types/shape.h"
#include "types/tile_type.h"

namespace tessera::plan {

/// An interval, written "0:64".
struct Interval {
  int64_t begin = 0;
  int64_t length = 0;
};

/// Reads an interval. Errors, as for all functions here: `user` with line, column and caret.
Interval read_interval(expr::Scanner& scanner);

/// Reads a list between brackets.
template <class Read>
void read_list(expr::Scanner& scanner, const char* open, const char* separator, const char* close,
               Read read) {
  scanner.expect(open);
  for (bool first = true; !scanner.accept(close); first = false) {
    if (!first) {
      scanner.expect(separator);
    }
    read();
  }
}

/// Reads a box, "[0:64,0:8]", with that separator.
Box read_box(expr::Scanner& scanner, const char* separator);

/// Reads "f32[0:64,0:8]", or rows of several columns.
TileType read_tile_type(expr::Scanner& scanner);

}  // namespace tessera::plan
