#include "net/launcher.h"

#include <map>

#include <gtest/gtest.h>

namespace tessera::net::launcher_test {
namespace {

using Variables = std::map<std::string, std::string>;

std::optional<Launcher> launcher_in(const Variables& variables) {
  return launcher_of([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Launcher, IsNoneWithoutOne) {
  EXPECT_FALSE(launcher_in({{"PATH", "/bin"}}));
}

TEST(Launcher, IsMpirun) {
  const auto launcher = launcher_in({{"OMPI_COMM_WORLD_RANK", "3"},
                                     {"OMPI_COMM_WORLD_SIZE", "7"},
                                     {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                                     {"PMIX_RANK", "3"}});
  ASSERT_TRUE(launcher);
  EXPECT_EQ(launcher->name, "mpirun");
  EXPECT_EQ(launcher->num_processes, 7);
  EXPECT_EQ(launcher->num_on_host, 4);
}

TEST(Launcher, OfOneProcessIsNone) {
  EXPECT_FALSE(launcher_in(
      {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}, {"PMIX_RANK", "0"}}));
  EXPECT_FALSE(
      launcher_in({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}, {"PMIX_RANK", "0"}}));
}

TEST(Launcher, IsSrun) {
  const auto launcher = launcher_in({{"SLURM_PROCID", "0"},
                                     {"SLURM_NTASKS", "8"},
                                     {"SLURM_STEP_NUM_TASKS", "6"},
                                     {"SLURM_STEP_TASKS_PER_NODE", "3(x2)"}});
  ASSERT_TRUE(launcher);
  EXPECT_EQ(launcher->name, "srun");
  EXPECT_EQ(launcher->num_processes, 6);
  EXPECT_FALSE(launcher->num_on_host);
  const auto on_one = launcher_in(
      {{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "6"}, {"SLURM_STEP_TASKS_PER_NODE", "6"}});
  ASSERT_TRUE(on_one);
  EXPECT_EQ(on_one->num_on_host, 6);
}

TEST(Launcher, IsNoneInAShellOfSlurm) {
  EXPECT_FALSE(launcher_in({{"SLURM_NTASKS", "8"}, {"SLURM_JOB_ID", "5"}}));
  // A batch script is process 0 of a job, and of no step.
  EXPECT_FALSE(launcher_in({{"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}}));
}

TEST(Launcher, IsMpirunInAShellOfSlurm) {
  const auto launcher = launcher_in({{"SLURM_PROCID", "0"},
                                     {"SLURM_STEP_NUM_TASKS", "1"},
                                     {"OMPI_COMM_WORLD_RANK", "1"},
                                     {"OMPI_COMM_WORLD_SIZE", "2"}});
  ASSERT_TRUE(launcher);
  EXPECT_EQ(launcher->num_processes, 2);
}

TEST(Launcher, IsOneOfPmiOrPmix) {
  const auto pmi = launcher_in({{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}, {"MPI_LOCALNRANKS", "2"}});
  ASSERT_TRUE(pmi);
  EXPECT_EQ(pmi->num_processes, 4);
  EXPECT_EQ(pmi->num_on_host, 2);
  const auto pmix = launcher_in({{"PMIX_RANK", "1"}});
  ASSERT_TRUE(pmix);
  EXPECT_FALSE(pmix->num_processes);
}

}  // namespace
}  // namespace tessera::net::launcher_test
