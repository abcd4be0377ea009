// Any bytes as the beginning of an .npy file: a header or a `user` error, and what is read is read
// again from what is written of it.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "io/npy_dtype.h"
#include "io/npy_header.h"

namespace tessera::io {
namespace {

void check_header(std::string_view bytes) {
  const NpyHeader header = parse_npy_header(bytes, "fuzzed.npy");
  const NpyElement element = npy_element(header.descr, false, {}, "fuzzed.npy");
  const std::string descr = npy_descr(element.dtype);
  const NpyHeader again = parse_npy_header(npy_header_bytes(descr, header.shape), "again.npy");
  TESSERA_CHECK(again.shape == header.shape && again.descr == descr, "{} became {}", header.descr,
                again.descr);
}

}  // namespace
}  // namespace tessera::io

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    tessera::io::check_header(bytes);
  } catch (const tessera::Error& error) {
    if (error.kind() != tessera::ErrorKind::user) {
      throw;
    }
  }
  return 0;
}
