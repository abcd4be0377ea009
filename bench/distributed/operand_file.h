#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "distributed_matrix.h"

/// The array of a .npy file of format 1.0 in row-major order, mapped into memory: reading from it
/// is copying what the system has cached, without calls.
template <typename T>
class OperandFile {
 public:
  explicit OperandFile(const std::string& name) {
    const int file = ::open(name.c_str(), O_RDONLY);
    struct stat status {};
    if (file < 0 || ::fstat(file, &status) != 0) {
      std::perror(name.c_str());
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    bytes_ = static_cast<size_t>(status.st_size);
    mapped_ = static_cast<const char*>(::mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, file, 0));
    ::close(file);
    constexpr size_t kLengthAt = 8;  // of the header's length, behind the magic string and version
    uint16_t length = 0;
    std::memcpy(&length, mapped_ + kLengthAt, sizeof length);
    elements_ = mapped_ + kLengthAt + sizeof length + length;
  }
  OperandFile(const OperandFile&) = delete;
  OperandFile& operator=(const OperandFile&) = delete;
  ~OperandFile() { ::munmap(const_cast<char*>(mapped_), bytes_); }

  /// Reads this process's part of the transposed array, which is how ScaLAPACK sees a row-major
  /// one: its columns are the rows of the file.
  void read_transposed(const Grid& grid, Matrix<T>& matrix) const {
    for (int64_t column = 0; column < matrix.local_columns; ++column) {
      const int64_t row_of_file = global_index(column, grid.block, grid.column, grid.columns);
      const char* const from =
          elements_ + static_cast<size_t>(row_of_file * matrix.rows) * sizeof(T);
      T* const to = matrix.local.data() + column * matrix.local_rows;
      // On one row of processes all blocks lie one after the other.
      const int64_t run = grid.rows == 1 ? matrix.local_rows : grid.block;
      for (int64_t row = 0; row < matrix.local_rows; row += run) {
        const int64_t count = std::min<int64_t>(run, matrix.local_rows - row);
        const int64_t place = global_index(row, grid.block, grid.row, grid.rows);
        std::memcpy(to + row, from + static_cast<size_t>(place) * sizeof(T),
                    static_cast<size_t>(count) * sizeof(T));
      }
    }
  }

 private:
  size_t bytes_ = 0;
  const char* mapped_ = nullptr;
  const char* elements_ = nullptr;
};
