#include "base/table.h"

#include <gtest/gtest.h>

namespace tessera::table_test {
namespace {

TEST(Table, AmountsEndTogether) {
  EXPECT_EQ(table_text({{"site", "bytes", "note"}, {"s0", "7", ""}, {"s1", "1234567", "all"}},
                       Columns::amounts),
            "site    bytes  note\n"
            "s0          7  \n"
            "s1    1234567  all\n");
}

TEST(Table, WordsBeginTogether) {
  EXPECT_EQ(table_text({{"a", "placed by", "fate"}, {"long", "algebra", "chosen"}}, Columns::words),
            "a     placed by  fate\n"
            "long  algebra    chosen\n");
}

}  // namespace
}  // namespace tessera::table_test
