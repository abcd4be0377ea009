#include "sql/inlined_tables.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/sql/rewrite.h"
#include "sql/partial_functions.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

/// True if an item of FROM reads a table of WITH by its name.
bool reads_by_name(const FromItem& item, const std::string& table) {
  const auto* const read = std::get_if<TableReference>(&item.of);
  return read != nullptr && read->version.empty() && read->table.text == table;
}

int64_t num_reads(const SelectPtr& query, const std::set<std::string>& tables) {
  int64_t count = 0;
  for_each_table(query, [&](const TableReference& read, SourceSpan) {
    count += read.version.empty() && tables.count(read.table.text) != 0 ? 1 : 0;
  });
  return count;
}

/// The table as a query in FROM, with the names that WITH and FROM give its columns.
FromItemPtr in_place(const FromItem& item, const CommonTable& table) {
  FromItem other = item;
  other.of = QueryReference{table.query, false};
  if (!other.alias) {
    other.alias = table.name;
  }
  other.column_aliases = table.columns;
  for (size_t place = 0; place < item.column_aliases.size(); ++place) {
    if (place == other.column_aliases.size()) {
      other.column_aliases.emplace_back();
    }
    other.column_aliases[place] = item.column_aliases[place];
  }
  return std::make_shared<const FromItem>(std::move(other));
}

}  // namespace

SelectPtr with_inlined_tables(const SelectPtr& query) {
  if (query->is_recursive || !query->where) {
    return query;
  }
  Select other = *query;
  std::set<std::string> later;  // tables of WITH that may be defined only behind this one
  for (size_t place = query->with.size(); place-- > 0;) {
    const CommonTable& table = query->with[place];
    later.insert(table.name.text);
    const auto item = std::find_if(other.from.begin(), other.from.end(), [&](const auto& one) {
      return reads_by_name(*one, table.name.text);
    });
    const bool is_read_once =
        item != other.from.end() &&
        num_reads(std::make_shared<const Select>(other), {table.name.text}) == 1;
    if (is_read_once && may_fail(table.query) && num_reads(table.query, later) == 0) {
      *item = in_place(**item, table);
      other.with.erase(other.with.begin() + static_cast<std::ptrdiff_t>(place));
    }
  }
  return other.with.size() == query->with.size() ? query
                                                 : std::make_shared<const Select>(std::move(other));
}

}  // namespace tessera::sql
