#include "program/processes/program_message.h"

#include <span>

#include <gtest/gtest.h>

#include "base/error.h"

namespace tessera::program::program_message_test {

namespace {

TEST(ProgramMessage, ArrivesAsItWasSent) {
  const ProgramMessage sent{
      "einsum\n",
      {"T1", "T2"},
      {"S1", "R2"},
      {{"S3",
        {DType::f32, {2, 3, 4}},
        2,
        {{0, "tensors/1.npy", "rows", {DType::f32, {4, 4}}, ""},
         {4, "x", "", {DType::f32, {1, 4}}, ""},
         {5, "", "", {DType::i8, {1, 4}}, std::string("\1\0\3\4", 4)}},
        ""},
       {"R4", {DType::i64, {2}}, 1, {}, std::string("\0\1{}\n\0\0\0", 8)}},
      {"R2", "S3"},
      {{"T1", {DType::f64, {6}}, {2, 3}, "/proc/1/fd/3"}, {"T2", {DType::f64, {1}}, {}, ""}}};
  const std::string bytes = to_bytes(sent);
  const ProgramMessage heard = message_of(std::as_bytes(std::span(bytes)));
  EXPECT_EQ(to_bytes(heard), bytes);
  EXPECT_EQ(heard.graph, sent.graph);
  EXPECT_EQ(heard.defined, sent.defined);
  EXPECT_EQ(heard.known, sent.known);
  EXPECT_EQ(heard.reads, sent.reads);
  ASSERT_EQ(heard.inputs.size(), 2u);
  ASSERT_EQ(heard.inputs[0].rows.size(), 3u);
  EXPECT_EQ(heard.inputs[0].num_grid_modes, 2);
  EXPECT_EQ(heard.inputs[0].rows[1].first_row, 4);
  EXPECT_EQ(heard.inputs[0].rows[0].type, sent.inputs[0].rows[0].type);
  EXPECT_EQ(heard.inputs[0].rows[2].bytes, sent.inputs[0].rows[2].bytes);
  EXPECT_EQ(heard.inputs[1].bytes, sent.inputs[1].bytes);
  ASSERT_EQ(heard.results.size(), 2u);
  EXPECT_EQ(heard.results[0].grid, sent.results[0].grid);
  EXPECT_EQ(heard.results[0].place, sent.results[0].place);
}

TEST(ProgramMessage, IsNotReadBeyondItsEnd) {
  const std::string bytes = to_bytes({"einsum\n", {}, {}, {}, {}, {}});
  EXPECT_THROW(message_of(std::as_bytes(std::span(bytes)).first(bytes.size() - 1)), Error);
}

}  // namespace

}  // namespace tessera::program::program_message_test
