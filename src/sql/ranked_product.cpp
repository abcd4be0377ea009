#include "sql/ranked_product.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/ranges.h>

#include "base/overload.h"
#include "frontend/sql/sqlite_text.h"

namespace tessera::sql {

using frontend::sql::sqlite_name;
using frontend::sql::sqlite_text;

namespace {

constexpr int64_t kMostAtOnce = int64_t{1} << 22;      // rows whose numbers are computed together
constexpr int64_t kMostPartitions = int64_t{1} << 24;  // each takes some bytes, with rows or not
constexpr int64_t kPartOfBudget = 16;  // that keys may take; numbers of chosen rows take more

/// The rank of each row of a table by a column, from 0.
std::vector<int64_t> ranks_by(const FactorTable& table, const std::string& order,
                              QueryCompiler& compiler) {
  return compiler.connection().integers(
      fmt::format("SELECT dense_rank() OVER (ORDER BY {}) - 1 FROM {} ORDER BY rowid", order,
                  sqlite_name(table.table->table)));
}

/// Ranks of the rows of one factor.
struct FactorRanks {
  size_t factor;
  std::vector<int64_t> ranks;
};

/// The partition of each row of a product: a digit for each key.
class Partitions {
 public:
  Partitions(const RankedProduct& product, QueryCompiler& compiler) {
    for (const FactorColumn& key : product.partition) {
      std::vector<int64_t> ranks = ranks_by(product.tables[key.factor], key.column, compiler);
      const int64_t num_values = *std::max_element(ranks.begin(), ranks.end()) + 1;
      are_few_ = are_few_ && count_ <= kMostPartitions / num_values;
      count_ = are_few_ ? count_ * num_values : count_;
      digits_.push_back({{key.factor, std::move(ranks)}, num_values});
    }
  }

  bool are_few() const { return are_few_; }
  int64_t count() const { return count_; }

  int64_t of(const std::vector<int64_t>& row) const {
    int64_t number = 0;
    for (const Digit& digit : digits_) {
      number =
          number * digit.num_values + digit.of.ranks[static_cast<size_t>(row[digit.of.factor])];
    }
    return number;
  }

 private:
  struct Digit {
    FactorRanks of;
    int64_t num_values;
  };

  std::vector<Digit> digits_;
  bool are_few_ = true;
  int64_t count_ = 1;
};

/// Some of the rows of a product: all of those of some rows of the first table.
struct Section {
  std::vector<FactorTable> tables;
  int64_t first = 0;  // row of the first table

  int64_t num_rows() const {
    int64_t number = 1;
    for (const FactorTable& table : tables) {
      number *= table.num_rows;
    }
    return number;
  }
  /// The rows of the tables that make a row of the section.
  std::vector<int64_t> rows_at(int64_t place) const {
    std::vector<int64_t> rows(tables.size());
    for (size_t table = tables.size(); table-- > 0; place /= tables[table].num_rows) {
      rows[table] = place % tables[table].num_rows;
    }
    return rows;
  }
  /// Goes to the next row.
  void advance(std::vector<int64_t>& rows) const {
    for (size_t table = tables.size(); table-- > 0;) {
      if (++rows[table] < tables[table].num_rows) {
        return;
      }
      rows[table] = 0;
    }
  }

  /// `t1 AS s0 CROSS JOIN t2 AS s1`, which SQLite reads in this order.
  std::string from_text() const {
    std::vector<std::string> names;
    for (const FactorTable& table : tables) {
      names.push_back(fmt::format("{} AS s{}", sqlite_name(table.table->table), names.size()));
    }
    return fmt::format("{}", fmt::join(names, " CROSS JOIN "));
  }
  /// The place of a row in the product of some of the tables, in SQLite's words.
  std::string place_text(const std::vector<size_t>& some) const {
    std::string text;
    for (const size_t table : some) {
      const std::string row = fmt::format("s{}.rowid - 1", table);
      text = text.empty() ? row : fmt::format("({}) * {} + {}", text, tables[table].num_rows, row);
    }
    return text;
  }
  std::vector<size_t> all_tables() const {
    std::vector<size_t> all(tables.size());
    std::iota(all.begin(), all.end(), size_t{0});
    return all;
  }
  std::string order_text() const {
    std::vector<std::string> rows;
    for (size_t table = 0; table < tables.size(); ++table) {
      rows.push_back(fmt::format("s{}.rowid", table));
    }
    return fmt::format(" ORDER BY {}", fmt::join(rows, ", "));
  }
};

/// The rows of a section that conditions leave out, asked for in ascending order.
class LeftOutRows {
 public:
  LeftOutRows(const Section& section, const std::vector<std::string>& conditions,
              QueryCompiler& compiler) {
    if (!conditions.empty()) {
      rows_.emplace(compiler.connection().prepare(fmt::format(
          "SELECT {} FROM {} WHERE NOT coalesce({}, 0){}", section.place_text(section.all_tables()),
          section.from_text(), fmt::join(conditions, " AND "), section.order_text())));
      next();
    }
  }

  bool has(int64_t row) {
    const bool is_left_out = row == row_;
    if (is_left_out) {
      next();
    }
    return is_left_out;
  }

 private:
  void next() { row_ = rows_->step() ? rows_->integer(0) : -1; }

  std::optional<database::Statement> rows_;
  int64_t row_ = -1;  // the next one
};

/// The keys of the rows of a section, one row after the other.
class SectionKeys {
 public:
  SectionKeys(const RankedProduct& product, const std::vector<FactorRanks>& ranks,
              const Section& section, ProductNumbers& numbers, QueryCompiler& compiler)
      : product_(product), ranks_(ranks), section_(section), numbers_(numbers) {
    ask_sqlite(compiler);
    keys_.resize(product.order.size());
  }

  /// Reads the keys of the next row, by its rows of the section's tables and of the product's;
  /// false if one is a text.
  bool read(const std::vector<int64_t>& rows, const std::vector<int64_t>& of_product) {
    if (computed_) {
      computed_->step();
    }
    size_t next_ranks = 0;
    int64_t next_computed = 0;
    for (size_t place = 0; place < keys_.size(); ++place) {
      const ProductKey& key = product_.order[place];
      const auto order_of = [&](const database::Value& value) {
        return sort_key(value, key.is_descending, key.nulls_first);
      };
      const std::optional<int64_t> number = std::visit(
          Overload{[&](const FactorColumn&) -> std::optional<int64_t> {
                     const FactorRanks& ranks = ranks_[next_ranks++];
                     return ranks.ranks[static_cast<size_t>(of_product[ranks.factor])];
                   },
                   [&](const KeyArithmetic& arithmetic) {
                     return order_of(arithmetic.value(
                         [&](size_t column) { return numbers_.at(column, rows); }));
                   },
                   [&](const ComputedKey&) { return order_of(computed_->value(next_computed++)); }},
          key.value);
      if (!number) {
        return false;
      }
      keys_[place] = *number;
    }
    return true;
  }
  const std::vector<int64_t>& keys() const { return keys_; }

 private:
  void ask_sqlite(QueryCompiler& compiler) {
    std::vector<std::string> texts;
    for (const ProductKey& key : product_.order) {
      if (const auto* const computed = std::get_if<ComputedKey>(&key.value)) {
        texts.push_back(sqlite_text(*computed->expression));
      }
    }
    if (texts.empty()) {
      return;
    }
    std::string columns = "*";
    for (size_t number = 0; number < product_.numbers.size(); ++number) {
      functions_.emplace_back(compiler.connection(), [this, number](const database::Value& place) {
        return numbers_.at_place(number, std::get<int64_t>(place));
      });
      const ProductNumber& of = product_.numbers[number];
      columns += fmt::format(", {} AS {}", functions_.back().call(section_.place_text(of.tables)),
                             of.computed.column);
    }
    computed_.emplace(compiler.connection().prepare(
        fmt::format("SELECT {} FROM (SELECT {} FROM {}{})", fmt::join(texts, ", "), columns,
                    section_.from_text(), section_.order_text())));
  }

  const RankedProduct& product_;
  const std::vector<FactorRanks>& ranks_;
  const Section& section_;
  ProductNumbers& numbers_;
  std::vector<database::LentFunction> functions_;
  std::optional<database::Statement> computed_;
  std::vector<int64_t> keys_;
};

/// Chooses the rows of a product, section by section.
class RowChoice {
 public:
  RowChoice(const RankedProduct& product, Level& level, QueryCompiler& compiler)
      : product_(product), level_(level), compiler_(compiler), partitions_(product, compiler) {
    for (const ProductKey& key : product.order) {
      if (const auto* const column = std::get_if<FactorColumn>(&key.value)) {
        ranks_.push_back({column->factor, ranks_by(product.tables[column->factor],
                                                   order_text(*column, key), compiler)});
      }
    }
    for (size_t table = 1; table < product.tables.size(); ++table) {
      num_others_ *= product.tables[table].num_rows;
    }
  }

  std::optional<ProductRows> choose() {
    if (!partitions_.are_few()) {
      return std::nullopt;
    }
    const int64_t budget = compiler_.program().session().budget().bytes;
    TopRows top(product_.function, product_.most, partitions_.count(), product_.order.size(),
                budget / kPartOfBudget);
    const int64_t num_first = product_.tables.front().num_rows;
    const int64_t step = std::max(int64_t{1}, kMostAtOnce / num_others_);
    for (int64_t first = 0; first < num_first; first += step) {
      if (!add_section(section_of(first, std::min(step, num_first - first)), top)) {
        return std::nullopt;
      }
    }
    return rows_of(top);
  }

 private:
  static std::string order_text(const FactorColumn& column, const ProductKey& key) {
    return column.column + (key.is_descending ? " DESC" : "") +
           (key.nulls_first ? *key.nulls_first ? " NULLS FIRST" : " NULLS LAST" : "");
  }

  Section section_of(int64_t first, int64_t num_rows) {
    Section section{product_.tables, first};
    FactorTable& table = section.tables.front();
    if (num_rows < table.num_rows) {
      table.table = compiler_.make_relation(
          fmt::format("SELECT * FROM {} WHERE rowid > {} AND rowid <= {} ORDER BY rowid",
                      sqlite_name(table.table->table), first, first + num_rows));
      table.num_rows = num_rows;
    }
    return section;
  }

  /// False if the rows are too many to keep, or a key is a text.
  bool add_section(const Section& section, TopRows& top) {
    ProductNumbers numbers(section.tables, level_, product_.numbers, compiler_);
    LeftOutRows left_out(section, product_.differences, compiler_);
    SectionKeys keys(product_, ranks_, section, numbers, compiler_);
    const int64_t num_rows = section.num_rows();
    std::vector<int64_t> rows = section.rows_at(0);
    std::vector<int64_t> of_product = rows;
    for (int64_t row = 0; row < num_rows; ++row, section.advance(rows)) {
      of_product = rows;
      of_product.front() += section.first;
      if (!keys.read(rows, of_product)) {
        return false;
      }
      if (!left_out.has(row) &&
          !top.add(partitions_.of(of_product), section.first * num_others_ + row, keys.keys())) {
        return false;
      }
    }
    keep_numbers(section, numbers, top);
    return true;
  }

  void keep_numbers(const Section& section, ProductNumbers& numbers, TopRows& top) {
    const int64_t first = section.first * num_others_;
    for (const int64_t row : top.rows()) {
      if (row >= first) {
        const std::vector<int64_t> rows = section.rows_at(row - first);
        for (size_t number = 0; number < product_.numbers.size(); ++number) {
          numbers_[row].push_back(numbers.at(number, rows));
        }
      }
    }
  }

  ProductRows rows_of(TopRows& top) {
    ProductRows chosen{top.rows(), {}};
    for (const int64_t row : chosen.rows) {
      chosen.numbers.push_back(std::move(numbers_[row]));
    }
    return chosen;
  }

  const RankedProduct& product_;
  Level& level_;
  QueryCompiler& compiler_;
  Partitions partitions_;
  std::vector<FactorRanks> ranks_;  // of the keys that are columns of a factor
  int64_t num_others_ = 1;          // rows that each row of the first table meets
  std::map<int64_t, std::vector<database::Value>> numbers_;  // of rows that were chosen
};

}  // namespace

std::optional<ProductRows> top_rows_of(const RankedProduct& product, Level& level,
                                       QueryCompiler& compiler) {
  if (std::any_of(product.tables.begin(), product.tables.end(),
                  [](const FactorTable& table) { return table.num_rows == 0; })) {
    return ProductRows{};
  }
  return RowChoice(product, level, compiler).choose();
}

}  // namespace tessera::sql
