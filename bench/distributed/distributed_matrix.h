#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

// What ScaLAPACK and BLACS export; neither has a header of its own.
extern "C" {
void Cblacs_pinfo(int* process, int* processes);
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
int numroc_(const int* extent, const int* block, const int* process, const int* first,
            const int* processes);
void descinit_(int* descriptor, const int* rows, const int* columns, const int* row_block,
               const int* column_block, const int* first_row, const int* first_column,
               const int* context, const int* leading, int* info);
void psgemm_(const char* turn_a, const char* turn_b, const int* m, const int* n, const int* k,
             const float* alpha, const float* a, const int* ia, const int* ja, const int* desc_a,
             const float* b, const int* ib, const int* jb, const int* desc_b, const float* beta,
             float* c, const int* ic, const int* jc, const int* desc_c);
void pdgemm_(const char* turn_a, const char* turn_b, const int* m, const int* n, const int* k,
             const double* alpha, const double* a, const int* ia, const int* ja, const int* desc_a,
             const double* b, const int* ib, const int* jb, const int* desc_b, const double* beta,
             double* c, const int* ic, const int* jc, const int* desc_c);
}

/// The processes of the run as rows x columns, and the blocks in which matrices are dealt to them.
struct Grid {
  int context = 0;
  int rows = 1, columns = 1;  // of processes
  int row = 0, column = 0;    // of this one
  int block = 64;             // rows and columns of a block
};

/// The value of element (i, j) of the operand with this number: -1, 0 or 1, as drawn. The driver
/// computes the same.
inline int drawn_value(int64_t i, int64_t j, int operand) {
  uint32_t bits = static_cast<uint32_t>(i) * 2654435761U + static_cast<uint32_t>(j) * 2246822519U +
                  static_cast<uint32_t>(operand) * 3266489917U;
  bits ^= bits >> 15;
  bits *= 2246822519U;
  bits ^= bits >> 13;
  return static_cast<int>(bits % 3) - 1;
}

/// This process's part of a matrix that is dealt to a grid in blocks; column-major, as ScaLAPACK
/// has it.
template <typename T>
struct Matrix {
  int rows = 0, columns = 0;              // of the whole matrix
  int local_rows = 0, local_columns = 0;  // of this part
  std::array<int, 9> descriptor{};
  std::vector<T> local;
};

template <typename T>
Matrix<T> make_matrix(const Grid& grid, int rows, int columns) {
  const int zero = 0;
  Matrix<T> matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.local_rows = numroc_(&rows, &grid.block, &grid.row, &zero, &grid.rows);
  matrix.local_columns = numroc_(&columns, &grid.block, &grid.column, &zero, &grid.columns);
  const int leading = matrix.local_rows > 0 ? matrix.local_rows : 1;
  int info = 0;
  descinit_(matrix.descriptor.data(), &rows, &columns, &grid.block, &grid.block, &zero, &zero,
            &grid.context, &leading, &info);
  matrix.local.resize(static_cast<size_t>(leading) *
                      static_cast<size_t>(matrix.local_columns > 0 ? matrix.local_columns : 1));
  return matrix;
}

/// Where the local row or column with this number is in the whole matrix.
inline int64_t global_index(int64_t local, int block, int process, int processes) {
  return (local / block * processes + process) * block + local % block;
}

/// Calls action(i, j, element) for every element of this part, by its place in the whole matrix.
template <typename T, typename Action>
void for_each(const Grid& grid, Matrix<T>& matrix, const Action& action) {
  for (int64_t column = 0; column < matrix.local_columns; ++column) {
    const int64_t j = global_index(column, grid.block, grid.column, grid.columns);
    T* const elements = matrix.local.data() + column * matrix.local_rows;
    for (int64_t row = 0; row < matrix.local_rows; ++row) {
      action(global_index(row, grid.block, grid.row, grid.rows), j, elements[row]);
    }
  }
}

template <typename T>
Matrix<T> drawn_matrix(const Grid& grid, int rows, int columns, int operand) {
  Matrix<T> matrix = make_matrix<T>(grid, rows, columns);
  for_each(grid, matrix, [&](int64_t i, int64_t j, T& element) {
    element = static_cast<T>(drawn_value(i, j, operand));
  });
  return matrix;
}

/// c = alpha * op(a) * op(b) + beta * c; op turns a matrix where its letter is 'T'.
template <typename T>
void multiply(char turn_a, char turn_b, T alpha, const Matrix<T>& a, const Matrix<T>& b, T beta,
              Matrix<T>& c) {
  const int one = 1;
  const int depth = turn_a == 'N' ? a.columns : a.rows;
  if constexpr (std::is_same_v<T, float>) {
    psgemm_(&turn_a, &turn_b, &c.rows, &c.columns, &depth, &alpha, a.local.data(), &one, &one,
            a.descriptor.data(), b.local.data(), &one, &one, b.descriptor.data(), &beta,
            c.local.data(), &one, &one, c.descriptor.data());
  } else {
    pdgemm_(&turn_a, &turn_b, &c.rows, &c.columns, &depth, &alpha, a.local.data(), &one, &one,
            a.descriptor.data(), b.local.data(), &one, &one, b.descriptor.data(), &beta,
            c.local.data(), &one, &one, c.descriptor.data());
  }
}
