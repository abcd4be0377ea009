#include "simulate/cluster.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "simulate/quantity.h"

namespace tessera::simulate::cluster_test {
namespace {

using testing::HasSubstr;
using testing::Not;

Cluster from_text(const std::string& text) {
  return parse_cluster_text({"<cluster>", text});
}

Cluster from_toml(const std::string& text) {
  return parse_cluster_toml({"cluster.toml", text});
}

template <class Parse>
std::string message_of(Parse parse, const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user);
    return error.what();
  }
  return "";
}

TEST(Quantity, HasAUnit) {
  EXPECT_EQ(parse_quantity("10Gbps")->value, 1.25e9);
  EXPECT_EQ(parse_quantity("10 Gbps")->measure, Measure::bytes_per_second);
  EXPECT_EQ(parse_quantity("1.5GB/s")->value, 1.5e9);
  EXPECT_EQ(parse_quantity("64GiB")->value, 64.0 * (1 << 30));
  EXPECT_EQ(parse_quantity("64GiB")->measure, Measure::bytes);
  EXPECT_DOUBLE_EQ(parse_quantity("50us")->value, 50e-6);
  EXPECT_EQ(parse_quantity("55Gflops")->measure, Measure::flops_per_second);
  for (const char* text : {"", "10", "Gbps", "-1s", "10 parsecs", "infGbps", "nan s"}) {
    EXPECT_FALSE(parse_quantity(text).has_value()) << text;
  }
}

TEST(ClusterText, SaysSitesCoresLinksAndMemory) {
  const Cluster cluster = from_text("10x8c,10Gbps,64GiB");
  ASSERT_EQ(cluster.num_sites(), 10);
  EXPECT_EQ(cluster.num_cores(), 80);
  EXPECT_EQ(cluster.sites[9].cores, 8);
  EXPECT_EQ(cluster.sites[9].link_bytes_per_second, 1.25e9);
  EXPECT_EQ(cluster.sites[9].memory_bytes, int64_t{64} << 30);
  EXPECT_EQ(to_string(cluster), "10 sites of 8 cores and 64 GiB, links of 10 Gbit/s");
}

TEST(ClusterText, TakesTheRestInAnyOrder) {
  const Cluster cluster = from_text("2x1c,5us,1GiB,60Gflops,1GB/s");
  EXPECT_DOUBLE_EQ(cluster.network.latency_seconds, 5e-6);
  EXPECT_EQ(cluster.sites[0].link_bytes_per_second, 1e9);
  EXPECT_DOUBLE_EQ(cluster.sites[0].speed, 0.5);
}

TEST(ClusterText, PointsAtWhatIsWrong) {
  EXPECT_EQ(message_of(from_text, "8c,10Gbps"),
            "<cluster>:1:1: error: '8c' does not say how many sites there are, of how many cores\n"
            "  8c,10Gbps\n"
            "  ^^\n"
            "  help: 10x8c,10Gbps,64GiB describes ten sites of eight cores each");
  EXPECT_THAT(message_of(from_text, "10x8c,10Gbits"), HasSubstr("<cluster>:1:7"));
  EXPECT_THAT(message_of(from_text, "10x8c,10Gbps,1Gbps"), HasSubstr("says again"));
  EXPECT_THAT(message_of(from_text, "10x8c,0GiB"), HasSubstr("must be from 1 B to 1e18 B"));
  EXPECT_THAT(message_of(from_text, "10x8c,1e30GiB"), HasSubstr("must be from 1 B to 1e18 B"));
  EXPECT_THAT(message_of(from_text, "10x8c,1e7s"), HasSubstr("must be at most 1e6 s"));
  EXPECT_THAT(message_of(from_text, "100000x8c"), HasSubstr("at most 65536 sites"));
  EXPECT_THAT(message_of(from_text, "0x8c"), HasSubstr("how many sites"));
  EXPECT_THAT(message_of(from_text, "10x8c,"), HasSubstr("<cluster>:1:7"));
}

TEST(ClusterToml, SaysGroupsOfSitesNetworkFilesAndKernels) {
  const Cluster cluster = from_toml(R"(
files = "memory"
[[sites]]
count = 2
cores = 8
memory = "64GiB"
link = "10Gbps"
link_per_core = "2GB/s"
move_overhead = "5us"
disk_read = "500MB/s"
[[sites]]
cores = 4
speed = 0.5
[network]
latency = "20us"
efficiency = 0.9
moves_at_once = 4
sites_per_rack = 2
rack_link = "40Gbps"
[kernels]
gemm_flops_per_second_f32 = 55e9
)");
  ASSERT_EQ(cluster.num_sites(), 3);
  EXPECT_EQ(cluster.sites[1].cores, 8);
  EXPECT_EQ(cluster.sites[1].core_link_bytes_per_second, 2e9);
  EXPECT_DOUBLE_EQ(cluster.sites[1].move_overhead_seconds, 5e-6);
  EXPECT_EQ(cluster.sites[1].disk_read_bytes_per_second, 5e8);
  EXPECT_EQ(cluster.sites[2].cores, 4);
  EXPECT_EQ(cluster.sites[2].speed, 0.5);
  EXPECT_TRUE(cluster.has_inputs_in_memory);
  EXPECT_TRUE(cluster.has_results_in_memory);
  EXPECT_DOUBLE_EQ(cluster.network.latency_seconds, 20e-6);
  EXPECT_EQ(cluster.network.moves_at_once, 4);
  EXPECT_EQ(cluster.network.sites_per_rack, 2);
  EXPECT_EQ(cluster.network.rack_bytes_per_second, 5e9);
  EXPECT_DOUBLE_EQ(cluster.data_rate(0), 1.25e9 * 0.9);
  EXPECT_EQ(cluster.kernels.gemm_flops_per_second_f32, 55e9);
  EXPECT_EQ(to_string(cluster), "3 sites that differ, 20 cores in all");
}

TEST(ClusterToml, SaysWhereInputsAndResultsAreAndWhatFilesTake) {
  const Cluster cluster = from_toml(R"(
[[sites]]
[files]
results = "memory"
read_call_seconds = 1e-6
)");
  EXPECT_FALSE(cluster.has_inputs_in_memory);
  EXPECT_TRUE(cluster.has_results_in_memory);
  EXPECT_EQ(cluster.files.read_call_seconds, 1e-6);
  EXPECT_EQ(machine_of(cluster).files.read_call_seconds, 1e-6);
  EXPECT_THAT(message_of(from_toml, "[[sites]]\n[files]\ninputs = \"tape\"\n"),
              HasSubstr("cluster.toml:3:10: error: inputs says where inputs are"));
  EXPECT_THAT(message_of(from_toml, "[[sites]]\n[files]\nread_calls = 1e-6\n"),
              HasSubstr("no rate of a file is called read_calls"));
}

TEST(ClusterToml, PointsAtWhatIsWrong) {
  EXPECT_EQ(message_of(from_toml, "[[sites]]\ncores = 8\nmemry = \"64GiB\"\n"),
            "cluster.toml:3:1: error: nothing of a cluster is called memry\n"
            "  memry = \"64GiB\"\n"
            "  ^^^^^\n"
            "  help: did you mean 'memory'?");
  EXPECT_THAT(message_of(from_toml, "[[sites]]\ncores = \"8\"\n"),
              HasSubstr("cluster.toml:2:9: error: cores is a whole number"));
  EXPECT_THAT(message_of(from_toml, "[[sites]]\nlink = \"64GiB\"\n"),
              HasSubstr("link is an amount with its unit, in quotes"));
  EXPECT_THAT(message_of(from_toml, "[[sites]]\ncores = \n"), HasSubstr("cluster.toml:2:"));
  EXPECT_THAT(message_of(from_toml, "[network]\nlatency = \"1us\"\n"),
              HasSubstr("a cluster has sites"));
  EXPECT_THAT(message_of(from_toml, "[[sites]]\n[network]\nsites_per_rack = 4\n"),
              HasSubstr("racks need sites_per_rack and rack_link"));
  EXPECT_THAT(message_of(from_toml, "[[sites]]\n[kernels]\ngemm_flops_per_second = 1e9\n"),
              HasSubstr("no rate of a kernel is called gemm_flops_per_second"));
  EXPECT_THAT(message_of(from_toml, "files = \"tape\"\n[[sites]]\n"),
              HasSubstr("files says where inputs and results are"));
  EXPECT_EQ(message_of(from_toml, "[[sites]]\n[network]\nfiles = \"memory\"\n"),
            "cluster.toml:3:1: error: files does not stand under [network]\n"
            "  files = \"memory\"\n"
            "  ^^^^^\n"
            "  help: it stands before the first table of the file");
  EXPECT_THAT(message_of(from_toml, "latency = \"1us\"\n[[sites]]\n"),
              HasSubstr("help: it stands under [network]"));
}

TEST(ClusterToml, LineBreaksOfWindowsAreNoneOfItsCharacters) {
  EXPECT_EQ(from_toml("[[sites]]\r\ncores = 8\r\n").sites[0].cores, 8);
  const std::string message = message_of(from_toml, "[[sites]]\r\ncores =\r\n[network]\r\n");
  EXPECT_THAT(message, HasSubstr("cluster.toml:2:8: error: this is no TOML"));
  EXPECT_THAT(message, Not(HasSubstr("\\r")));
}

TEST(Cluster, FileThatIsMissingIsNamed) {
  EXPECT_THAT(message_of([](const std::string& name) { return load_cluster(name); }, "2x"),
              HasSubstr("'2x' does not say"));
  EXPECT_THROW(load_cluster("no/such.toml"), Error);
}

TEST(Cluster, PlansAreForItsSmallestSite) {
  const Cluster cluster = from_toml(
      "[[sites]]\ncores = 8\nmemory = \"4GiB\"\n[[sites]]\ncores = 2\nmemory = \"8GiB\"\n");
  const Machine machine = machine_of(cluster);
  EXPECT_EQ(machine.threads, 2);
  EXPECT_EQ(machine.host().bytes, int64_t{4} << 30);
}

}  // namespace
}  // namespace tessera::simulate::cluster_test
