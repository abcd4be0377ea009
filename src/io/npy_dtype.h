#pragma once

#include <optional>
#include <string>

#include "types/dtype.h"

namespace tessera::io {

/// The storage of an .npy file's elements.
struct NpyElement {
  DType dtype = DType::f32;
  bool swapped = false;  // not in this machine's byte order
};

/// Returns the element type behind a header's descr.
///
/// numpy has no bf16: a file has its bytes as "<u2" (written by npy_descr) or as "V2" (written by
/// ml_dtypes). They are read as bf16 if they are `marked` (by a sidecar file) or `declared` so. Any
/// other `declared` has to be the file's dtype. Errors: `user`, naming `file`, its contents and the
/// cure: objects, strings, records, dates, long doubles, another dtype than declared.
NpyElement npy_element(const std::string& descr, bool marked, std::optional<DType> declared,
                       const std::string& file);

/// True if elements of this descr may be bf16, so that a sidecar is looked for.
bool may_hold_bf16(const std::string& descr);

/// Returns numpy's descr for a dtype on this machine; that of u16 for bf16.
std::string npy_descr(DType dtype);

}  // namespace tessera::io
