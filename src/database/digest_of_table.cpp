#include <bit>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/overload.h"
#include "database/database.h"

namespace tessera::database {

namespace {

void add(Digest& digest, const Value& value) {
  digest.add(static_cast<int64_t>(value.index()));
  std::visit(Overload{[](std::monostate) {}, [&](int64_t number) { digest.add(number); },
                      [&](double number) { digest.add(std::bit_cast<int64_t>(number)); },
                      [&](const std::string& text) { digest.add(text); }},
             value);
}

}  // namespace

std::string Database::digest_of(const Table& table) {
  Digest digest;
  digest.add(table.name);
  for (const Column& column : table.columns) {
    digest.add(column.name);
    digest.add(to_string(column.type));
    const TensorType* const tensor = tensor_of(column.type);
    const std::optional<ArrayType> element =
        tensor == nullptr ? std::nullopt : element_type(*tensor);
    for (const Segment& segment : element ? catalog_.segments(column.id) : std::vector<Segment>()) {
      digest.add(segment.num_rows);
      ArrayType type{element->dtype, {segment.num_rows}};
      type.shape.insert(type.shape.end(), element->shape.begin(), element->shape.end());
      digest.add(io::checksums_in(file_of(segment.file, type)));
    }
    for (const int64_t checksum : catalog_.recent_rows().checksums(column.id)) {
      digest.add(checksum);
    }
  }
  Statement rows =
      connection_.prepare(fmt::format("SELECT * FROM {} ORDER BY rowid", quoted_name(table.name)));
  const int64_t num_columns = rows.num_columns();
  while (rows.step()) {
    for (int64_t column = 0; column < num_columns; ++column) {
      add(digest, rows.value(column));
    }
  }
  return digest.text();
}

}  // namespace tessera::database
