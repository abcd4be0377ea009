#include "program/growing/statement_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::program::statement_text_test {

namespace {

using frames::OperatorKind;
using testing::ElementsAre;

StatementText read(const std::string& text) {
  return read_statement(text, [](const std::string& word) {
    return word == "S1" || word == "T2" || word == "T20" || word == "R3";
  });
}

TEST(StatementText, NamesWhatIsReadOnce) {
  EXPECT_THAT(read("[i_3] = T2[i_3] * S1[i_3] + T2[i_3] - T21[i_3] + exp(T20[i_3])").reads,
              ElementsAre("T2", "S1", "T20"));
}

TEST(StatementText, TellsKinds) {
  EXPECT_EQ(read("[i_3] = relu(T2[i_3]) + 1").kind, OperatorKind::map);
  EXPECT_EQ(read("[i_3] = T2[R3[i_3]]").kind, OperatorKind::select);
  EXPECT_EQ(read("[i_3,i_2] = sum[i_4](S1[i_3,i_4] * T2[R3[i_4],i_2])").kind,
            OperatorKind::aggregate);
  EXPECT_EQ(read("[R3[i_9] of 3] = sum[i_9] T2[i_9]").kind, OperatorKind::aggregate);
  EXPECT_EQ(read("[rows] = concat[rows](T2[rows], sum[i_4] S1[rows,i_4])").kind,
            OperatorKind::unite);
}

}  // namespace

}  // namespace tessera::program::statement_text_test
