#include <algorithm>
#include <cstdint>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

// What someone who knows the sizes would write, for beside_loops.py: two threads, results written
// once. Rows and columns are multiples of 32.

namespace {

constexpr int64_t kLanes = 32;  // sums that run side by side: a chain each, so that none waits

struct Add {
  static constexpr double kIdentity = 0;
  double operator()(double a, double b) const { return a + b; }
};
struct Multiply {
  static constexpr double kIdentity = 1;
  double operator()(double a, double b) const { return a * b; }
};
struct Least {
  static constexpr double kIdentity = 1e300;
  double operator()(double a, double b) const { return a < b ? a : b; }
};

/// Strips of columns, each from the first row to the last.
template <class Op>
void down(const double* from, int64_t rows, int64_t columns, double* to) {
#pragma omp parallel for schedule(static) num_threads(2)
  for (int64_t strip = 0; strip < columns; strip += kLanes) {
    double state[kLanes];
    std::fill_n(state, kLanes, Op::kIdentity);
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        state[lane] = Op()(state[lane], from[row * columns + strip + lane]);
        to[row * columns + strip + lane] = state[lane];
      }
    }
  }
}

/// Eight rows side by side.
template <class Op>
void across(const double* from, int64_t rows, int64_t columns, double* to) {
#pragma omp parallel for schedule(static) num_threads(2)
  for (int64_t first = 0; first < rows; first += 8) {
    double state[8];
    std::fill_n(state, 8, Op::kIdentity);
    for (int64_t column = 0; column < columns; ++column) {
      for (int64_t row = 0; row < 8; ++row) {
        state[row] = Op()(state[row], from[(first + row) * columns + column]);
        to[(first + row) * columns + column] = state[row];
      }
    }
  }
}

}  // namespace

extern "C" {

void add_down(const double* from, int64_t rows, int64_t columns, double* to) {
  down<Add>(from, rows, columns, to);
}
void multiply_down(const double* from, int64_t rows, int64_t columns, double* to) {
  down<Multiply>(from, rows, columns, to);
}
void least_down(const double* from, int64_t rows, int64_t columns, double* to) {
  down<Least>(from, rows, columns, to);
}
void add_across(const double* from, int64_t rows, int64_t columns, double* to) {
  across<Add>(from, rows, columns, to);
}
void multiply_across(const double* from, int64_t rows, int64_t columns, double* to) {
  across<Multiply>(from, rows, columns, to);
}
void least_across(const double* from, int64_t rows, int64_t columns, double* to) {
  across<Least>(from, rows, columns, to);
}

/// In two passes: sums of 64 parts, then each part from what is before it, four side by side.
void add_vector(const double* from, int64_t length, double* to) {
  constexpr int64_t kParts = 64;
  const int64_t part = length / kParts;
  double before[kParts + 1] = {};
#pragma omp parallel for schedule(static) num_threads(2)
  for (int64_t number = 0; number < kParts; ++number) {
    double sums[kLanes] = {};
    for (int64_t i = 0; i < part; i += kLanes) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        sums[lane] += from[number * part + i + lane];
      }
    }
    for (const double sum : sums) {
      before[number + 1] += sum;
    }
  }
  for (int64_t number = 0; number < kParts; ++number) {
    before[number + 1] += before[number];
  }
#pragma omp parallel for schedule(static) num_threads(2)
  for (int64_t number = 0; number < kParts; number += 4) {
    double state[4] = {before[number], before[number + 1], before[number + 2], before[number + 3]};
    for (int64_t i = 0; i < part; ++i) {
      for (int64_t lane = 0; lane < 4; ++lane) {
        state[lane] += from[(number + lane) * part + i];
        to[(number + lane) * part + i] = state[lane];
      }
    }
  }
}

/// z[i] = a[i] * z[i-1] + b[i], in two passes over 32 parts, eight side by side.
void recurrence(const double* a, const double* b, int64_t length, double* to) {
  constexpr int64_t kParts = 32;
  const int64_t part = length / kParts;
  double factor[kParts];
  double term[kParts];
  double before[kParts + 1] = {};
#pragma omp parallel for schedule(static) num_threads(2)
  for (int64_t first = 0; first < kParts; first += 8) {
    double p[8];
    double q[8] = {};
    std::fill_n(p, 8, 1.0);
    for (int64_t i = 0; i < part; ++i) {
      for (int64_t lane = 0; lane < 8; ++lane) {
        const int64_t place = (first + lane) * part + i;
        q[lane] = b[place] + a[place] * q[lane];
        p[lane] *= a[place];
      }
    }
    std::copy_n(p, 8, factor + first);
    std::copy_n(q, 8, term + first);
  }
  for (int64_t number = 0; number < kParts; ++number) {
    before[number + 1] = term[number] + factor[number] * before[number];
  }
#pragma omp parallel for schedule(static) num_threads(2)
  for (int64_t first = 0; first < kParts; first += 8) {
    double state[8];
    std::copy_n(before + first, 8, state);
    for (int64_t i = 0; i < part; ++i) {
      for (int64_t lane = 0; lane < 8; ++lane) {
        const int64_t place = (first + lane) * part + i;
        state[lane] = b[place] + a[place] * state[lane];
        to[place] = state[lane];
      }
    }
  }
}

/// Reads a file twice, and writes as much to another once: what a scan that does not fit in memory
/// cannot do without. Two threads, a half each; 0 where it worked.
int two_passes(const char* from, const char* to, int64_t bytes) {
  constexpr int64_t kBlock = 1 << 20;
  const int in = open(from, O_RDONLY);
  const int out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (in < 0 || out < 0) {
    return 1;
  }
  int failed = 0;
#pragma omp parallel for schedule(static) num_threads(2) reduction(+ : failed)
  for (int64_t half = 0; half < 2; ++half) {
    std::vector<char> block(kBlock);
    for (int pass = 0; pass < 2; ++pass) {
      for (int64_t place = bytes / 2 * half; place < bytes / 2 * (half + 1); place += kBlock) {
        const auto count = static_cast<size_t>(std::min(kBlock, bytes / 2 * (half + 1) - place));
        failed += pread(in, block.data(), count, place) < 0 ? 1 : 0;
        failed += pass == 1 && pwrite(out, block.data(), count, place) < 0 ? 1 : 0;
      }
    }
  }
  close(in);
  close(out);
  return failed;
}
}
