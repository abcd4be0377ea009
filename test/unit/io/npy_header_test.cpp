#include "io/npy_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/npy_dtype.h"
#include "unit/io/thrown_error.h"

namespace tessera::io::npy_header_test {
namespace {

using ::testing::HasSubstr;

std::string header_of(const std::string& dict, int major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(major);
  bytes += '\0';
  for (int position = 0; position < (major == 1 ? 2 : 4); ++position) {
    bytes += static_cast<char>((dict.size() >> (8 * position)) & 0xFF);
  }
  return bytes + dict;
}

NpyHeader parsed(const std::string& dict, int major = 1) {
  return parse_npy_header(header_of(dict, major), "A.npy");
}

Error error_of(const std::string& bytes) {
  return thrown_error([&] { parse_npy_header(bytes, "A.npy"); });
}

Error error_of_dict(const std::string& dict) {
  return error_of(header_of(dict));
}

const std::string kMatrix = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";

TEST(NpyHeader, ReadsWhatNumpyWrites) {
  for (const int major : {1, 2, 3}) {
    const NpyHeader header = parsed(kMatrix + "     \n", major);
    EXPECT_EQ(header.descr, "<f4");
    EXPECT_FALSE(header.fortran_order);
    EXPECT_EQ(header.shape, (Shape{2, 3}));
    EXPECT_EQ(header.data_offset,
              (major == 1 ? 10 : 12) + static_cast<int64_t>(kMatrix.size()) + 6);
  }
}

TEST(NpyHeader, ReadsOtherSpellingsOfTheDict) {
  EXPECT_EQ(parsed("{ \"shape\":(5,),\n\t'fortran_order' :True,'descr':'|b1'}").shape, Shape{5});
  EXPECT_TRUE(parsed("{'fortran_order':True,'descr':'|b1','shape':(5,)}").fortran_order);
  EXPECT_EQ(parsed("{'descr': '<f4', 'fortran_order': False, 'shape': ()}").shape, Shape{});
  EXPECT_EQ(parsed("{'descr': '<f4', 'fortran_order': False, 'shape': (3L, 4L)}").shape,
            (Shape{3, 4}));
  EXPECT_EQ(parsed("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4)}").shape,
            (Shape{0, 4}));
}

TEST(NpyHeader, KeepsTheTextOfARecordType) {
  const std::string records = "[('a]', '<f4'), ('b', '<i8', (2, 3))]";
  EXPECT_EQ(parsed("{'descr': " + records + ", 'fortran_order': False, 'shape': (1,)}").descr,
            records);
}

TEST(NpyHeader, ReadsItsOwnHeaders) {
  for (const Shape& shape : {Shape{}, Shape{7}, Shape{0}, Shape{2, 3, 4}, Shape(27, 2)}) {
    const std::string bytes = npy_header_bytes("<f8", shape);
    EXPECT_EQ(bytes.size() % 64, 0U);
    EXPECT_EQ(bytes.back(), '\n');
    const NpyHeader header = parse_npy_header(bytes, "A.npy");
    EXPECT_EQ(header.shape, shape);
    EXPECT_EQ(header.descr, "<f8");
    EXPECT_EQ(header.data_offset, static_cast<int64_t>(bytes.size()));
  }
}

TEST(NpyHeader, WritesALongHeaderAsVersionTwo) {
  const Shape shape(30'000, 1);
  const std::string bytes = npy_header_bytes("<f8", shape);
  EXPECT_EQ(bytes[6], 2);
  EXPECT_EQ(bytes.size() % 64, 0U);
  EXPECT_EQ(parse_npy_header(bytes, "A.npy").shape, shape);
}

TEST(NpyHeader, ATruncatedHeaderIsAnErrorAtEveryByte) {
  for (const int major : {1, 2}) {
    const std::string bytes = header_of(kMatrix, major);
    for (size_t length = 0; length < bytes.size(); ++length) {
      const Error error = error_of(bytes.substr(0, length));
      EXPECT_EQ(error.kind(), ErrorKind::user) << length;
      EXPECT_THAT(error.message(), HasSubstr("A.npy"));
    }
  }
}

TEST(NpyHeader, AShortenedDictIsAnErrorAtEveryByte) {
  for (size_t length = 2; length < kMatrix.size(); ++length) {
    const Error error = error_of_dict(kMatrix.substr(0, length));
    EXPECT_EQ(error.kind(), ErrorKind::user) << length;
    EXPECT_THAT(error.message(), HasSubstr("damaged .npy header"));
  }
}

TEST(NpyHeader, TakesNoNumberThatPythonDoesNotTake) {
  const auto with_shape = [](const std::string& shape) {
    return error_of_dict("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}");
  };
  EXPECT_THAT(with_shape("(03,4)").message(), HasSubstr("an extent without a leading zero"));
  EXPECT_THAT(with_shape("(3,-4)").message(), HasSubstr("an extent from 0 to 2^63 - 1"));
}

TEST(NpyHeader, SaysWhatItExpectedAndFound) {
  EXPECT_EQ(error_of_dict("{'descr': <f4}").message(),
            "A.npy has a damaged .npy header: expected a quoted string at byte 10 of it, found "
            "'<f4}'");
  EXPECT_THAT(error_of_dict("{'descr': '<f4', 'descr': '<f4'}").message(),
              HasSubstr("each key once"));
  EXPECT_THAT(error_of_dict("{'order': 'C'}").message(), HasSubstr("'shape' as the key"));
  EXPECT_THAT(error_of_dict("{}").message(), HasSubstr("the keys 'descr'"));
  EXPECT_THAT(error_of_dict(kMatrix + "x").message(), HasSubstr("the end of the header"));
}

TEST(NpyHeader, RefusesShapesThatAreNone) {
  for (const std::string shape : {"(3)", "3", "(-1,)", "(2 3)", "(,)", "(2,,3)", "[2, 3]", "(1.5,)",
                                  "(9223372036854775808,)", "(2, 3"}) {
    const std::string dict = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}";
    EXPECT_EQ(error_of_dict(dict).kind(), ErrorKind::user) << shape;
  }
}

TEST(NpyHeader, RefusesShapesThatNoMemoryHolds) {
  for (const std::string shape :
       {"(4294967296, 4294967296)", "(0, 4294967296, 4294967296)", "(9223372036854775807,)"}) {
    const std::string dict = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}";
    EXPECT_THAT(error_of_dict(dict).message(), HasSubstr("no memory holds")) << shape;
  }
}

TEST(NpyHeader, SaysWhatAnotherFileIs) {
  EXPECT_THAT(error_of("").message(), HasSubstr("it is empty"));
  EXPECT_THAT(error_of("PK\x03\x04 and more").message(), HasSubstr("zip archive; for an .npz"));
  EXPECT_THAT(error_of("\x89HDF\r\n").message(), HasSubstr("an HDF5 file"));
  EXPECT_THAT(error_of("1.5,2").message(), HasSubstr("31 2e 35 2c 32"));
  std::string later = header_of(kMatrix);
  later[6] = 9;
  EXPECT_THAT(error_of(later).message(), HasSubstr("version 9.0"));
}

TEST(NpyHeader, RefusesALengthThatIsDamaged) {
  std::string bytes = header_of(kMatrix, 2);
  bytes.replace(8, 4, "\xFF\xFF\xFF\xFF");
  EXPECT_THAT(error_of(bytes).message(), HasSubstr("4294967295 bytes"));
}

TEST(NpyDtype, ReadsItsOwnDescrOfEveryDtype) {
  for (const DType dtype : all_dtypes()) {
    const NpyElement element = npy_element(npy_descr(dtype), dtype == DType::bf16, {}, "A.npy");
    EXPECT_EQ(element.dtype, dtype);
    EXPECT_FALSE(element.swapped);
  }
}

TEST(NpyDtype, KnowsTheOtherByteOrder) {
  EXPECT_TRUE(npy_element(">f8", false, {}, "A.npy").swapped);
  EXPECT_TRUE(npy_element(">c8", false, {}, "A.npy").swapped);
  EXPECT_FALSE(npy_element(">i1", false, {}, "A.npy").swapped);
  EXPECT_FALSE(npy_element("=f8", false, {}, "A.npy").swapped);
  EXPECT_TRUE(npy_element(">u2", true, {}, "A.npy").swapped);
}

TEST(NpyDtype, TakesBf16FromTheMarkOrTheDeclaration) {
  EXPECT_EQ(npy_element("<u2", false, {}, "A.npy").dtype, DType::u16);
  EXPECT_EQ(npy_element("<u2", false, DType::u16, "A.npy").dtype, DType::u16);
  for (const std::string descr : {"<u2", "|V2", "<V2"}) {
    EXPECT_EQ(npy_element(descr, true, {}, "A.npy").dtype, DType::bf16) << descr;
    EXPECT_EQ(npy_element(descr, false, DType::bf16, "A.npy").dtype, DType::bf16) << descr;
  }
  EXPECT_EQ(npy_element("<f4", true, {}, "A.npy").dtype, DType::f32);
}

TEST(NpyDtype, SaysWhichDtypeTheFileHas) {
  const auto message = [](const std::string& descr, bool marked, DType declared) {
    return thrown_error([&] { npy_element(descr, marked, declared, "A.npy"); }).message();
  };
  EXPECT_EQ(message("<f4", false, DType::f64),
            "A.npy holds f32, but f64 was declared; declare f32 or convert the file");
  EXPECT_THAT(message("<u2", true, DType::u16), HasSubstr("holds bf16, but u16"));
  EXPECT_THAT(message("<i2", false, DType::bf16), HasSubstr("holds i16, but bf16"));
}

TEST(NpyDtype, RefusesElementsThatAreNoNumbers) {
  const auto message = [](const std::string& descr) {
    const Error error = thrown_error([&] { npy_element(descr, false, {}, "A.npy"); });
    EXPECT_EQ(error.kind(), ErrorKind::user) << descr;
    return error.message();
  };
  EXPECT_EQ(message("|O"),
            "A.npy holds Python objects (dtype |O); save numbers, as in a.astype('float64')");
  EXPECT_THAT(message("<U5"), HasSubstr("strings"));
  EXPECT_THAT(message("|S5"), HasSubstr("strings"));
  EXPECT_THAT(message("|V8"), HasSubstr("untyped bytes"));
  EXPECT_THAT(message("|V2"), HasSubstr("bf16, declare"));
  EXPECT_THAT(message("<M8[ns]"), HasSubstr("dates"));
  EXPECT_THAT(message("<f16"), HasSubstr("long doubles"));
  EXPECT_THAT(message("<c32"), HasSubstr("complex128"));
  EXPECT_THAT(message("[('a', '<f4')]"), HasSubstr("records"));
  for (const std::string descr : {"", "<", "f", "<f3", "<q8", "<i4x", "<f99999999999999999999"}) {
    EXPECT_THAT(message(descr), HasSubstr("unknown type")) << descr;
  }
}

}  // namespace
}  // namespace tessera::io::npy_header_test
