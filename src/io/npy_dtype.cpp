#include "io/npy_dtype.h"

#include <bit>
#include <charconv>
#include <string_view>

#include "base/error.h"

namespace tessera::io {

namespace {

constexpr bool kLittleEndianHost = std::endian::native == std::endian::little;

/// The parts of a descr: "<f4" is order '<', kind 'f', 4 bytes.
struct Descr {
  char order = '=';
  char kind = '\0';
  int64_t bytes = 0;  // per element; for U characters, for M and m the number before the unit
};

Descr split(std::string_view descr) {
  Descr parts;
  if (!descr.empty() && std::string_view("<>|=").find(descr[0]) != descr.npos) {
    parts.order = descr[0];
    descr.remove_prefix(1);
  }
  if (descr.empty()) {
    return parts;
  }
  parts.kind = descr[0];
  const char* const end = descr.data() + descr.size();
  const auto [rest, error] = std::from_chars(descr.data() + 1, end, parts.bytes);
  const bool whole = error == std::errc() && rest == end;
  if (parts.kind != 'M' && parts.kind != 'm' && !whole) {
    parts.bytes = 0;
  }
  return parts;
}

char kind_of(DType dtype) {
  if (is_bool(dtype)) {
    return 'b';
  }
  if (is_complex(dtype)) {
    return 'c';
  }
  if (is_float(dtype)) {
    return 'f';
  }
  return is_signed_integer(dtype) ? 'i' : 'u';
}

std::optional<DType> dtype_of(const Descr& parts) {
  if (parts.kind == '?') {
    return DType::b1;
  }
  for (const DType dtype : all_dtypes()) {
    if (dtype != DType::bf16 && kind_of(dtype) == parts.kind && size_of(dtype) == parts.bytes) {
      return dtype;
    }
  }
  return std::nullopt;
}

struct UnreadableElements {
  std::string_view what;    // the file holds
  std::string_view remedy;  // the cure
};

/// Returns why elements of this descr are no numbers for us.
UnreadableElements unreadable_of(const std::string& descr, const Descr& parts) {
  if (descr.starts_with('[') || descr.starts_with('(')) {
    return {"records", "save one field of them, as in numpy.save('x.npy', a['x'])"};
  }
  switch (parts.kind) {
    case 'O':
      return {"Python objects", "save numbers, as in a.astype('float64')"};
    case 'S':
    case 'a':
    case 'U':
      return {"strings", "save numbers, as in a.astype('float64')"};
    case 'M':
    case 'm':
      return {"dates or times", "save numbers, as in a.astype('int64')"};
    case 'V':
      return {"untyped bytes", parts.bytes == 2 ? "if they are bf16, declare them so"
                                                : "save numbers, as in a.view('float64')"};
    default:
      break;
  }
  if (parts.kind == 'f' && parts.bytes > 8) {
    return {"long doubles", "save a.astype('float64')"};
  }
  if (parts.kind == 'c' && parts.bytes > 16) {
    return {"complex long doubles", "save a.astype('complex128')"};
  }
  return {"elements of an unknown type",
          "numpy's bool, integers, floats and complex numbers can be read"};
}

}  // namespace

bool may_hold_bf16(const std::string& descr) {
  const Descr parts = split(descr);
  return parts.bytes == 2 && (parts.kind == 'u' || parts.kind == 'V');
}

NpyElement npy_element(const std::string& descr, bool marked, std::optional<DType> declared,
                       const std::string& file) {
  const Descr parts = split(descr);
  const bool swapped = parts.order == (kLittleEndianHost ? '>' : '<');
  const bool is_bf16 = may_hold_bf16(descr) && (marked || declared == DType::bf16);
  const std::optional<DType> found = is_bf16 ? DType::bf16 : dtype_of(parts);
  if (!found) {
    const UnreadableElements refusal = unreadable_of(descr, parts);
    throw_error(ErrorKind::user, "{} holds {} (dtype {}); {}", file, refusal.what, descr,
                refusal.remedy);
  }
  TESSERA_USER_CHECK(!declared || declared == found,
                     "{} holds {}, but {} was declared; declare {} or convert the file", file,
                     name_of(*found), name_of(*declared), name_of(*found));
  return {*found, swapped && size_of(*found) > 1};
}

std::string npy_descr(DType dtype) {
  const DType stored = dtype == DType::bf16 ? DType::u16 : dtype;
  const char order = size_of(stored) == 1 ? '|' : kLittleEndianHost ? '<' : '>';
  return fmt::format("{}{}{}", order, kind_of(stored), size_of(stored));
}

}  // namespace tessera::io
