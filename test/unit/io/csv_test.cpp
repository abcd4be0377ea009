#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/format.h"
#include "unit/io/scratch_directory.h"
#include "unit/io/thrown_error.h"

namespace tessera::io::csv_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Table {
  ArrayType type;
  std::vector<double> values;
};

std::unique_ptr<store::TileSource> open(const std::string& path,
                                        std::optional<DType> declared = {}) {
  FormatRegistry registry;
  register_all_formats(registry);
  return registry.for_path(path).open(path, declared);
}

Table table_of(const std::string& text, const std::string& name = "A.csv") {
  const ScratchDirectory scratch;
  const auto source = open(scratch.file(name, text));
  Table table{source->type(), {}};
  table.values.resize(static_cast<size_t>(num_elements(table.type.shape)));
  source->read(dense_view(reinterpret_cast<std::byte*>(table.values.data()), table.type.dtype,
                          whole(table.type.shape)));
  return table;
}

std::string error_of(const std::string& text) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("A.csv", text);
  const Error error = thrown_error([&] { open(path); });
  EXPECT_EQ(error.kind(), ErrorKind::user);
  EXPECT_TRUE(error.message().starts_with(path)) << error.message();
  return error.message().substr(path.size());
}

TEST(Csv, ReadsEverySeparator) {
  for (const std::string text : {"1,2,3\n4,5,6\n", "1;2;3\n4;5;6", "1\t2\t3\n4\t5\t6\n",
                                 "  1 2   3 \n4  5 6\n", "1 , 2,3 \r\n4,5,\t6\r\n"}) {
    const Table table = table_of(text);
    EXPECT_EQ(table.type, (ArrayType{DType::f64, {2, 3}})) << text;
    EXPECT_THAT(table.values, ElementsAre(1, 2, 3, 4, 5, 6)) << text;
  }
}

TEST(Csv, ReadsOneColumnAsOneMode) {
  const Table table = table_of("1\n2\n3\n", "A.txt");
  EXPECT_EQ(table.type, (ArrayType{DType::f64, {3}}));
  EXPECT_THAT(table.values, ElementsAre(1, 2, 3));
}

TEST(Csv, ReadsOneRowAsTwoModes) {
  EXPECT_EQ(table_of("1,2\n").type.shape, (Shape{1, 2}));
  EXPECT_EQ(table_of("7").type.shape, Shape{1});
}

TEST(Csv, SkipsHeaderCommentsAndBlankLines) {
  const Table table =
      table_of("\xEF\xBB\xBF# made by hand\n\nheight,\"width\"\n1,2\n\n# end\n3,4\n");
  EXPECT_EQ(table.type.shape, (Shape{2, 2}));
  EXPECT_THAT(table.values, ElementsAre(1, 2, 3, 4));
}

TEST(Csv, ReadsEveryKindOfNumber) {
  const Table table = table_of("+1.5,-2e-3,.5,1e400,-inf,0.1\n");
  EXPECT_THAT(table.values, ElementsAre(1.5, -2e-3, .5, INFINITY, -INFINITY, 0.1));
  EXPECT_TRUE(std::isnan(table_of("nan,1").values[0]));
}

TEST(Csv, ReadsTablesLargerThanItsBuffers) {
  std::string text;
  for (int row = 0; row < 60'000; ++row) {
    text += fmt::format("{},{},{}\n", 3 * row, 3 * row + 1, 3 * row + 2);
  }
  text.pop_back();
  const Table table = table_of(text);
  ASSERT_EQ(table.type.shape, (Shape{60'000, 3}));
  for (size_t position = 0; position < table.values.size(); ++position) {
    ASSERT_EQ(table.values[position], static_cast<double>(position));
  }
  std::string line = "0";
  for (int column = 1; column < 100'000; ++column) {
    line += fmt::format(" {}", column);
  }
  EXPECT_EQ(table_of(line).values.back(), 99'999);
  EXPECT_EQ(error_of(text + "\n1,x,2"), ":60001:3: 'x' is not a number");
}

TEST(Csv, ReadsByBox) {
  const ScratchDirectory scratch;
  const auto source = open(scratch.file("A.csv", "1,2,3\n4,5,6\n7,8,9\n"));
  std::vector<double> part(4);
  source->read(dense_view(reinterpret_cast<std::byte*>(part.data()), DType::f64, {{1, 1}, {2, 2}}));
  EXPECT_THAT(part, ElementsAre(5, 6, 8, 9));
}

TEST(Csv, NamesLineAndColumnOfAnError) {
  EXPECT_EQ(error_of("a,b\n1,2\n3,x4\n"), ":3:3: 'x4' is not a number");
  EXPECT_EQ(error_of("1,2\n3,,4\n"), ":2:4: 3 fields, but line 1 has 2");
  EXPECT_EQ(error_of("1,2\n3\n"), ":2:1: 1 fields, but line 1 has 2");
  EXPECT_EQ(error_of("1,2\n3,\n"), ":2:3: an empty field; write nan where a value is missing");
  EXPECT_EQ(error_of("1;2,5\n"), ":1:3: '2,5' is not a number");
  EXPECT_EQ(error_of("a,2\n"), ":1:1: 'a' is not a number");
  EXPECT_EQ(error_of("1 2\n3 +-4\n"), ":2:3: '+-4' is not a number");
  EXPECT_EQ(error_of("1 2\n3 \x93NUM\x01\n"), ":2:3: '\\x93NUM\\x01' is not a number");
}

TEST(Csv, RefusesFilesWithoutNumbers) {
  for (const std::string text : {"", "\n\n", "# 1\n"}) {
    EXPECT_EQ(error_of(text), " holds no numbers") << text;
  }
  EXPECT_EQ(error_of("a,b\n"),
            " holds no numbers; its only line names columns, because none of its fields is a "
            "number (numbers stand without quotes)");
}

TEST(Csv, IsReadAsF64Only) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("A.csv", "1");
  EXPECT_EQ(open(path, DType::f64)->type().dtype, DType::f64);
  EXPECT_THAT(thrown_error([&] { open(path, DType::f32); }).message(),
              HasSubstr("read as f64, but f32 was declared"));
}

}  // namespace
}  // namespace tessera::io::csv_test
