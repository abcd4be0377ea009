#pragma once

#include "expr/text/scanner.h"
#include "types/shape.h"
#include "types/tile_type.h"

namespace tessera::plan {

/// "0:64".
struct Interval {
  int64_t begin = 0;
  int64_t length = 0;
};

/// Errors, as all here: `user` with line, column and caret.
Interval read_interval(expr::Scanner& scanner);

/// Things between brackets.
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

/// "[0:64,0:8]", with that separator.
Box read_box(expr::Scanner& scanner, const char* separator);

/// "f32[0:64,0:8]", or rows of several columns.
TileType read_tile_type(expr::Scanner& scanner);

}  // namespace tessera::plan
