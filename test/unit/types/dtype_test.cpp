#include "types/dtype.h"

#include <sstream>

#include <gtest/gtest.h>

#include "types/native.h"

namespace tessera::dtype_test {
namespace {

TEST(DType, ReadsItsNames) {
  EXPECT_EQ(all_dtypes().size(), 15U);
  for (const DType dtype : all_dtypes()) {
    EXPECT_EQ(parse_dtype(name_of(dtype)), dtype);
    EXPECT_EQ(parse_dtype(numpy_name(dtype)), dtype);
  }
  EXPECT_EQ(parse_dtype("f16x"), std::nullopt);
  EXPECT_EQ(parse_dtype(""), std::nullopt);
}

TEST(DType, HasTheSizeOfItsStorageType) {
  for (const DType dtype : all_dtypes()) {
    visit_storage_type(dtype, [&]<class T>(std::type_identity<T>) {
      EXPECT_EQ(size_of(dtype), static_cast<int64_t>(sizeof(T))) << name_of(dtype);
    });
    visit_compute_type(dtype, [&]<class T>(std::type_identity<T>) {
      EXPECT_EQ(size_of(compute_type(dtype)), static_cast<int64_t>(sizeof(T))) << name_of(dtype);
    });
  }
}

TEST(DType, IsOfOneFamily) {
  for (const DType dtype : all_dtypes()) {
    EXPECT_EQ(is_bool(dtype) + is_signed_integer(dtype) + is_unsigned_integer(dtype) +
                  is_float(dtype) + is_complex(dtype),
              1)
        << name_of(dtype);
    EXPECT_EQ(is_integer(dtype), is_signed_integer(dtype) || is_unsigned_integer(dtype));
  }
}

/// numpy.promote_types of numpy 1.24 for every pair, in the order of kNumpy.
const std::vector<std::string> kNumpy = {"b1",  "i8",  "i16", "i32", "i64", "u8",  "u16",
                                         "u32", "u64", "f16", "f32", "f64", "c64", "c128"};
const std::vector<std::string> kPromoted = {
    "b1 i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 c64 c128",
    "i8 i8 i16 i32 i64 i16 i32 i64 f64 f16 f32 f64 c64 c128",
    "i16 i16 i16 i32 i64 i16 i32 i64 f64 f32 f32 f64 c64 c128",
    "i32 i32 i32 i32 i64 i32 i32 i64 f64 f64 f64 f64 c128 c128",
    "i64 i64 i64 i64 i64 i64 i64 i64 f64 f64 f64 f64 c128 c128",
    "u8 i16 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 c64 c128",
    "u16 i32 i32 i32 i64 u16 u16 u32 u64 f32 f32 f64 c64 c128",
    "u32 i64 i64 i64 i64 u32 u32 u32 u64 f64 f64 f64 c128 c128",
    "u64 f64 f64 f64 f64 u64 u64 u64 u64 f64 f64 f64 c128 c128",
    "f16 f16 f32 f64 f64 f16 f32 f64 f64 f16 f32 f64 c64 c128",
    "f32 f32 f32 f64 f64 f32 f32 f64 f64 f32 f32 f64 c64 c128",
    "f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 c128 c128",
    "c64 c64 c64 c128 c128 c64 c64 c128 c128 c64 c64 c128 c64 c128",
    "c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128",
};

TEST(DType, PromotesAsNumpyDoes) {
  for (size_t a = 0; a < kNumpy.size(); ++a) {
    std::istringstream row(kPromoted[a]);
    for (const std::string& b : kNumpy) {
      std::string expected;
      row >> expected;
      EXPECT_EQ(name_of(promote(*parse_dtype(kNumpy[a]), *parse_dtype(b))), expected)
          << kNumpy[a] << " with " << b;
    }
  }
}

TEST(DType, PromotesBf16AsAPeerOfF16) {
  for (const DType dtype : all_dtypes()) {
    EXPECT_EQ(promote(DType::bf16, dtype), promote(dtype, DType::bf16)) << name_of(dtype);
    const DType as_f16 = promote(DType::f16, dtype);
    const DType expected = dtype == DType::bf16   ? DType::bf16
                           : dtype == DType::f16  ? DType::f32
                           : as_f16 == DType::f16 ? DType::bf16
                                                  : as_f16;
    EXPECT_EQ(promote(DType::bf16, dtype), expected) << name_of(dtype);
  }
}

TEST(DType, FindsTheFloatsOfIntegersAsNumpyDoes) {
  EXPECT_EQ(float_of(DType::b1), DType::f16);
  EXPECT_EQ(float_of(DType::u8), DType::f16);
  EXPECT_EQ(float_of(DType::i16), DType::f32);
  EXPECT_EQ(float_of(DType::u32), DType::f64);
  EXPECT_EQ(float_of(DType::bf16), DType::bf16);
  EXPECT_EQ(float_of(DType::c64), DType::c64);
}

TEST(DType, FindsRealAndComplexPartners) {
  EXPECT_EQ(real_of(DType::c64), DType::f32);
  EXPECT_EQ(real_of(DType::c128), DType::f64);
  EXPECT_EQ(real_of(DType::i8), DType::i8);
  EXPECT_EQ(complex_of(DType::f32), DType::c64);
  EXPECT_EQ(complex_of(DType::bf16), DType::c64);
  EXPECT_EQ(complex_of(DType::i16), DType::c64);
  EXPECT_EQ(complex_of(DType::i32), DType::c128);
  EXPECT_EQ(complex_of(DType::f64), DType::c128);
}

}  // namespace
}  // namespace tessera::dtype_test
