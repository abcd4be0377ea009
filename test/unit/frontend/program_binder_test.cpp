#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/frontend/program_fixture.h"

namespace tessera::frontend {
namespace {

TEST(ProgramBinder, MatrixProductIsOneVertex) {
  EXPECT_EQ(bound("input A[i,k], B[k,j]\nC[i,j] = sum[k] A[i,k] * B[k,j]\noutput C",
                  data({{"A", "f32[2,3]"}, {"B", "f32[3,4]"}})),
            "C: f32[i=2,j=4] = sum[k=3] A[i,k] * B[k,j]\n"
            "output C");
}

}  // namespace
}  // namespace tessera::frontend
