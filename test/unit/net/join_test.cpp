#include "net/join.h"

#include <cstdlib>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace tessera::net::join_test {
namespace {

// This program does not say where libraries that are opened lie, as where they are not installed.

TEST(Join, LoadsNothingWhereAProcessRunsAlone) {
  EXPECT_EQ(join(), nullptr);
  EXPECT_EQ(::dlopen("libmpi.so.40", RTLD_NOW | RTLD_NOLOAD), nullptr);
}

TEST(Join, NamesTheLibraryThatIsMissing) {
  ::setenv("OMPI_COMM_WORLD_RANK", "0", 1);  // NOLINT(concurrency-mt-unsafe)
  ::setenv("OMPI_COMM_WORLD_SIZE", "2", 1);  // NOLINT(concurrency-mt-unsafe)
  try {
    join();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    EXPECT_THAT(error.message(),
                testing::StartsWith("running under mpirun with others needs libtessera_mpi.so"));
  }
  ::unsetenv("OMPI_COMM_WORLD_RANK");  // NOLINT(concurrency-mt-unsafe)
  ::unsetenv("OMPI_COMM_WORLD_SIZE");  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace
}  // namespace tessera::net::join_test
