#include "sql/window_frames.h"

#include <utility>

#include <fmt/ranges.h>

#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

ExpressionPtr plain_column(const std::string& name) {
  return make_expression(ColumnReference{std::nullopt, Name{name, {}}});
}

OrderKey by_row() {
  return {plain_column("rowid"), false, std::nullopt};
}

std::string over_text(const std::string& function, const ExpressionPtr& argument,
                      const Window& window) {
  Call call{Name{function, {}}, {argument}};
  call.over = std::make_shared<const Window>(window);
  return sqlite_text(*make_expression(std::move(call)));
}

/// Returns the number that stands for a cover in the table of frames.
int64_t code_of(const WindowFrames::Cover& cover) {
  return static_cast<int64_t>(cover.kind) * 64 + cover.width;
}

WindowFrames::Cover cover_of(int64_t code) {
  return {static_cast<WindowFrames::Cover::Kind>(code / 64), code % 64};
}

/// The least width of blocks that so many places are as long as.
int64_t width_for(int64_t num_places) {
  int64_t width = 0;
  while (int64_t{1} << width < num_places) {
    ++width;
  }
  return width;
}

}  // namespace

WindowFrames::WindowFrames(const RelationPtr& table, const Level::WindowAggregate& aggregate,
                           QueryCompiler& compiler)
    : table_(table), aggregate_(aggregate), compiler_(compiler) {
  put_in_order();
  find_ends();
}

void WindowFrames::put_in_order() {
  ExpressionPtr is_merged = make_expression(
      Test{Test::Kind::null, true, plain_column(aggregate_.value->column), nullptr});
  if (!aggregate_.filter.empty()) {
    is_merged = make_expression(
        Logical{Logical::Kind::all,
                {is_merged, make_expression(Test{Test::Kind::true_, false,
                                                 plain_column(aggregate_.filter), nullptr})}});
  }
  Window order;
  std::string partition;
  for (const ExpressionPtr& key : aggregate_.window.partition) {
    order.order.push_back({key, false, std::nullopt});
    partition += (partition.empty() ? "" : ", ") + sqlite_text(*key);
  }
  order.order.insert(order.order.end(), aggregate_.window.order.begin(),
                     aggregate_.window.order.end());
  order.order.push_back(by_row());
  using Bound = FrameBound::Kind;
  order.frame = WindowFrame{WindowFrame::Unit::rows,
                            {Bound::unbounded_preceding, nullptr},
                            {Bound::current_row, nullptr}};
  frames_ = compiler_.make_relation(fmt::format(
      "SELECT *, CASE WHEN {0} THEN {1} - 1 END AS window_place, {2} AS window_partition FROM "
      "{3} ORDER BY rowid",
      sqlite_text(*is_merged), over_text("sum", is_merged, order),
      partition.empty() ? "0" : fmt::format("dense_rank() OVER (ORDER BY {})", partition),
      sqlite_name(table_->table)));
  merged_ = compiler_.make_relation(
      fmt::format("SELECT {} AS value, window_partition FROM {} WHERE window_place IS NOT NULL "
                  "ORDER BY window_place",
                  aggregate_.value->column, sqlite_name(frames_->table)));
  num_merged_ = compiler_.key_tables().num_rows(merged_->table);
}

void WindowFrames::find_ends() {
  Window window = aggregate_.window;
  if (window.frame && window.frame->unit == WindowFrame::Unit::rows) {
    window.order.push_back(by_row());  // rows with equal keys have one order
  }
  const ExpressionPtr place = plain_column("window_place");
  frames_ = compiler_.make_relation(
      fmt::format("SELECT *, {} AS window_low, {} AS window_high FROM {} ORDER BY rowid",
                  over_text("min", place, window), over_text("max", place, window),
                  sqlite_name(frames_->table)));
  // Places count from 0 and rows from 1: the row of the place before has the place's number.
  const auto partition = [&](const std::string& row) {
    return fmt::format("(SELECT window_partition FROM {} WHERE rowid = {})",
                       sqlite_name(merged_->table), row);
  };
  frames_ = compiler_.make_relation(fmt::format(
      "SELECT *, {} IS NOT {} AS window_begins, {} IS NOT {} AS window_ends FROM {} ORDER BY rowid",
      partition("window_low"), partition("window_low + 1"), partition("window_high + 1"),
      partition("window_high + 2"), sqlite_name(frames_->table)));
  database::Statement all = compiler_.connection().prepare(
      fmt::format("SELECT count(*), min(window_begins), min(window_ends), max(window_high - "
                  "window_low + 1) FROM {} WHERE window_low IS NOT NULL",
                  sqlite_name(frames_->table)));
  all.step();
  num_frames_ = all.integer(0);
  begin_ = num_frames_ == 0 || all.integer(1) != 0;
  end_ = num_frames_ == 0 || all.integer(2) != 0;
  longest_ = all.integer(3);
}

std::vector<WindowFrames::Cover> WindowFrames::find_covers() {
  // Blocks are as long as the longest frame, so that no frame has more than two of them. A frame
  // within one is two parts of the smaller blocks whose border lies in it.
  const int64_t width = width_for(longest_);
  const auto code = [](Cover::Kind kind, int64_t of_width) { return code_of({kind, of_width}); };
  const std::string mask = std::to_string((int64_t{1} << width) - 1);
  std::string text = fmt::format(
      "CASE WHEN window_low IS NULL THEN NULL WHEN window_low = window_high THEN {} "
      "WHEN window_low >> {w} <> window_high >> {w} THEN {} "
      "WHEN window_begins OR window_low & {m} = 0 THEN {} "
      "WHEN window_ends OR window_high & {m} = {m} THEN {}",
      code(Cover::Kind::single, 0), code(Cover::Kind::pair, width), code(Cover::Kind::head, width),
      code(Cover::Kind::tail, width), fmt::arg("w", width), fmt::arg("m", mask));
  for (int64_t half = 0; half < width; ++half) {
    text += fmt::format(" WHEN window_low >> {0} = window_high >> {0} THEN {1}", half + 1,
                        code(Cover::Kind::pair, half));
  }
  frames_ =
      compiler_.make_relation(fmt::format("SELECT *, {} END AS window_cover FROM {} ORDER BY rowid",
                                          text, sqlite_name(frames_->table)));
  std::vector<Cover> covers;
  for (const int64_t number : compiler_.connection().integers(
           fmt::format("SELECT DISTINCT window_cover FROM {} WHERE window_cover IS NOT NULL ORDER "
                       "BY window_cover",
                       sqlite_name(frames_->table)))) {
    covers.push_back(cover_of(number));
  }
  return covers;
}

RelationPtr WindowFrames::merged(const std::vector<int64_t>& widths) {
  if (widths.empty()) {
    return merged_;
  }
  std::string text = "SELECT value, window_partition";
  for (size_t number = 0; number < widths.size(); ++number) {
    text += fmt::format(", window_partition * {} + ((rowid - 1) >> {}) AS block{}", num_merged_,
                        widths[number], number + 1);
  }
  return compiler_.make_relation(text + " FROM " + sqlite_name(merged_->table) + " ORDER BY rowid");
}

RelationPtr WindowFrames::frames_of(const Cover& cover) {
  return compiler_.make_relation(
      fmt::format("SELECT window_low, window_high FROM {} WHERE window_cover = {} ORDER BY rowid",
                  sqlite_name(frames_->table), code_of(cover)));
}

RelationPtr WindowFrames::with_result(const std::string& text) {
  std::vector<RelationColumn> columns = table_->columns;
  std::vector<std::string> texts;
  for (const RelationColumn& column : columns) {
    texts.push_back(sqlite_name(column.key));
  }
  columns.push_back({aggregate_.result->column});
  texts.push_back(text + " AS " + sqlite_name(aggregate_.result->column));
  return compiler_.make_relation(fmt::format("SELECT {} FROM {} ORDER BY rowid",
                                             fmt::join(texts, ", "), sqlite_name(frames_->table)),
                                 std::move(columns));
}

RelationPtr WindowFrames::with_ends() {
  return with_result("window_high");
}

RelationPtr WindowFrames::with_begins() {
  return with_result("window_low");
}

RelationPtr WindowFrames::with_numbers() {
  return with_result(
      "CASE WHEN window_cover IS NOT NULL THEN row_number() OVER (ORDER BY window_cover IS NULL, "
      "window_cover, rowid) - 1 END");
}

}  // namespace tessera::sql
