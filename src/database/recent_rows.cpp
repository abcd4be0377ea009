#include "database/recent_rows.h"

#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "database/column_type.h"
#include "io/block_sums.h"

namespace tessera::database {

namespace {

/// Makes the table and raises the format: older programs would miss its rows, so they may not open
/// a file that has it.
constexpr const char* kMakeRecentRows =
    "CREATE TABLE IF NOT EXISTS tessera_recent_rows(column INTEGER, first_row INTEGER, num_rows "
    "INTEGER, checksum INTEGER, bytes BLOB, PRIMARY KEY(column, first_row)) STRICT, WITHOUT ROWID; "
    "UPDATE tessera_settings SET value = 5 WHERE name = 'format' AND value < 5";

std::string_view bytes_of(const store::MemoryTensor& rows) {
  return {reinterpret_cast<const char*>(rows.view().data),
          static_cast<size_t>(size_in_bytes(rows.type()))};
}

int64_t checksum_of(std::string_view bytes) {
  return io::checksum_of(std::as_bytes(std::span(bytes)));
}

}  // namespace

bool RecentRows::has_table() const {
  return connection_.declared_type("tessera_recent_rows", "column").has_value();
}

std::optional<Segment> RecentRows::segment(int64_t column) const {
  if (!has_table()) {
    return std::nullopt;
  }
  Statement ends = connection_.prepare_once(
      "SELECT first_row, (SELECT first_row + num_rows FROM tessera_recent_rows WHERE column = ?1 "
      "ORDER BY first_row DESC LIMIT 1) FROM tessera_recent_rows WHERE column = ?1 "
      "ORDER BY first_row LIMIT 1");
  ends.bind(0, column);
  if (!ends.step()) {
    return std::nullopt;
  }
  return Segment{ends.integer(0), ends.integer(1) - ends.integer(0), 0};
}

void RecentRows::add(int64_t column, int64_t first_row, const store::MemoryTensor& rows) {
  if (!has_table()) {
    connection_.execute(kMakeRecentRows);
  }
  Statement added =
      connection_.prepare_once("INSERT INTO tessera_recent_rows VALUES (?, ?, ?, ?, ?)");
  const std::string_view bytes = bytes_of(rows);
  added.bind(0, column);
  added.bind(1, first_row);
  added.bind(2, rows.type().shape[0]);
  added.bind(3, checksum_of(bytes));
  added.bind_bytes(4, bytes);
  added.step();
}

std::shared_ptr<const store::MemoryTensor> RecentRows::read(int64_t column,
                                                            const ArrayType& element) const {
  const std::optional<Segment> all = segment(column);
  auto rows = std::make_shared<store::MemoryTensor>(rows_of(all ? all->num_rows : 0, element));
  if (!all) {
    return rows;
  }
  Statement found = connection_.prepare_once(
      "SELECT first_row, checksum, bytes FROM tessera_recent_rows WHERE column = ? ORDER BY "
      "first_row");
  found.bind(0, column);
  size_t place = 0;
  const size_t end = bytes_of(*rows).size();
  while (found.step()) {
    const std::string bytes = found.text(2);
    if (checksum_of(bytes) != found.integer(1) || bytes.size() > end - place) {
      throw_error(ErrorKind::resource,
                  "catalog.sqlite is damaged: rows of tensors from row {} on do not have the "
                  "checksum that it says",
                  found.integer(0));
    }
    std::memcpy(rows->view().data + place, bytes.data(), bytes.size());
    place += bytes.size();
  }
  if (place != end) {
    throw_error(ErrorKind::resource, "catalog.sqlite is damaged: it lacks {} bytes of tensors",
                end - place);
  }
  return rows;
}

void RecentRows::remove(int64_t column) {
  if (has_table()) {
    Statement removed =
        connection_.prepare_once("DELETE FROM tessera_recent_rows WHERE column = ?");
    removed.bind(0, column);
    removed.step();
  }
}

std::vector<int64_t> RecentRows::checksums(int64_t column) const {
  std::vector<int64_t> sums;
  if (has_table()) {
    Statement found = connection_.prepare_once(
        "SELECT checksum FROM tessera_recent_rows WHERE column = ? ORDER BY first_row");
    found.bind(0, column);
    while (found.step()) {
      sums.push_back(found.integer(0));
    }
  }
  return sums;
}

}  // namespace tessera::database
