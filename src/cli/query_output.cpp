#include "cli/query_output.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/overload.h"
#include "base/utf8.h"
#include "cli/print_tensor.h"
#include "cli/standard_streams.h"
#include "sql/scalar_value.h"
#include "sql/value_text.h"
#include "store/edge_tensor.h"

namespace tessera::cli {

namespace {

/// A tensor as it is shown in a table, its rows below each other.
std::string shown_tensor(const store::MemoryTensor& tensor) {
  store::EdgeTensor edges(tensor.type(), shown_edge(tensor.type().shape));
  edges.write(tensor.view());
  return tensor_text(edges);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char character : text) {
    if (character == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += character;
    }
  }
  return lines;
}

struct Cell {
  std::vector<std::string> lines;
  bool is_number = false;
};

Cell cell_of(const sql::ResultRows& rows, size_t column) {
  if (rows.is_null(column)) {
    return {{""}, false};
  }
  if (rows.columns()[column].tensor) {
    return {lines_of(shown_tensor(rows.tensor(column))), false};
  }
  const database::Value value = rows.value(column);
  return {lines_of(sql::value_text(value)), !std::holds_alternative<std::string>(value)};
}

size_t width_of(const std::string& line) {
  int width = 0;
  for (size_t at = 0; at < line.size(); at += std::max<size_t>(1, length_of_character(line, at))) {
    width += num_cells(line, at);
  }
  return static_cast<size_t>(width);
}

std::string padded(const std::string& line, size_t width, bool to_the_right) {
  const std::string blanks(width - width_of(line), ' ');
  return to_the_right ? blanks + line : line + blanks;
}

void write_aligned(sql::ResultRows rows) {
  const size_t num_columns = rows.columns().size();
  std::vector<size_t> widths;
  for (const sql::ResultColumn& column : rows.columns()) {
    widths.push_back(width_of(column.name));
  }
  std::vector<std::vector<Cell>> table;
  while (rows.next()) {
    std::vector<Cell>& row = table.emplace_back();
    for (size_t column = 0; column < num_columns; ++column) {
      row.push_back(cell_of(rows, column));
      for (const std::string& line : row.back().lines) {
        widths[column] = std::max(widths[column], width_of(line));
      }
    }
  }
  std::string text;
  for (size_t column = 0; column < num_columns; ++column) {
    const std::string& name = rows.columns()[column].name;
    const size_t left = (widths[column] - width_of(name)) / 2;
    text += (column == 0 ? " " : "| ") +
            padded(std::string(left, ' ') + name, widths[column], false) + " ";
  }
  text.erase(text.find_last_not_of(' ') + 1);
  text += "\n";
  for (size_t column = 0; column < num_columns; ++column) {
    text += (column == 0 ? "" : "+") + std::string(widths[column] + 2, '-');
  }
  text += "\n";
  for (const std::vector<Cell>& row : table) {
    size_t num_lines = 1;
    for (const Cell& cell : row) {
      num_lines = std::max(num_lines, cell.lines.size());
    }
    for (size_t line = 0; line < num_lines; ++line) {
      std::string shown;
      for (size_t column = 0; column < num_columns; ++column) {
        const Cell& cell = row[column];
        shown += (column == 0 ? " " : "| ") +
                 padded(line < cell.lines.size() ? cell.lines[line] : "", widths[column],
                        cell.is_number) +
                 " ";
      }
      shown.erase(shown.find_last_not_of(' ') + 1);
      text += shown + "\n";
    }
  }
  text += fmt::format("({} row{})\n\n", table.size(), table.size() == 1 ? "" : "s");
  write_output(text);
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
        row[head.key] = json_of(rows.value(column));
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
    case OutputFormat::csv:
      write_csv(std::move(*result.rows));
      return;
    case OutputFormat::json:
      write_json(std::move(*result.rows));
      return;
  }
}

}  // namespace tessera::cli
