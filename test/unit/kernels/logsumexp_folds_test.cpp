#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/isa/fold_table.h"
#include "machine/isa.h"
#include "types/native.h"

/// The folds of rows by logsumexp. Shares of 1 and of next to nothing are added, so that sums are
/// exact.
namespace tessera::kernels::logsumexp_folds_test {

namespace {

constexpr int64_t kLengths[] = {0, 1, 3, 15, 16, 17, 63, 64, 65, 130, 1000, 1024};

template <class T>
struct Folded {
  std::vector<T> largest;
  std::vector<T> sums;
};

template <class T>
Folded<T> fold(const LogSumExpFold& of, const std::vector<T>& largest,
               const std::type_identity_t<std::vector<T>>* sums, int64_t rows) {
  const auto length = static_cast<int64_t>(largest.size()) / rows;
  Folded<T> folded{std::vector<T>(static_cast<size_t>(rows), T(7)),
                   std::vector<T>(static_cast<size_t>(rows), T(7))};
  of.fold(largest.data(), sums == nullptr ? nullptr : sums->data(), rows, length,
          folded.largest.data(), folded.sums.data());
  return folded;
}

/// Calls check(fold, std::vector<T>{}) for the folds of every instruction set.
template <class Check>
void for_all(Check check) {
  for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512}) {
    for (const LogSumExpFold& of : logsumexp_folds(std::min(isa, widest_isa()))) {
      visit_storage_type(of.type, [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_floating_point_v<T>) {
          check(of, std::vector<T>{});
        }
      });
    }
  }
}

TEST(LogSumExpFolds, CountTheLargestElementsOfRows) {
  for_all([]<class T>(const LogSumExpFold& of, std::vector<T> row) {
    for (const int64_t length : kLengths) {
      row.assign(static_cast<size_t>(2 * length), -std::numeric_limits<T>::infinity());
      T counts[2] = {};
      for (int64_t e = 0; e < length; ++e) {
        row[static_cast<size_t>(length + e)] = e % 3 == 0 ? T(2) : T(-500);
        counts[1] += e % 3 == 0 ? T(1) : T(0);
      }
      counts[0] = static_cast<T>(length);
      const Folded<T> folded = fold(of, row, nullptr, 2);
      EXPECT_EQ(folded.largest[0], -std::numeric_limits<T>::infinity());
      EXPECT_EQ(folded.sums[0], counts[0]) << length;
      EXPECT_EQ(folded.largest[1], length == 0 ? -std::numeric_limits<T>::infinity() : T(2));
      EXPECT_EQ(folded.sums[1], counts[1]) << length;
    }
  });
}

TEST(LogSumExpFolds, AddTheSumsOfStates) {
  for_all([]<class T>(const LogSumExpFold& of, std::vector<T> largest) {
    for (const int64_t length : kLengths) {
      largest.assign(static_cast<size_t>(length), T(-1));
      std::vector<T> sums(largest.size());
      T sum = 0;
      for (size_t e = 0; e < largest.size(); ++e) {
        sums[e] = static_cast<T>(e % 5);
        largest[e] = e % 2 == 0 ? T(-1) : T(-900);
        sum += e % 2 == 0 ? sums[e] : T(0);
      }
      EXPECT_EQ(fold(of, largest, &sums, 1).sums[0], sum) << length;
    }
  });
}

TEST(LogSumExpFolds, KeepNaNAndInfinities) {
  for_all([]<class T>(const LogSumExpFold& of, std::vector<T> row) {
    for (const size_t at : {0, 40, 69}) {
      row.assign(70, T(1));
      row[at] = std::numeric_limits<T>::quiet_NaN();
      EXPECT_TRUE(std::isnan(fold(of, row, nullptr, 1).sums[0]));
      row[at] = std::numeric_limits<T>::infinity();
      EXPECT_EQ(fold(of, row, nullptr, 1).largest[0], std::numeric_limits<T>::infinity());
      EXPECT_EQ(fold(of, row, nullptr, 1).sums[0], T(1));
    }
  });
}

/// One order on all instruction sets, on floats whose sums depend on it.
TEST(LogSumExpFolds, GiveTheSameBitsOnEveryInstructionSet) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> draw(-3, 3);
  for_all([&]<class T>(const LogSumExpFold& of, std::vector<T> row) {
    for (const int64_t length : kLengths) {
      row.resize(static_cast<size_t>(length));
      std::generate(row.begin(), row.end(), [&] { return static_cast<T>(draw(random)); });
      const Folded<T> folded = fold(of, row, nullptr, 1);
      for (const LogSumExpFold& other : logsumexp_folds(Isa::scalar)) {
        if (other.type == of.type) {
          const Folded<T> expected = fold(other, row, nullptr, 1);
          EXPECT_EQ(std::memcmp(&folded.sums[0], &expected.sums[0], sizeof(T)), 0) << length;
        }
      }
    }
  });
}

}  // namespace

}  // namespace tessera::kernels::logsumexp_folds_test
