#include "sql/recursion.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "database/sql_error.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/recursion_reader.h"
#include "sql/statement_error.h"
#include "types/dtype.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

constexpr int64_t kStatementsAtOnce = 256;         // of the tensor program
constexpr const char* kBefore = "tessera_before";  // the rows of all steps so far

bool reads(const SelectPtr& query, const std::string& table) {
  bool found = false;
  for_each_table(query, [&](const TableReference& read, SourceSpan) {
    found = found || (read.version.empty() && read.table.text == table);
  });
  return found;
}

[[noreturn]] void fail_recursion(const Name& name, const std::string& why) {
  throw database::SqlError(database::SqlState::invalid_recursion, Error(ErrorKind::user, why),
                           name.span);
}

[[noreturn]] void refuse_recursion(const Name& name, const std::string& what) {
  throw database::SqlError(database::SqlState::feature_not_supported,
                           Error(ErrorKind::unsupported, what), name.span);
}

SelectPtr rows_of(const std::string& table, std::vector<Target> targets) {
  Select query;
  query.targets = std::move(targets);
  FromItem item{TableReference{{table, {}}, {}, false}, std::nullopt, {}, {}};
  query.from.push_back(std::make_shared<const FromItem>(std::move(item)));
  return std::make_shared<const Select>(std::move(query));
}

SelectPtr all_rows_of(const std::string& table, bool is_distinct) {
  Select query = *rows_of(table, {{make_expression(Star{}), std::nullopt}});
  query.is_distinct = is_distinct;
  return std::make_shared<const Select>(std::move(query));
}

/// The query alone, as the table of a query that reads its first rows, or all of it.
SelectPtr alone(const CommonTable& table, std::optional<int64_t> count) {
  Select query = *all_rows_of(table.name.text, false);
  if (count) {
    query.limit = make_expression(NumberLiteral{std::to_string(*count), true});
  }
  query.with.push_back(table);
  query.is_recursive = true;
  return std::make_shared<const Select>(std::move(query));
}

/// Of its two parts the first may not read the table.
void check_form(const CommonTable& table) {
  const Select& query = *table.query;
  const std::string& name = table.name.text;
  if (query.operation != Select::SetOperation::union_ || reads(query.left, name)) {
    fail_recursion(table.name, name +
                                   " reads itself, and is no UNION of a query that does not "
                                   "and one that does");
  }
  if (!query.with.empty() || !query.order.empty() || query.limit || query.offset) {
    refuse_recursion(table.name,
                     "WITH, ORDER BY, LIMIT and OFFSET of a recursion itself; they may "
                     "stand in the query that reads it");
  }
}

/// One recursion, step by step.
class Recursion {
 public:
  Recursion(const CommonTable& table, const Select& reader, QueryCompiler& compiler)
      : table_(table), compiler_(compiler), parts_(compiler), reader_(reader, table, compiler) {}

  RelationPtr run() {
    RelationPtr step = compiler_.compile_named(table_.query->left, table_.columns);
    if (!table_.query->is_all) {
      compiler_.define(table_.name.text, step);
      step = compiler_.compile(all_rows_of(table_.name.text, true));
    }
    std::vector<Name> names;
    for (const RelationColumn& column : step->columns) {
      names.push_back({column.name, table_.name.span});
    }
    parts_.add(step);
    reader_.note(*step);
    const auto has_enough = [&](int64_t num_steps) {
      return compiler_.is_checking() ? num_steps == 1 : reader_.has_enough(parts_);
    };
    for (int64_t number = 0; has_rows(*step) && !has_enough(number); ++number) {
      TESSERA_USER_CHECK(number < compiler_.most_steps(),
                         "{} takes more than {} steps: it may have no end", table_.name.text,
                         compiler_.most_steps());
      const RelationPtr made = next(step, names);
      const Dtypes wider = dtypes_of(*step, *made);
      if (wider != dtypes_of(*step, *step)) {  // so the first rows have them too
        step = converted(step, wider);
        parts_.clear();
      } else {
        step = converted(made, wider);
      }
      parts_.add(step);
      reader_.note(*step);
    }
    return parts_.all();
  }

 private:
  RelationPtr next(const RelationPtr& step, const std::vector<Name>& names) {
    compiler_.define(table_.name.text, step);
    const double ran_before = compiler_.program().estimated_seconds();
    const RelationPtr made =
        at(table_.name.span, [&] { return compiler_.compile_named(query_of_step(), names); });
    check_columns(*step, *made);
    // Where a number of this step was computed, that of the next will be too: it goes on from here.
    const bool has_run = compiler_.program().estimated_seconds() > ran_before;
    if (has_run || compiler_.program().num_statements() - num_kept_ >= kStatementsAtOnce) {
      keep(*made);
    }
    return made;
  }

  /// The second query; of UNION without ALL, the rows that it gives and that did not come before.
  SelectPtr query_of_step() {
    if (table_.query->is_all) {
      return table_.query->right;
    }
    compiler_.define(kBefore, parts_.all());
    Select query;
    query.operation = Select::SetOperation::except;
    query.left = table_.query->right;
    query.right = all_rows_of(kBefore, false);
    return std::make_shared<const Select>(std::move(query));
  }

  void check_columns(const Relation& step, const Relation& made) const {
    const bool is_alike = made.columns.size() == step.columns.size() &&
                          std::equal(made.columns.begin(), made.columns.end(), step.columns.begin(),
                                     [](const RelationColumn& one, const RelationColumn& other) {
                                       return one.tensor.has_value() == other.tensor.has_value() &&
                                              (!one.tensor || one.tensor->element.shape ==
                                                                  other.tensor->element.shape);
                                     });
    if (!is_alike) {
      fail_recursion(table_.name, "the two queries of " + table_.name.text +
                                      " give different columns, or tensors of different shapes");
    }
  }

  /// The dtypes of columns; none of those of scalars.
  using Dtypes = std::vector<std::optional<DType>>;

  /// Those that hold what either query gives.
  static Dtypes dtypes_of(const Relation& one, const Relation& other) {
    Dtypes dtypes;
    for (size_t column = 0; column < one.columns.size(); ++column) {
      const std::optional<TensorRows>& tensor = one.columns[column].tensor;
      dtypes.push_back(tensor ? std::optional(promote(tensor->element.dtype,
                                                      other.columns[column].tensor->element.dtype))
                              : std::nullopt);
    }
    return dtypes;
  }

  /// The rows with their tensors in these dtypes.
  RelationPtr converted(const RelationPtr& rows, const Dtypes& dtypes) {
    if (dtypes_of(*rows, *rows) == dtypes) {
      return rows;
    }
    std::vector<Target> targets;
    for (size_t column = 0; column < dtypes.size(); ++column) {
      const RelationColumn& own = rows->columns[column];
      ExpressionPtr value = make_expression(ColumnReference{std::nullopt, Name{own.key, {}}});
      if (dtypes[column] && own.tensor->element.dtype != *dtypes[column]) {
        const TypeName type{{std::string(name_of(*dtypes[column])), {}}, {}, {}};
        value = make_expression(Cast{std::move(value), type});
      }
      targets.push_back({std::move(value), Name{own.name, {}}});
    }
    compiler_.define(table_.name.text, rows);
    return compiler_.compile(rows_of(table_.name.text, std::move(targets)));
  }

  bool has_rows(const Relation& relation) const {
    return compiler_.connection().integer("SELECT EXISTS (SELECT 1 FROM " +
                                          sqlite_name(relation.table) + ")") != 0;
  }

  void keep(const Relation& step) {
    std::vector<std::string> names;
    parts_.add_tensors(names);
    RecursionParts::add_tensors_of(step, names);
    compiler_.program().keep(names, compiler_.control());
    num_kept_ = compiler_.program().num_statements();
  }

  const CommonTable& table_;
  QueryCompiler& compiler_;
  RecursionParts parts_;
  RecursionReader reader_;
  int64_t num_kept_ = 0;  // statements that were there when tensors were kept
};

}  // namespace

bool reads_itself(const CommonTable& table) {
  return reads(table.query, table.name.text);
}

bool recurs_beyond_sqlite(const CommonTable& table) {
  const SelectPtr& step = table.query->right;
  if (table.query->operation != Select::SetOperation::union_ || step == nullptr) {
    return false;
  }
  bool found = false;
  Rewrites rewrites;
  rewrites.select = [&](const SelectPtr& inner) { return inner; };
  rewrites.from = [&](const FromItemPtr& item) {
    const auto* const read = std::get_if<TableReference>(&item->of);
    const auto* const within = std::get_if<QueryReference>(&item->of);
    found = found ||
            (read != nullptr && read->version.empty() && read->table.text == table.name.text &&
             !item->column_aliases.empty()) ||
            (within != nullptr && reads(within->query, table.name.text));
    return FromItemPtr();
  };
  rewrite(step, rewrites);
  return found;
}

RelationPtr compile_recursion(const CommonTable& table, const Select& reader,
                              QueryCompiler& compiler) {
  const RecursionReader around(reader, table, compiler);
  if (const std::optional<std::string> text =
          compiler.scalar_text(alone(table, around.num_enough()))) {
    return compiler.make_relation(*text);
  }
  check_form(table);
  return Recursion(table, reader, compiler).run();
}

}  // namespace tessera::sql
