#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "types/array_type.h"

namespace tessera::program {

/// Rows of an input in a file that every process opens for itself, or a few that are sent.
struct SharedRows {
  int64_t first_row = 0;
  std::string path;   // empty where they are sent
  std::string label;  // of an array with checksums (io/checked_array.h); empty for another .npy
  ArrayType type;     // f64[n,…]
  std::string bytes;  // of rows that are sent, dense
};

/// An input of a program, as a process gets it that has no database: rows in files, or all bytes.
struct SharedInput {
  std::string name;
  ArrayType type;
  int64_t num_grid_modes = 1;    // of its type: files have the rows in one mode
  std::vector<SharedRows> rows;  // one after the other
  std::string bytes;             // of what is in no file, dense
};

/// A result, and the file that all processes write it to.
struct SharedResult {
  std::string name;
  ArrayType type;     // its rows in one mode
  Shape grid;         // of its rows
  std::string place;  // where the others find the file (io/shared_sink.h)
};

/// A request of the first process to the others: to run this program with it. A message without a
/// graph says that no more will come.
struct ProgramMessage {
  std::string graph;                 // the text of an einsum::Graph
  std::vector<std::string> defined;  // BoundProgram::defined
  std::vector<std::string> known;   // inputs of before that may be read again; others are forgotten
  std::vector<SharedInput> inputs;  // that the others do not know yet
  std::vector<std::string> reads;   // the program's inputs
  std::vector<SharedResult> results;
};

std::string to_bytes(const ProgramMessage& message);
/// REQUIRES what to_bytes made.
ProgramMessage message_of(std::span<const std::byte> bytes);

}  // namespace tessera::program
