// Times programs as ScaLAPACK computes them, from operands that are dealt to the processes to a
// result that is.
//
//   mpirun -n P scalapack_bench PROGRAM TYPE REPEAT GRID[,GRID...] BLOCK[,BLOCK...] EXTENT...
//
// PROGRAM: product m k n | read_product m k n | sum_product m k n | chain rows inner wide | network
// n d h o | nearest n d; TYPE: f32 or f64; a GRID is 2x1. For every grid and block it runs the
// program once to warm up, then REPEAT times between barriers, and prints a line of JSON with the
// seconds; each process prints some elements of the result, for the driver to compare.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "distributed_matrix.h"
#include "operand_file.h"

namespace {

constexpr int kSamples = 5;

struct Sample {
  int64_t i, j;
  double value;
};

/// A program with its operands in place: `run` computes, `samples` reads the result of the last
/// run.
struct Prepared {
  std::function<void()> run;
  std::function<std::vector<Sample>()> samples;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    parts.push_back(part);
  }
  return parts;
}

template <typename T>
std::vector<Sample> samples_of(const Grid& grid, const Matrix<T>& matrix) {
  std::vector<Sample> samples;
  if (matrix.local_rows == 0 || matrix.local_columns == 0) {
    return samples;
  }
  for (int64_t number = 0; number < kSamples; ++number) {
    const int64_t row = number * (matrix.local_rows - 1) / (kSamples - 1);
    const int64_t column = (kSamples - 1 - number) * (matrix.local_columns - 1) / (kSamples - 1);
    samples.push_back(
        {global_index(row, grid.block, grid.row, grid.rows),
         global_index(column, grid.block, grid.column, grid.columns),
         static_cast<double>(matrix.local[static_cast<size_t>(column * matrix.local_rows + row)])});
  }
  return samples;
}

/// to[x] = action(left[x], right[x]); the three are dealt alike.
template <typename T, typename Action>
void combine(const Matrix<T>& left, const Matrix<T>& right, Matrix<T>& to, const Action& action) {
  std::transform(left.local.begin(), left.local.end(), right.local.begin(), to.local.begin(),
                 action);
}

/// C = A * B
template <typename T>
Prepared product(const Grid& grid, const std::vector<int>& extents) {
  const int m = extents.at(0), k = extents.at(1), n = extents.at(2);
  auto c = std::make_shared<Matrix<T>>(make_matrix<T>(grid, m, n));
  return {[c, a = drawn_matrix<T>(grid, m, k, 0), b = drawn_matrix<T>(grid, k, n, 1)] {
            multiply<T>('N', 'N', 1, a, b, 0, *c);
          },
          [c, grid] { return samples_of(grid, *c); }};
}

/// The same of A.npy and B.npy in the working directory, which every run reads. A row-major array
/// is what ScaLAPACK has as the transposed one, so it computes C' = B' * A'.
template <typename T>
Prepared read_product(const Grid& grid, const std::vector<int>& extents) {
  const int m = extents.at(0), k = extents.at(1), n = extents.at(2);
  struct Operands {
    OperandFile<T> a_file{"A.npy"}, b_file{"B.npy"};
    Matrix<T> a, b, c;
  };
  auto made = std::make_shared<Operands>();
  made->a = make_matrix<T>(grid, k, m);
  made->b = make_matrix<T>(grid, n, k);
  made->c = make_matrix<T>(grid, n, m);
  const auto run = [made, grid] {
    made->a_file.read_transposed(grid, made->a);
    made->b_file.read_transposed(grid, made->b);
    multiply<T>('N', 'N', 1, made->b, made->a, 0, made->c);
  };
  const auto samples = [made, grid] {
    std::vector<Sample> found = samples_of(grid, made->c);
    for (Sample& sample : found) {
      std::swap(sample.i, sample.j);
    }
    return found;
  };
  return {run, samples};
}

/// Y = (A + B) * C
template <typename T>
Prepared sum_product(const Grid& grid, const std::vector<int>& extents) {
  const int m = extents.at(0), k = extents.at(1), n = extents.at(2);
  auto sum = std::make_shared<Matrix<T>>(make_matrix<T>(grid, m, k));
  auto y = std::make_shared<Matrix<T>>(make_matrix<T>(grid, m, n));
  return {[sum, y, a = drawn_matrix<T>(grid, m, k, 0), b = drawn_matrix<T>(grid, m, k, 1),
           c = drawn_matrix<T>(grid, k, n, 2)] {
            combine(a, b, *sum, std::plus<T>());
            multiply<T>('N', 'N', 1, *sum, c, 0, *y);
          },
          [y, grid] { return samples_of(grid, *y); }};
}

/// Y = A * B + C * (D * E); the library adds the second product to the first.
template <typename T>
Prepared chain(const Grid& grid, const std::vector<int>& extents) {
  const int rows = extents.at(0), inner = extents.at(1), wide = extents.at(2);
  auto de = std::make_shared<Matrix<T>>(make_matrix<T>(grid, inner, rows));
  auto y = std::make_shared<Matrix<T>>(make_matrix<T>(grid, rows, rows));
  return {[de, y, a = drawn_matrix<T>(grid, rows, inner, 0),
           b = drawn_matrix<T>(grid, inner, rows, 1), c = drawn_matrix<T>(grid, rows, inner, 2),
           d = drawn_matrix<T>(grid, inner, wide, 3), e = drawn_matrix<T>(grid, wide, rows, 4)] {
            multiply<T>('N', 'N', 1, d, e, 0, *de);
            multiply<T>('N', 'N', 1, a, b, 0, *y);
            multiply<T>('N', 'N', 1, c, *de, 1, *y);
          },
          [y, grid] { return samples_of(grid, *y); }};
}

/// A gradient step of a network with one hidden layer, with a rate of 1: new_W of X[n,d], Y[n,o],
/// W[d,h], V[h,o], and new_V beside it.
template <typename T>
Prepared network(const Grid& grid, const std::vector<int>& extents) {
  const int n = extents.at(0), d = extents.at(1), h = extents.at(2), o = extents.at(3);
  struct Temporaries {
    Matrix<T> a, hidden, error, back, v, w;
  };
  auto made = std::make_shared<Temporaries>(Temporaries{
      make_matrix<T>(grid, n, h), make_matrix<T>(grid, n, h), make_matrix<T>(grid, n, o),
      make_matrix<T>(grid, n, h), make_matrix<T>(grid, h, o), make_matrix<T>(grid, d, h)});
  return {[made, x = drawn_matrix<T>(grid, n, d, 0), y = drawn_matrix<T>(grid, n, o, 1),
           w = drawn_matrix<T>(grid, d, h, 2), v = drawn_matrix<T>(grid, h, o, 3)] {
            multiply<T>('N', 'N', 1, x, w, 0, made->a);
            combine(made->a, made->a, made->hidden, [](T a, T) { return std::max(a, T{0}); });
            made->error.local = y.local;
            multiply<T>('N', 'N', 1, made->hidden, v, -1, made->error);
            multiply<T>('N', 'T', 1, made->error, v, 0, made->back);
            combine(made->back, made->a, made->back,
                    [](T back, T a) { return a > 0 ? back : T{0}; });
            made->v.local = v.local;
            multiply<T>('T', 'N', -1, made->hidden, made->error, 1, made->v);
            made->w.local = w.local;
            multiply<T>('T', 'N', -1, x, made->back, 1, made->w);
          },
          [made, grid] { return samples_of(grid, made->w); }};
}

/// The row x of X[n,d] for which (x - q) A (x - q)' is least. Distances are added up over all
/// processes, each finds the least.
template <typename T>
Prepared nearest(const Grid& grid, const std::vector<int>& extents) {
  const int n = extents.at(0), d = extents.at(1);
  auto difference = std::make_shared<Matrix<T>>(make_matrix<T>(grid, n, d));
  auto projected = std::make_shared<Matrix<T>>(make_matrix<T>(grid, n, d));
  auto found = std::make_shared<int64_t>(0);
  const auto run = [grid, n, difference, projected, found, x = drawn_matrix<T>(grid, n, d, 0),
                    a = drawn_matrix<T>(grid, d, d, 1)] {
    difference->local = x.local;
    for_each(grid, *difference, [](int64_t, int64_t j, T& element) {
      element -= static_cast<T>(drawn_value(0, j, 2));
    });
    multiply<T>('N', 'N', 1, *difference, a, 0, *projected);
    std::vector<T> distances(static_cast<size_t>(n));
    combine(*difference, *projected, *projected, std::multiplies<T>());
    for_each(grid, *projected,
             [&](int64_t i, int64_t, T& element) { distances[static_cast<size_t>(i)] += element; });
    MPI_Allreduce(MPI_IN_PLACE, distances.data(), n,
                  std::is_same_v<T, float> ? MPI_FLOAT : MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    *found = std::min_element(distances.begin(), distances.end()) - distances.begin();
  };
  return {run, [found] { return std::vector<Sample>{{0, 0, static_cast<double>(*found)}}; }};
}

template <typename T>
Prepared prepare(const std::string& program, const Grid& grid, const std::vector<int>& extents) {
  if (program == "product") {
    return product<T>(grid, extents);
  }
  if (program == "read_product") {
    return read_product<T>(grid, extents);
  }
  if (program == "sum_product") {
    return sum_product<T>(grid, extents);
  }
  if (program == "chain") {
    return chain<T>(grid, extents);
  }
  if (program == "network") {
    return network<T>(grid, extents);
  }
  if (program == "nearest") {
    return nearest<T>(grid, extents);
  }
  std::fprintf(stderr, "no program %s\n", program.c_str());
  MPI_Abort(MPI_COMM_WORLD, 2);
  return {};
}

double seconds_between_barriers(const std::function<void()>& action) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  action();
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime() - start;
}

void time_program(const Prepared& prepared, const Grid& grid, int repeat, bool is_first) {
  prepared.run();
  std::string seconds;
  for (int turn = 0; turn < repeat; ++turn) {
    seconds +=
        (turn == 0 ? "" : ", ") + std::to_string(seconds_between_barriers(prepared.run) * 1e6);
  }
  if (is_first) {
    std::printf("{\"grid\": \"%dx%d\", \"block\": %d, \"microseconds\": [%s]}\n", grid.rows,
                grid.columns, grid.block, seconds.c_str());
  }
  for (const Sample& sample : prepared.samples()) {
    std::printf("{\"sample\": [%lld, %lld], \"value\": %.17g}\n", static_cast<long long>(sample.i),
                static_cast<long long>(sample.j), sample.value);
  }
  std::fflush(stdout);
}

Grid make_grid(const std::string& shape, int block) {
  const std::vector<std::string> sides = split(shape, 'x');
  Grid grid;
  grid.block = block;
  grid.rows = std::stoi(sides.at(0));
  grid.columns = std::stoi(sides.at(1));
  Cblacs_get(-1, 0, &grid.context);
  Cblacs_gridinit(&grid.context, "Row", grid.rows, grid.columns);
  Cblacs_gridinfo(grid.context, &grid.rows, &grid.columns, &grid.row, &grid.column);
  return grid;
}

void time_all(const std::vector<std::string>& words, bool is_first) {
  const std::string& program = words.at(0);
  std::vector<int> extents;
  for (size_t place = 5; place < words.size(); ++place) {
    extents.push_back(std::stoi(words[place]));
  }
  for (const std::string& shape : split(words.at(3), ',')) {
    for (const std::string& block : split(words.at(4), ',')) {
      const Grid grid = make_grid(shape, std::stoi(block));
      const Prepared prepared = words.at(1) == "f64" ? prepare<double>(program, grid, extents)
                                                     : prepare<float>(program, grid, extents);
      time_program(prepared, grid, std::stoi(words.at(2)), is_first);
      Cblacs_gridexit(grid.context);
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  int process = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  if (count < 7) {
    std::fprintf(stderr, "usage: scalapack_bench PROGRAM TYPE REPEAT GRIDS BLOCKS EXTENT...\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  time_all({arguments + 1, arguments + count}, process == 0);
  MPI_Finalize();
  return 0;
}
