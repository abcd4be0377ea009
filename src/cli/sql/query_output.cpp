#include "cli/sql/query_output.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/overload.h"
#include "cli/print_tensor.h"
#include "cli/sql/aligned_table.h"
#include "cli/standard_streams.h"
#include "sql/scalar_value.h"
#include "sql/value_text.h"
#include "store/edge_tensor.h"

namespace tessera::cli {

namespace {

/// Formats a tensor for a table, its rows below each other.
std::string shown_tensor(const store::MemoryTensor& tensor) {
  store::EdgeTensor edges(tensor.type(), shown_edge(tensor.type().shape));
  edges.write(tensor.view());
  return tensor_text(edges);
}

Cell cell_of(const sql::ResultRows& rows, size_t column) {
  if (rows.is_null(column)) {
    return Cell::of("");
  }
  if (rows.columns()[column].tensor) {
    return Cell::of(shown_tensor(rows.tensor(column)));
  }
  const database::Value value = rows.value(column);
  return Cell::of(sql::value_text(value), !std::holds_alternative<std::string>(value));
}

AlignedTable table_of(sql::ResultRows rows) {
  AlignedTable table;
  for (const sql::ResultColumn& column : rows.columns()) {
    table.heads.push_back(column.name);
  }
  while (rows.next()) {
    std::vector<Cell>& row = table.rows.emplace_back();
    for (size_t column = 0; column < table.heads.size(); ++column) {
      row.push_back(cell_of(rows, column));
    }
  }
  return table;
}

void write_aligned(sql::ResultRows rows) {
  const AlignedTable table = table_of(std::move(rows));
  write_output(fmt::format("{}({} row{})\n\n", aligned_text(table), table.rows.size(),
                           table.rows.size() == 1 ? "" : "s"));
}

void write_expanded(sql::ResultRows rows) {
  const AlignedTable table = table_of(std::move(rows));
  write_output(table.rows.empty() ? "(0 rows)\n\n" : expanded_text(table) + "\n");
}

void write_csv(sql::ResultRows rows) {
  std::string text;
  for (size_t column = 0; column < rows.columns().size(); ++column) {
    text += (column == 0 ? "" : ",") + sql::csv_field(rows.columns()[column].name, ',');
  }
  text += "\n";
  while (rows.next()) {
    for (size_t column = 0; column < rows.columns().size(); ++column) {
      text += column == 0 ? "" : ",";
      if (!rows.is_null(column)) {
        text += rows.columns()[column].tensor
                    ? sql::csv_field(sql::array_text(rows.tensor(column).view()), ',')
                    : sql::csv_field(sql::value_text(rows.value(column)), ',');
      }
    }
    text += "\n";
  }
  write_output(text);
}

nlohmann::ordered_json json_of(const database::Value& value) {
  return std::visit(Overload{[](std::monostate) { return nlohmann::ordered_json(); },
                             [](const auto& known) { return nlohmann::ordered_json(known); }},
                    value);
}

nlohmann::ordered_json json_of(const TileView& tensor, size_t mode, int64_t& position) {
  if (mode == tensor.shape.size()) {
    if (tensor.dtype == DType::u64) {  // SQLite's numbers do not hold these
      return tensor.as<uint64_t>()[position++];
    }
    return json_of(sql::scalar_value(tensor, position++));
  }
  nlohmann::ordered_json elements = nlohmann::ordered_json::array();
  for (int64_t number = 0; number < tensor.shape[mode]; ++number) {
    elements.push_back(json_of(tensor, mode + 1, position));
  }
  return elements;
}

void write_json(sql::ResultRows rows) {
  nlohmann::ordered_json table = nlohmann::ordered_json::array();
  while (rows.next()) {
    nlohmann::ordered_json row = nlohmann::ordered_json::object();
    for (size_t column = 0; column < rows.columns().size(); ++column) {
      const sql::ResultColumn& head = rows.columns()[column];
      if (rows.is_null(column)) {
        row[head.key] = nullptr;
      } else if (head.tensor) {
        int64_t position = 0;
        row[head.key] = json_of(rows.tensor(column).view(), 0, position);
      } else {
        const database::Value value = rows.value(column);
        const auto* const number = std::get_if<double>(&value);
        // JSON has no NaN, and null is another value here.
        row[head.key] = number != nullptr && std::isnan(*number) ? "NaN" : json_of(value);
      }
    }
    table.push_back(std::move(row));
  }
  write_output(table.dump() + "\n");
}

}  // namespace

void write_result(sql::StatementResult result, OutputFormat format, bool quiet) {
  if (!result.rows) {
    write_output(result.text);
    if (!quiet && !result.tag.empty()) {
      write_message(result.tag);
    }
    return;
  }
  switch (format) {
    case OutputFormat::aligned:
      write_aligned(std::move(*result.rows));
      return;
    case OutputFormat::expanded:
      write_expanded(std::move(*result.rows));
      return;
    case OutputFormat::csv:
      write_csv(std::move(*result.rows));
      return;
    case OutputFormat::json:
      write_json(std::move(*result.rows));
      return;
  }
}

}  // namespace tessera::cli
