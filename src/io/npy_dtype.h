#pragma once

#include <optional>
#include <string>

#include "types/dtype.h"

namespace tessera::io {

/// How the elements of an .npy file are stored.
struct NpyElement {
  DType dtype = DType::f32;
  bool swapped = false;  // in the byte order that is not this machine's
};

/// The element type behind a header's descr.
///
/// numpy has no bf16: its bytes stand in a file as "<u2" (what npy_descr writes) or as "V2" (what
/// ml_dtypes writes). They are read as bf16 if `marked` (a sidecar file says so) or if `declared`
/// says so. Any other `declared` has to be the dtype that the file has.
/// Errors: `user`, naming `file`, what it holds and what would work: objects, strings, records,
/// dates, long doubles, another dtype than declared.
NpyElement npy_element(const std::string& descr, bool marked, std::optional<DType> declared,
                       const std::string& file);

/// Whether elements of this descr may be bf16, so that a sidecar is looked for.
bool may_hold_bf16(const std::string& descr);

/// The descr that numpy writes for a dtype on this machine; that of u16 for bf16.
std::string npy_descr(DType dtype);

}  // namespace tessera::io
