#include <filesystem>

#include <gmock/gmock.h>

#include "base/error.h"
#include "engine/files/input_files.h"
#include "engine/files/result_files.h"
#include "engine/session.h"
#include "unit/io/scratch_directory.h"
#include "unit/io/thrown_error.h"

namespace tessera::engine::files_test {
namespace {

using io::ScratchDirectory;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

const std::vector<plan::SinkInfo> kResults = {{"C", {DType::f32, {2}}}, {"D", {DType::f32, {2}}}};

Program program(const std::string& text) {
  return {{"p.ein", text}};
}

/// Writes zeros to a file through a session's format.
void write_zeros(const Session& session, const std::string& path, const ArrayType& type) {
  session.formats()
      .for_path(path)
      .create(session.formats().place_of(path, ""), type)
      ->commit(store::Durability::process);
}

TEST(InputFiles, AProgramRunsFromFilesToFiles) {
  const ScratchDirectory scratch;
  const Session session;
  write_zeros(session, scratch.path("A.npy"), {DType::f32, {3}});
  const Source source = program("input A[i]\nC[i] = A[i] + 1\ns = sum[i] C[i]\noutput C, s");
  InputFiles inputs(session.formats());
  inputs.open("A", scratch.path("A.npy"), declared_inputs(source).at("A").dtype);
  const Stages stages = session.plan(source, {inputs.types(), {}});
  ResultFiles results(session.formats(),
                      bind_results({{"C", scratch.path("C.npy")}, {"s", scratch.path("s.npy")}},
                                   stages.plan().tasks.sinks));
  session.run(stages.plan(), inputs.sources(), results.sinks());
  EXPECT_THAT(scratch.names(), ElementsAre("A.npy"));
  results.commit(store::Durability::process);
  InputFiles written(session.formats());
  written.open("s", scratch.path("s.npy"), std::nullopt);
  float sum = 0;
  written.sources().at("s")->read(
      dense_view(reinterpret_cast<std::byte*>(&sum), DType::f32, whole({})));
  EXPECT_EQ(sum, 3);
}

TEST(InputFiles, TakeTheDtypeThatIsSaidWithTheFile) {
  const ScratchDirectory scratch;
  const Session session;
  write_zeros(session, scratch.path("A.npy"), {DType::u16, {3}});
  InputFiles inputs(session.formats());
  inputs.open("A", "bf16:" + scratch.path("A.npy"), DType::u16);
  EXPECT_THAT(inputs.types(), ElementsAre(Pair("A", ArrayType{DType::bf16, {3}})));
}

TEST(InputFiles, AreNamedForTheirFiles) {
  EXPECT_THAT(operand_names({"a/X.npy", "bf16:X.npy", "Y.csv"}), ElementsAre("X", "X_2", "Y"));
}

TEST(DeclaredTypes, AreThoseWhoseHeaderSaysAll) {
  const Source source = program("input A[i=3, j=4] : i32, B[i=3], C[k]\nD[i] = B[i]");
  EXPECT_THAT(declared_types(source), ElementsAre(Pair("A", ArrayType{DType::i32, {3, 4}}),
                                                  Pair("B", ArrayType{DType::f32, {3}})));
  EXPECT_THAT(declared_types(Equation{"i->", {"A"}, {}}), IsEmpty());
}

TEST(BindResults, GivesEveryResultItsFile) {
  const std::vector<ResultFile> files = bind_results({{"D", "d.npy"}}, kResults);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].name, "D");
  EXPECT_EQ(files[0].path, "d.npy");
  EXPECT_EQ(bind_results({{"", "c.npy"}}, {kResults[0]})[0].name, "C");
}

TEST(BindResults, SaysWhatIsNoResult) {
  const auto message = [](const std::vector<std::pair<std::string, std::string>>& bindings) {
    return thrown_error([&] { bind_results(bindings, kResults); }).message();
  };
  EXPECT_EQ(message({{"E", "e.npy"}}), "there is no result E; the program has C, D");
  EXPECT_EQ(message({{"", "e.npy"}}),
            "a file is given without the name of its result; the results are C, D");
  EXPECT_EQ(message({{"C", "a.npy"}, {"C", "b.npy"}}),
            "C goes to a.npy and to b.npy: a result goes to one file");
}

TEST(ResultFiles, TakeAPlaceEach) {
  const ScratchDirectory scratch;
  const Session session;
  const std::string archive = scratch.path("r.npz");
  const auto create = [&](const std::string& c, const std::string& d) {
    ResultFiles(session.formats(), bind_results({{"C", c}, {"D", d}}, kResults));
  };
  EXPECT_NO_THROW(create(archive, archive));
  EXPECT_THAT(thrown_error([&] { create(archive, archive + ":C"); }).message(),
              HasSubstr("name one place: each result needs its own"));
  EXPECT_THAT(thrown_error([&] { create(scratch.path("c.csv"), archive); }).message(),
              HasSubstr("csv files are only read, not written"));
  EXPECT_THAT(scratch.names(), IsEmpty());
}

}  // namespace
}  // namespace tessera::engine::files_test
