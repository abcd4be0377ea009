#include "sql/extreme_classification.h"

#include <charconv>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/temporary_file.h"
#include "frontend/sql/sqlite_text.h"
#include "io/file.h"
#include "io/line_reader.h"
#include "io/unnamed_array.h"
#include "sql/scalar_value.h"
#include "sql/value_text.h"

namespace tessera::sql {

using frontend::sql::sqlite_name;

namespace {

/// One line of a file.
struct Point {
  std::vector<int64_t> labels;
  std::vector<std::pair<int64_t, double>> features;
};

/// Reads a file point by point.
class PointReader {
 public:
  explicit PointReader(const std::string& path)
      : path_(path), file_(io::open_to_read(path)), lines_(file_) {
    require(lines_.next());
    std::string_view rest = lines_.line();
    num_points_ = whole(rest, INT64_MAX);
    num_features_ = whole(rest, INT64_MAX);
    num_labels_ = whole(rest, INT64_MAX);
    require(trimmed(rest).empty());
  }

  int64_t num_points() const { return num_points_; }
  int64_t num_features() const { return num_features_; }
  int64_t num_labels() const { return num_labels_; }

  void for_each(const std::function<void(int64_t row, const Point& point)>& visit) {
    for (int64_t row = 0; row < num_points_; ++row) {
      TESSERA_USER_CHECK(lines_.next(), "{} has {} points, and says that there are {}", path_, row,
                         num_points_);
      visit(row, point());
    }
    while (lines_.next()) {
      TESSERA_USER_CHECK(trimmed(lines_.line()).empty(),
                         "{}:{}: more than the {} points that it says there are", path_,
                         lines_.number(), num_points_);
    }
  }

 private:
  void require(bool holds) const {
    TESSERA_USER_CHECK(holds, "{}:{}: not in the format of extreme classification: {}", path_,
                       lines_.number(),
                       lines_.number() <= 1 ? "points features labels" : "label,… feature:value …");
  }
  static std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
      text.remove_prefix(1);
    }
    return text;
  }
  /// Takes a whole number below an end from the beginning of a text.
  int64_t whole(std::string_view& text, int64_t end) const {
    text = trimmed(text);
    int64_t number = -1;
    const auto [behind, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    require(error == std::errc() && number >= 0);
    TESSERA_USER_CHECK(number < end, "{}:{}: {} is none of {}, which are counted from 0", path_,
                       lines_.number(), number, end);
    text.remove_prefix(static_cast<size_t>(behind - text.data()));
    return number;
  }

  Point point() const {
    Point found;
    std::string_view rest = lines_.line();
    // Without labels a line begins with a blank, or with its first feature.
    const std::string_view first = rest.substr(0, rest.find_first_of(" \t"));
    if (!first.empty() && first.find(':') == std::string_view::npos) {
      found.labels.push_back(whole(rest, num_labels_));
      while (!rest.empty() && rest.front() == ',') {
        rest.remove_prefix(1);
        found.labels.push_back(whole(rest, num_labels_));
      }
    }
    while (!(rest = trimmed(rest)).empty()) {
      const int64_t feature = whole(rest, num_features_);
      require(!rest.empty() && rest.front() == ':');
      rest.remove_prefix(1);
      double value = 0;
      const auto [behind, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
      require(error == std::errc());
      rest.remove_prefix(static_cast<size_t>(behind - rest.data()));
      found.features.emplace_back(feature, value);
    }
    return found;
  }

  std::string path_;
  io::File file_;
  io::LineReader lines_;
  int64_t num_points_ = 0;
  int64_t num_features_ = 0;
  int64_t num_labels_ = 0;
};

/// Which columns there are, and what each is.
enum class Kind : uint8_t { point, feature, label };

Kind kind_of(const std::vector<database::Column>& columns) {
  static const std::map<std::string, Kind> kinds{{"features", Kind::point},
                                                 {"labels", Kind::point},
                                                 {"feature", Kind::feature},
                                                 {"value", Kind::feature},
                                                 {"label", Kind::label}};
  std::set<Kind> found;
  for (const database::Column& column : columns) {
    const auto kind = kinds.find(column.name);
    TESSERA_USER_CHECK(kind != kinds.end() || column.name == "row",
                       "column {} is none of row, features, labels, feature, value, label, which "
                       "files of extreme classification have",
                       column.name);
    const bool is_vector = database::tensor_of(column.type) != nullptr &&
                           database::tensor_of(column.type)->extents.size() == 1;
    const bool wants_vector = kind != kinds.end() && kind->second == Kind::point;
    TESSERA_USER_CHECK(is_vector == wants_vector, "column {} is {}, where {} is wanted",
                       column.name, to_string(column.type), wants_vector ? "a vector" : "a number");
    if (kind != kinds.end()) {
      found.insert(kind->second);
    }
  }
  TESSERA_USER_CHECK(found.size() == 1,
                     "a row is a point (features, labels), a feature of it (feature, value) or a "
                     "label of it (label)");
  return *found.begin();
}

/// Rows as they come from a file.
class PointRows {
 public:
  PointRows(const PointReader& reader, const std::vector<database::Column>& columns,
            QueryCompiler& compiler)
      : columns_(columns),
        relation_(empty_relation(columns, compiler)),
        insert_(compiler.connection().prepare(insert_text())) {
    for (const database::Column& column : columns) {
      const bool is_label = column.name == "labels";
      if (!is_label && column.name != "features") {
        continue;
      }
      const int64_t extent = is_label ? reader.num_labels() : reader.num_features();
      TESSERA_USER_CHECK(extent > 0, "there are no {}", column.name);
      dense_[column.name] = std::make_shared<io::UnnamedArray>(
          temporary_directory(),
          ArrayType{is_label ? DType::u8 : DType::f64, {reader.num_points(), extent}});
    }
  }

  void add_point(int64_t row, const Point& point) {
    for (const auto& [name, array] : dense_) {
      store::MemoryTensor dense({array->type().dtype, {1, array->type().shape[1]}});
      for (const int64_t label : point.labels) {
        if (name == "labels") {
          dense.view().as<uint8_t>()[label] = 1;
        }
      }
      for (const auto& [feature, value] : point.features) {
        if (name == "features") {
          dense.view().as<double>()[feature] = value;
        }
      }
      TileView view = dense.view();
      view.origin[0] = row;
      array->write(view);
    }
    add_row({{"row", row + 1}, {"features", row}, {"labels", row}});
  }

  void add_row(const std::map<std::string, database::Value>& values) {
    for (size_t column = 0; column < columns_.size(); ++column) {
      insert_.bind(static_cast<int64_t>(column), values.at(columns_[column].name));
    }
    insert_.step();
    insert_.reset();
  }

  RelationPtr relation(QueryCompiler& compiler) {
    Relation made = *relation_;
    for (RelationColumn& column : made.columns) {
      if (const auto array = dense_.find(column.name); array != dense_.end()) {
        array->second->commit(store::Durability::process);
        column.tensor = compiler.program().add_stored("points " + column.name, array->second);
      }
    }
    return std::make_shared<const Relation>(std::move(made));
  }

 private:
  static RelationPtr empty_relation(const std::vector<database::Column>& columns,
                                    QueryCompiler& compiler) {
    std::vector<std::string> texts;
    for (const database::Column& column : columns) {
      texts.push_back("NULL AS " + sqlite_name(column.name));
    }
    return compiler.make_relation(fmt::format("SELECT {} WHERE 0", fmt::join(texts, ", ")));
  }
  std::string insert_text() const {
    const std::vector<std::string> parameters(columns_.size(), "?");
    return fmt::format("INSERT INTO temp.{} VALUES ({})", sqlite_name(relation_->table),
                       fmt::join(parameters, ", "));
  }

  const std::vector<database::Column>& columns_;
  RelationPtr relation_;
  database::Statement insert_;
  std::map<std::string, std::shared_ptr<io::UnnamedArray>> dense_;
};

/// Calls `visit` with the position and the text of all that is not 0.
void for_each_nonzero(const TileView& vector,
                      const std::function<void(int64_t, const std::string&)>& visit) {
  for (int64_t position = 0; position < vector.shape[0]; ++position) {
    const database::Value value = scalar_value(vector, position);
    const auto* const integer = std::get_if<int64_t>(&value);
    const auto* const number = std::get_if<double>(&value);
    if (integer != nullptr ? *integer != 0 : number != nullptr && *number != 0) {
      visit(position, value_text(value));
    }
  }
}

}  // namespace

RelationPtr read_extreme_classification(const std::string& file,
                                        const std::vector<database::Column>& columns,
                                        QueryCompiler& compiler) {
  const Kind kind = kind_of(columns);
  PointReader reader(file);
  PointRows rows(reader, columns, compiler);
  reader.for_each([&](int64_t row, const Point& point) {
    switch (kind) {
      case Kind::point:
        return rows.add_point(row, point);
      case Kind::feature:
        for (const auto& [feature, value] : point.features) {
          rows.add_row({{"row", row + 1}, {"feature", feature + 1}, {"value", value}});
        }
        return;
      case Kind::label:
        for (const int64_t label : point.labels) {
          rows.add_row({{"row", row + 1}, {"label", label + 1}});
        }
        return;
    }
  });
  return rows.relation(compiler);
}

void write_extreme_classification(ResultRows& rows, int64_t num_rows, WrittenText& text) {
  std::map<std::string, size_t> places;
  for (size_t column = 0; column < rows.columns().size(); ++column) {
    const std::optional<ArrayType>& tensor = rows.columns()[column].tensor;
    if (tensor && tensor->shape.size() == 1) {
      places[rows.columns()[column].name] = column;
    }
  }
  TESSERA_USER_CHECK(places.count("features") != 0 && places.count("labels") != 0,
                     "a file of extreme classification is made of the vectors features and labels: "
                     "COPY (SELECT …  AS features, … AS labels …) TO …");
  const auto extent_of = [&](const std::string& name) {
    return rows.columns()[places[name]].tensor->shape[0];
  };
  text.add(fmt::format("{} {} {}\n", num_rows, extent_of("features"), extent_of("labels")));
  while (rows.next()) {
    std::string labels;
    const auto add_label = [&](int64_t label, const std::string&) {
      labels += (labels.empty() ? "" : ",") + std::to_string(label);
    };
    const auto add_feature = [&](int64_t feature, const std::string& value) {
      text.add(fmt::format(" {}:{}", feature, value));
    };
    if (!rows.is_null(places["labels"])) {
      for_each_nonzero(rows.tensor(places["labels"]).view(), add_label);
    }
    text.add(labels);
    if (!rows.is_null(places["features"])) {
      for_each_nonzero(rows.tensor(places["features"]).view(), add_feature);
    }
    text.add("\n");
  }
}

}  // namespace tessera::sql
