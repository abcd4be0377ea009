#include "plan/text_box.h"

#include <utility>

#include "ir/tra/text_relation.h"

namespace tessera::plan {

using expr::Scanner;

Interval read_interval(Scanner& scanner) {
  const int64_t at = scanner.position();
  Interval interval{scanner.integer(), 0};
  scanner.expect(":");
  const int64_t end = scanner.integer();
  if (interval.begin < 0 || end < interval.begin) {
    scanner.fail(scanner.since(at), "an interval runs from its begin, at least 0, to its end");
  }
  interval.length = end - interval.begin;
  return interval;
}

Box read_box(Scanner& scanner, const char* separator) {
  Box box;
  read_list(scanner, "[", separator, "]", [&] {
    const Interval interval = read_interval(scanner);
    box.origin.push_back(interval.begin);
    box.extent.push_back(interval.length);
  });
  return box;
}

TileType read_tile_type(Scanner& scanner) {
  if (!scanner.accept_word("rows")) {
    const DType dtype = scanner.dtype();
    return DenseTile{dtype, read_box(scanner, ",")};
  }
  RowTile tile;
  tile.rows = tra::read_row_count(scanner);
  read_list(scanner, "(", ",", ")", [&] {
    ArrayType column{scanner.dtype(), {}};
    read_list(scanner, "[", ",", "]", [&] { column.shape.push_back(scanner.integer()); });
    tile.columns.push_back(std::move(column));
  });
  return tile;
}

}  // namespace tessera::plan
