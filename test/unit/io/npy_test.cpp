// Reads and writes .npy files through the registry, against a naive reading of the bytes.

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstring>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/format.h"
#include "io/npy_dtype.h"
#include "io/npy_header.h"
#include "types/box_spans.h"
#include "unit/io/scratch_directory.h"
#include "unit/io/thrown_error.h"

namespace tessera::io::npy_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
namespace fs = std::filesystem;

const Format& npy() {
  static const FormatRegistry registry = [] {
    FormatRegistry formats;
    register_all_formats(formats);
    return formats;
  }();
  return registry.for_path("A.npy");
}

std::unique_ptr<store::TileSource> open(const std::string& path,
                                        std::optional<DType> declared = {}) {
  return npy().open(path, declared);
}

std::string read_box(const store::TileSource& source, const Box& box) {
  const ArrayType type{source.type().dtype, box.extent};
  std::string bytes(static_cast<size_t>(size_in_bytes(type)), '?');
  source.read(dense_view(reinterpret_cast<std::byte*>(bytes.data()), type.dtype, box));
  return bytes;
}

std::string read_all(const store::TileSource& source) {
  return read_box(source, whole(source.type().shape));
}

std::string file_bytes(const std::string& descr, bool fortran_order, const std::string& shape,
                       const std::string& elements) {
  std::string dict = "{'descr': '" + descr +
                     "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                     ", 'shape': " + shape + ", }\n";
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(dict.size());
  bytes += '\0';
  return bytes + dict + elements;
}

std::string python_shape(const Shape& shape) {
  std::string text = "(";
  for (const int64_t extent : shape) {
    text += std::to_string(extent) + ",";
  }
  return text + ")";
}

/// Elements whose bytes are all different as far as possible: element n of the dtype.
std::string counted_elements(DType dtype, int64_t count) {
  std::string bytes;
  for (int64_t byte = 0; byte < count * size_of(dtype); ++byte) {
    bytes += dtype == DType::b1 ? static_cast<char>(byte % 3 == 0)
                                : static_cast<char>((byte * 7 + byte / 251) % 256);
  }
  return bytes;
}

/// The box of a tensor given as the bytes of its elements, element by element.
std::string naive_box(const std::string& elements, int64_t element_bytes, const Shape& shape,
                      bool fortran_order, const Box& box) {
  Strides strides = dense_strides(shape);
  if (fortran_order) {
    Shape reversed(shape.rbegin(), shape.rend());
    strides = dense_strides(reversed);
    std::reverse(strides.begin(), strides.end());
  }
  const Strides in_box = dense_strides(box.extent);
  std::string bytes;
  for (int64_t element = 0; element < num_elements(box.extent); ++element) {
    int64_t place = 0;
    for (size_t mode = 0; mode < shape.size(); ++mode) {
      place += (box.origin[mode] + element / in_box[mode] % box.extent[mode]) * strides[mode];
    }
    bytes += elements.substr(static_cast<size_t>(place * element_bytes),
                             static_cast<size_t>(element_bytes));
  }
  return bytes;
}

std::string swapped(std::string bytes, DType dtype) {
  const auto word = static_cast<ptrdiff_t>(is_complex(dtype) ? size_of(dtype) / 2 : size_of(dtype));
  for (auto begin = bytes.begin(); begin != bytes.end(); begin += word) {
    std::reverse(begin, begin + word);
  }
  return bytes;
}

Shape random_shape(std::mt19937& random, int64_t most) {
  Shape shape(random() % 5);
  for (int64_t& extent : shape) {
    extent = 1 + static_cast<int64_t>(random()) % most;
  }
  return shape;
}

Box random_box(std::mt19937& random, const Shape& shape) {
  Box box;
  for (const int64_t extent : shape) {
    const int64_t length = static_cast<int64_t>(random()) % (extent + 1);
    box.extent.push_back(length);
    box.origin.push_back(static_cast<int64_t>(random()) % (extent - length + 1));
  }
  return box;
}

TEST(NpyRead, GivesRandomBoxesOfEveryDtypeAndOrder) {
  const ScratchDirectory scratch;
  std::mt19937 random(3);
  for (const DType dtype : all_dtypes()) {
    for (const bool fortran_order : {false, true}) {
      for (const bool swap : {false, true}) {
        const Shape shape = random_shape(random, 9);
        const std::string elements = counted_elements(dtype, num_elements(shape));
        std::string descr = npy_descr(dtype);
        descr[0] = swap && descr[0] == '<' ? '>' : descr[0];
        const std::string path =
            scratch.file("A.npy", file_bytes(descr, fortran_order, python_shape(shape),
                                             swap ? swapped(elements, dtype) : elements));
        const auto source = open(path, dtype);
        ASSERT_EQ(source->type(), (ArrayType{dtype, shape}));
        for (int trial = 0; trial < 10; ++trial) {
          const Box box = random_box(random, shape);
          ASSERT_EQ(read_box(*source, box),
                    naive_box(elements, size_of(dtype), shape, fortran_order, box))
              << to_string(source->type()) << (fortran_order ? " F" : " C");
        }
      }
    }
  }
}

TEST(NpyRead, GivesBoxesLargerThanItsStagingBuffer) {
  const ScratchDirectory scratch;
  std::mt19937 random(4);
  const Shape shape = {700, 3, 311};  // 5 MiB of f64; runs of 2 KiB, pages of both kinds
  const std::string elements = counted_elements(DType::f64, num_elements(shape));
  for (const bool fortran_order : {false, true}) {
    const auto source = open(
        scratch.file("A.npy", file_bytes("<f8", fortran_order, python_shape(shape), elements)));
    for (int trial = 0; trial < 6; ++trial) {
      const Box box = random_box(random, shape);
      ASSERT_TRUE(read_box(*source, box) == naive_box(elements, 8, shape, fortran_order, box));
    }
    ASSERT_TRUE(read_all(*source) == naive_box(elements, 8, shape, fortran_order, whole(shape)));
  }
}

TEST(NpyRead, GivesNarrowColumnsOfWideAndNarrowRows) {
  const ScratchDirectory scratch;
  for (const Shape& shape : {Shape{5000, 16}, Shape{300, 2000}}) {
    const std::string elements = counted_elements(DType::f32, num_elements(shape));
    const auto source =
        open(scratch.file("A.npy", file_bytes("<f4", false, python_shape(shape), elements)));
    const Box box{{1, shape[1] - 3}, {shape[0] - 1, 3}};
    ASSERT_TRUE(read_box(*source, box) == naive_box(elements, 4, shape, false, box));
  }
}

TEST(NpyRead, GivesScalarsAndEmptyTensors) {
  const ScratchDirectory scratch;
  const auto scalar = open(scratch.file("S.npy", file_bytes("<i8", false, "()", "abcdefgh")));
  EXPECT_EQ(scalar->type(), (ArrayType{DType::i64, {}}));
  EXPECT_EQ(read_all(*scalar), "abcdefgh");
  const auto empty = open(scratch.file("E.npy", file_bytes("<f8", true, "(3, 0)", "")));
  EXPECT_EQ(empty->type(), (ArrayType{DType::f64, {3, 0}}));
  EXPECT_EQ(read_all(*empty), "");
}

TEST(NpyRead, GivesTwentySevenModes) {
  const ScratchDirectory scratch;
  Shape shape(27, 1);
  shape[3] = shape[20] = shape[26] = 3;
  const std::string elements = counted_elements(DType::i32, 27);
  for (const bool fortran_order : {false, true}) {
    const auto source = open(
        scratch.file("A.npy", file_bytes("<i4", fortran_order, python_shape(shape), elements)));
    Box box = whole(shape);
    box.origin[20] = 1;
    box.extent[20] = 2;
    EXPECT_EQ(read_box(*source, box), naive_box(elements, 4, shape, fortran_order, box));
  }
}

TEST(NpyRead, MakesEveryTrueAOne) {
  const ScratchDirectory scratch;
  const auto source = open(
      scratch.file("A.npy", file_bytes("|b1", false, "(4,)", std::string("\x00\x01\x02\xFF", 4))));
  EXPECT_EQ(read_all(*source), std::string("\x00\x01\x01\x01", 4));
}

TEST(NpyRead, IgnoresWhatStandsBehindTheElements) {
  const ScratchDirectory scratch;
  EXPECT_EQ(read_all(*open(scratch.file("A.npy", file_bytes("|u1", false, "(3,)", "abcdef")))),
            "abc");
}

TEST(NpyRead, SaysThatAFileIsCutOff) {
  const ScratchDirectory scratch;
  const std::string bytes = file_bytes("<f4", false, "(2, 2)", std::string(16, 'x'));
  for (size_t length = 0; length < bytes.size(); ++length) {
    const std::string path = scratch.file("A.npy", bytes.substr(0, length));
    EXPECT_THAT(thrown_error([&] { open(path); }).message(), HasSubstr(path)) << length;
  }
  const std::string path = scratch.file("A.npy", bytes.substr(0, bytes.size() - 1));
  const Error error = thrown_error([&] { open(path); });
  EXPECT_EQ(error.kind(), ErrorKind::resource);
  EXPECT_EQ(error.message(), path +
                                 " is cut off: its header says f32[2,2], which is 16 bytes of "
                                 "elements, and the file holds 15; write it anew");
}

TEST(NpyRead, SaysThatAFileBecameShorter) {
  const ScratchDirectory scratch;
  const std::string path =
      scratch.file("A.npy", file_bytes("<f4", false, "(2, 2)", std::string(16, 'x')));
  const auto source = open(path);
  fs::resize_file(path, 80);
  const Error error = thrown_error([&] { read_all(*source); });
  EXPECT_EQ(error.kind(), ErrorKind::resource);
  EXPECT_THAT(error.message(), HasSubstr(path + " ends at byte 80, but "));
  fs::resize_file(path, 10);
  EXPECT_THAT(thrown_error([&] { read_all(*source); }).message(),
              HasSubstr(path + " ends at byte 10, but "));
}

TEST(NpyRead, SaysThatAFileWasWrittenMeanwhile) {
  const ScratchDirectory scratch;
  const std::string bytes = file_bytes("<f4", false, "(2, 2)", std::string(16, 'x'));
  const std::string path = scratch.file("A.npy", bytes);
  const auto source = open(path);
  EXPECT_NO_THROW(source->check_unchanged());
  scratch.file("A.npy", bytes);  // the same bytes at another time
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(1));
  const Error error = thrown_error([&] { source->check_unchanged(); });
  EXPECT_EQ(error.kind(), ErrorKind::user);
  EXPECT_THAT(error.message(), HasSubstr(path + " was changed while it was read"));
}

TEST(NpyRead, DoesNotMindThatAFileIsReplaced) {
  const ScratchDirectory scratch;
  const std::string path =
      scratch.file("A.npy", file_bytes("<f4", false, "(2, 2)", std::string(16, 'x')));
  const auto source = open(path);
  fs::rename(scratch.file("B.npy", "other"), path);  // the old file is read on
  EXPECT_NO_THROW(source->check_unchanged());
}

TEST(NpyRead, SaysWhatIsThereInstead) {
  const ScratchDirectory scratch;
  scratch.file("weights.npy", "");
  const Error missing = thrown_error([&] { open(scratch.path("wieghts.npy")); });
  EXPECT_EQ(missing.kind(), ErrorKind::user);
  EXPECT_THAT(missing.message(),
              HasSubstr("no such file; did you mean '" + scratch.path("weights.npy") + "'?"));
  scratch.file("2.npy", "");  // another number, and no misspelt one
  EXPECT_THAT(thrown_error([&] { open(scratch.path("1.npy")); }).message(),
              testing::EndsWith("there is no such file"));
  EXPECT_THAT(thrown_error([&] { open(scratch.path("no/A.npy")); }).message(),
              HasSubstr("there is no directory " + scratch.path("no")));
  fs::create_directory(scratch.path("D.npy"));
  EXPECT_THAT(thrown_error([&] { open(scratch.path("D.npy")); }).message(),
              HasSubstr("it is a directory"));
  ASSERT_EQ(::mkfifo(scratch.path("pipe.npy").c_str(), 0600), 0);
  EXPECT_THAT(thrown_error([&] { open(scratch.path("pipe.npy")); }).message(),
              HasSubstr("not a regular file"));
}

TEST(NpyRead, SaysThatAFileMayNotBeRead) {
  if (::geteuid() == 0) {
    GTEST_SKIP() << "root may read every file";
  }
  const ScratchDirectory scratch;
  const std::string path = scratch.file("A.npy", "");
  fs::permissions(path, fs::perms::none);
  const Error error = thrown_error([&] { open(path); });
  EXPECT_EQ(error.kind(), ErrorKind::resource);
  EXPECT_THAT(error.message(), HasSubstr("Permission denied; make it readable"));
}

TEST(NpyRead, ServesManyThreads) {
  const ScratchDirectory scratch;
  const Shape shape = {64, 500};
  const std::string elements = counted_elements(DType::f32, num_elements(shape));
  const auto source = open(scratch.file("A.npy", file_bytes("<f4", true, "(64,500)", elements)));
  const auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (int trial = 0; trial < 20; ++trial) {
      const Box box = random_box(random, shape);
      EXPECT_TRUE(read_box(*source, box) == naive_box(elements, 4, shape, true, box));
    }
  };
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back(work, seed);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TileView view_of(std::string& bytes, const ArrayType& type) {
  return dense_view(reinterpret_cast<std::byte*>(bytes.data()), type.dtype, whole(type.shape));
}

TEST(NpyWrite, WritesTheBytesThatNumpyWrites) {
  const ScratchDirectory scratch;
  const ArrayType type{DType::f32, {1, 2}};
  std::string elements = "abcdefgh";
  const auto sink = npy().create(scratch.path("A.npy"), type);
  sink->write(view_of(elements, type));
  sink->commit(store::Durability::process);
  // numpy 1.24: numpy.save of a float32 array of shape (1, 2).
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
  expected += "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
  expected += std::string(127 - expected.size(), ' ') + "\n" + elements;
  EXPECT_EQ(read_bytes(scratch.path("A.npy")), expected);
  EXPECT_THAT(scratch.names(), ElementsAre("A.npy"));
}

TEST(NpyWrite, TakesRandomGridsOfDenseAndStridedParts) {
  const ScratchDirectory scratch;
  std::mt19937 random(5);
  for (const DType dtype : all_dtypes()) {
    for (const bool strided : {false, true}) {
      const ArrayType type{dtype, random_shape(random, 12)};
      std::string elements = counted_elements(dtype, num_elements(type.shape));
      const auto sink = npy().create(scratch.path("A.npy"), type);
      const int64_t max_elements = 1 + static_cast<int64_t>(random() % 50);
      for (const Box& part : blocks_of(whole(type.shape), max_elements, max_elements)) {
        if (strided) {
          sink->write(subview(view_of(elements, type), part));
        } else {
          std::string dense = naive_box(elements, size_of(dtype), type.shape, false, part);
          sink->write(dense_view(reinterpret_cast<std::byte*>(dense.data()), dtype, part));
        }
      }
      sink->commit(store::Durability::process);
      const auto source = open(scratch.path("A.npy"));
      ASSERT_EQ(source->type(), type);
      ASSERT_EQ(read_all(*source), elements);
    }
  }
}

TEST(NpyWrite, TakesATransposedViewLargerThanItsStagingBuffer) {
  const ScratchDirectory scratch;
  const Shape shape = {300, 500};
  std::string elements = counted_elements(DType::f64, num_elements(shape));
  const auto* const data = reinterpret_cast<const std::byte*>(elements.data());
  const TileView transposed{const_cast<std::byte*>(data), DType::f64, {500, 300}, {1, 500}, {0, 0}};
  const auto sink = npy().create(scratch.path("A.npy"), {DType::f64, {500, 300}});
  sink->write(transposed);
  sink->commit(store::Durability::process);
  EXPECT_TRUE(read_all(*open(scratch.path("A.npy"))) ==
              naive_box(elements, 8, {500, 300}, true, whole({500, 300})));
}

TEST(NpyWrite, KeepsTheColumnsThatOtherThreadsWrite) {
  const ScratchDirectory scratch;
  const ArrayType type{DType::u16, {5000, 7}};
  std::string elements = counted_elements(type.dtype, num_elements(type.shape));
  const auto sink = npy().create(scratch.path("A.npy"), type);
  {
    std::vector<std::jthread> threads;
    for (int64_t column = 0; column < 7; ++column) {
      threads.emplace_back([&, column] {
        for (int64_t row = 0; row < 5000; row += 1000) {
          sink->write(subview(view_of(elements, type), {{row, column}, {1000, 1}}));
        }
      });
    }
  }
  sink->commit(store::Durability::process);
  EXPECT_TRUE(read_all(*open(scratch.path("A.npy"))) == elements);
}

TEST(NpyWrite, TakesScalarsAndEmptyTensors) {
  const ScratchDirectory scratch;
  for (const ArrayType& type : {ArrayType{DType::f64, {}}, ArrayType{DType::f64, {0, 3}}}) {
    std::string elements = counted_elements(DType::f64, num_elements(type.shape));
    const auto sink = npy().create(scratch.path("A.npy"), type);
    sink->write(view_of(elements, type));
    sink->commit(store::Durability::process);
    const auto source = open(scratch.path("A.npy"));
    EXPECT_EQ(source->type(), type);
    EXPECT_EQ(read_all(*source), elements);
  }
}

TEST(NpyWrite, ShowsNothingBeforeCommit) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("A.npy", "an older result");
  {
    const auto sink = npy().create(path, {DType::f32, {4}});
    const auto other = npy().create(path, {DType::f32, {4}});  // a second one does not disturb it
    EXPECT_EQ(read_bytes(path), "an older result");
  }
  EXPECT_THAT(scratch.names(), ElementsAre("A.npy"));
  EXPECT_EQ(read_bytes(path), "an older result");
}

TEST(NpyWrite, ReplacesTheFileBehindALink) {
  const ScratchDirectory scratch;
  scratch.file("B.npy", "old");
  fs::create_symlink("B.npy", scratch.path("A.npy"));
  npy().create(scratch.path("A.npy"), {DType::bf16, {4}})->commit(store::Durability::process);
  EXPECT_TRUE(fs::is_symlink(scratch.path("A.npy")));
  EXPECT_EQ(open(scratch.path("A.npy"))->type(), (ArrayType{DType::bf16, {4}}));
  EXPECT_EQ(open(scratch.path("B.npy"))->type(), (ArrayType{DType::bf16, {4}}));
}

TEST(NpyWrite, WritesTheFileThatALinkLeadsToWhetherItIsThereOrNot) {
  const ScratchDirectory scratch;
  fs::create_directory(scratch.path("D"));
  fs::create_symlink("D/link.npy", scratch.path("A.npy"));
  fs::create_symlink("B.npy", scratch.path("D/link.npy"));
  npy().create(scratch.path("A.npy"), {DType::f32, {4}})->commit(store::Durability::process);
  EXPECT_TRUE(fs::is_symlink(scratch.path("A.npy")));
  EXPECT_EQ(open(scratch.path("D/B.npy"))->type(), (ArrayType{DType::f32, {4}}));
  fs::create_symlink("loop.npy", scratch.path("loop.npy"));
  EXPECT_THAT(thrown_error([&] {
                npy().create(scratch.path("loop.npy"), {DType::f32, {4}});
              }).message(),
              HasSubstr("its symbolic links lead nowhere"));
}

TEST(NpyWrite, TakesNamesAsLongAsTheSystemDoes) {
  const ScratchDirectory scratch;
  const std::string name = std::string(251, 'a') + ".npy";
  npy().create(scratch.path(name), {DType::f32, {4}})->commit(store::Durability::process);
  EXPECT_THAT(scratch.names(), ElementsAre(name));
}

TEST(NpyWrite, SaysWhereItCannotWrite) {
  const ScratchDirectory scratch;
  const auto message = [&](const std::string& path) {
    return thrown_error([&] { npy().create(path, {DType::f32, {4}}); }).message();
  };
  EXPECT_THAT(message(scratch.path("no/A.npy")),
              HasSubstr("there is no directory " + scratch.path("no") + "; create it first"));
  fs::create_directory(scratch.path("D.npy"));
  EXPECT_THAT(message(scratch.path("D.npy")), HasSubstr("it is a directory"));
  EXPECT_THAT(message("/dev/null"), HasSubstr("not a regular file"));
  EXPECT_THAT(message(""), HasSubstr("names no file"));
  EXPECT_THAT(message(scratch.path(std::string(300, 'a'))), HasSubstr("cannot write"));
}

TEST(NpyWrite, SaysThatADirectoryMayNotBeWritten) {
  if (::geteuid() == 0) {
    GTEST_SKIP() << "root may write every directory";
  }
  const ScratchDirectory scratch;
  fs::create_directory(scratch.path("locked"));
  fs::permissions(scratch.path("locked"), fs::perms::owner_read | fs::perms::owner_exec);
  const Error error = thrown_error([&] {
    npy().create(scratch.path("locked/A.npy"), {DType::f32, {4}});
  });
  EXPECT_EQ(error.kind(), ErrorKind::resource);
  EXPECT_THAT(error.message(), HasSubstr("Permission denied"));
}

/// Limits the size of files while it lives, so that a write fails as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*signal_)(int);
  rlimit before_{};
};

TEST(NpyWrite, FindsAtCreationThatAResultIsTooLarge) {
  const ScratchDirectory scratch;
  const FileSizeLimit limit(1 << 20);
  const Error error = thrown_error([&] {
    npy().create(scratch.path("A.npy"), {DType::f32, {1 << 20}});
  });
  EXPECT_EQ(error.kind(), ErrorKind::resource);
  EXPECT_THAT(error.message(), HasSubstr("cannot write " + scratch.path("A.npy")));
  EXPECT_THAT(error.message(), HasSubstr("4 MiB more needed"));
  EXPECT_THAT(error.message(), HasSubstr("free in " + scratch.path("").substr(0, 5)));
  EXPECT_TRUE(scratch.names().empty());
}

TEST(NpyWrite, MarksABf16ResultAndUnmarksAnother) {
  const ScratchDirectory scratch;
  const std::string path = scratch.path("A.npy");
  npy().create(path, {DType::bf16, {4}})->commit(store::Durability::process);
  EXPECT_THAT(scratch.names(), UnorderedElementsAre("A.npy", "A.npy.dtype"));
  EXPECT_EQ(read_bytes(path + ".dtype"), "bf16\n");
  EXPECT_THAT(read_bytes(path), HasSubstr("'descr': '<u2'"));
  EXPECT_EQ(open(path)->type().dtype, DType::bf16);
  EXPECT_EQ(open(path, DType::bf16)->type().dtype, DType::bf16);

  { const auto abandoned = npy().create(path, {DType::u16, {4}}); }
  EXPECT_EQ(open(path)->type().dtype, DType::bf16);

  npy().create(path, {DType::u16, {4}})->commit(store::Durability::process);
  EXPECT_THAT(scratch.names(), ElementsAre("A.npy"));
  EXPECT_EQ(open(path)->type().dtype, DType::u16);
}

TEST(NpyRead, SaysThatAMarkIsNotUnderstood) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("A.npy", file_bytes("<u2", false, "(1,)", "ab"));
  scratch.file("A.npy.dtype", "f8e4m3\n");
  EXPECT_THAT(thrown_error([&] { open(path); }).message(),
              HasSubstr("'f8e4m3'; the only word it may hold is bf16"));
}

TEST(NpyRead, DoesNotLookAtTheMarkOfOtherElements) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("A.npy", file_bytes("<i2", false, "(1,)", "ab"));
  scratch.file("A.npy.dtype", "bf16");
  EXPECT_EQ(open(path)->type().dtype, DType::i16);
}

TEST(Npy, ChecksThatPartsAreParts) {
  const ScratchDirectory scratch;
  const auto source = open(scratch.file("A.npy", file_bytes("|u1", false, "(3,)", "abc")));
  std::string bytes(8, ' ');
  auto* const data = reinterpret_cast<std::byte*>(bytes.data());
  for (const Box& box : {Box{{1}, {3}}, Box{{-1}, {2}}, Box{{0, 0}, {1, 1}}}) {
    EXPECT_EQ(thrown_error([&] { source->read(dense_view(data, DType::u8, box)); }).kind(),
              ErrorKind::internal);
  }
  EXPECT_EQ(thrown_error([&] {
              source->read(dense_view(data, DType::i8, {{0}, {3}}));
            }).kind(),
            ErrorKind::internal);
  const auto sink = npy().create(scratch.path("B.npy"), {DType::u8, {3}});
  EXPECT_EQ(thrown_error([&] {
              sink->write(dense_view(data, DType::u8, {{1}, {3}}));
            }).kind(),
            ErrorKind::internal);
}

}  // namespace
}  // namespace tessera::io::npy_test
