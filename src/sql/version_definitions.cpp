#include "sql/version_definitions.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/overload.h"
#include "database/sql_error.h"
#include "frontend/sql/parse.h"
#include "frontend/sql/rewrite.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

using Indices = std::vector<DefinedIndex>;

/// Numbers at which ranges may begin or end, and their neighbours.
std::set<int64_t> numbers_near(const Indices& indices) {
  std::set<int64_t> numbers{0, 1, 2};
  const auto add = [&](const ExpressionPtr& part) {
    const auto* const number = std::get_if<NumberLiteral>(&part->of);
    if (number != nullptr && number->is_integer) {
      const int64_t value = index_value(*part, {});
      numbers.insert({value - 1, value, value + 1});
    }
    return true;
  };
  for (const DefinedIndex& index : indices) {
    for (const ExpressionPtr& bound : {index.low, index.high}) {
      if (bound) {
        for_each(bound, add);
      }
    }
  }
  return numbers;
}

/// Extends a key that both cover so far, index by index.
bool find_common(const Indices& one, const Indices& other, const std::set<int64_t>& numbers,
                 VersionKey& key) {
  if (key.size() == one.size()) {
    return true;
  }
  const auto begin_of = [&](const Indices& all) {
    return Indices(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(key.size()));
  };
  for (const int64_t number : numbers) {
    key.push_back(number);
    if (match(begin_of(one), key) && match(begin_of(other), key) &&
        find_common(one, other, numbers, key)) {
      return true;
    }
    key.pop_back();
  }
  return false;
}

/// The columns that names without a table may mean in one query of a definition.
class HiddenColumns {
 public:
  HiddenColumns(const DefineVersions& made, const std::vector<DefineVersions>& others,
                const database::Catalog& catalog)
      : made_(made), others_(others), catalog_(catalog) {}

  void check(const SelectPtr& query) {
    for (const FromItemPtr& item : query->from) {
      check(query, *item);
    }
    rewrite(query, {{},
                    [&](const SelectPtr& inner) {
                      check(inner);
                      return inner;
                    },
                    {}});
  }

 private:
  void check(const SelectPtr& query, const FromItem& item) {
    std::visit(Overload{[&](const TableReference& table) {
                          check(query, table.table.text,
                                item.column_aliases.empty() ? columns_of(table)
                                                            : names_of(item.column_aliases));
                        },
                        [&](const JoinReference& join) {
                          check(query, *join.left);
                          check(query, *join.right);
                        },
                        [](const auto&) {}},
               item.of);
  }

  void check(const SelectPtr& query, const std::string& table,
             const std::set<std::string>& columns) {
    const auto is_hidden = [&](const Name& name) {
      return columns.count(name.text) != 0 &&
             std::any_of(made_.indices.begin(), made_.indices.end(), [&](const auto& index) {
               return index.name && index.name->text == name.text;
             });
    };
    rewrite(query, {[&](const ExpressionPtr& part) -> ExpressionPtr {
                      const auto* const column = std::get_if<ColumnReference>(&part->of);
                      if (column != nullptr && !column->table && is_hidden(column->column)) {
                        throw database::SqlError(
                            database::SqlState::ambiguous_column,
                            Error(ErrorKind::user,
                                  fmt::format("{0} is an index here and a column of {1}: give the "
                                              "index another name, or write the column with its "
                                              "table",
                                              column->column.text, table)),
                            part->span);
                      }
                      return nullptr;
                    },
                    {},
                    {}});
  }

  static std::set<std::string> names_of(const std::vector<Name>& columns) {
    std::set<std::string> names;
    for (const Name& column : columns) {
      names.insert(column.text);
    }
    return names;
  }

  std::set<std::string> columns_of(const TableReference& table) const {
    std::set<std::string> names;
    if (!table.version.empty()) {
      if (table.table.text == made_.table.text) {
        names = names_of(made_.columns);
        for (const DefineVersions& other : others_) {
          names.merge(names_of(other.columns));
        }
      }
    } else if (const std::optional<database::Table> found = catalog_.find_table(table.table.text)) {
      for (const database::Column& column : found->columns) {
        names.insert(column.name);
      }
    }
    return names;
  }

  const DefineVersions& made_;
  const std::vector<DefineVersions>& others_;
  const database::Catalog& catalog_;
};

/// Returns the words of a text with one space between them.
std::string on_one_line(const std::string& text) {
  std::string line;
  for (const char letter : text) {
    const bool is_space = std::isspace(static_cast<unsigned char>(letter)) != 0;
    if (!is_space) {
      line += letter;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  return line;
}

}  // namespace

std::optional<VersionKey> common_version(const Indices& one, const Indices& other) {
  VersionKey key;
  std::set<int64_t> numbers = numbers_near(one);
  numbers.merge(numbers_near(other));
  const bool is_common = one.size() == other.size() && find_common(one, other, numbers, key);
  return is_common ? std::optional(key) : std::nullopt;
}

void check_definition(const DefineVersions& made, const database::Catalog& catalog) {
  std::vector<DefineVersions> others;
  for (const std::string& text : catalog.definitions(made.table.text)) {
    const std::vector<Statement> parsed = parse({"definition of " + made.table.text, text}).value();
    others.push_back(std::get<DefineVersions>(parsed.at(0).of));
  }
  for (const DefineVersions& other : others) {
    if (const std::optional<VersionKey> both = common_version(made.indices, other.indices)) {
      throw_error(ErrorKind::user,
                  "two definitions would cover {}, this one and {}; DROP TABLE {} drops all "
                  "definitions of it",
                  version_name(made.table.text, *both), on_one_line(other.text), made.table.text);
    }
  }
  HiddenColumns(made, others, catalog).check(made.query);
}

}  // namespace tessera::sql
