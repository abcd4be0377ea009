#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "types/shape.h"

namespace tessera::io {

/// The header of an .npy file, before its elements.
///
/// Source: numpy/lib/format.py, "NPY format" (versions 1.0, 2.0 and 3.0).
struct NpyHeader {
  std::string descr;  // the element type in numpy's form: "<f4"; a list or tuple unchanged
  bool fortran_order = false;
  Shape shape;
  int64_t data_offset = 0;  // bytes before the first element
};

/// The bytes of an .npy file that hold its version and the length of its header.
inline constexpr int64_t kNpyPreambleBytes = 12;

/// The longest header that is accepted. numpy's own are below 64 KiB.
inline constexpr int64_t kMaxNpyHeaderBytes = 1 << 20;

/// Returns the number of bytes before the elements, from the first kNpyPreambleBytes of the file
/// (fewer if the file is shorter). Errors: `user`, naming `file`, if these are not the first bytes
/// of an .npy file.
int64_t npy_data_offset(std::string_view beginning, const std::string& file);

/// Reads the header from the first npy_data_offset bytes of a file.
///
/// The keys may be in any order, once each, without other keys. The number of elements of the shape
/// (without its zeros) times 16 bytes fits 63 bits. Errors: `user`, naming `file`, the fault and
/// its byte in the header.
NpyHeader parse_npy_header(std::string_view bytes, const std::string& file);

/// Returns the header that numpy.save writes for a C-order array of this type, padded to a multiple
/// of 64 bytes: version 1.0, or 2.0 if it is longer than 65,535 bytes.
std::string npy_header_bytes(const std::string& descr, const Shape& shape);

}  // namespace tessera::io
