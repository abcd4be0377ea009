#include "base/error.h"

#include <string_view>

namespace tessera {

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::user:
      return "error";
    case ErrorKind::unsupported:
      return "unsupported";
    case ErrorKind::resource:
      return "resource error";
    case ErrorKind::interrupted:
      return "interrupted";
    case ErrorKind::internal:
      return "internal error";
  }
  return "error";
}

std::string Error::full_text() const {
  std::string text = message_;
  for (const std::string& line : context_) {
    text += "\n  " + line;
  }
  return text;
}

void fail_check(const char* file, int line, const char* condition, const std::string& message) {
  throw Error(ErrorKind::internal,
              fmt::format("{} ({} is false at {}:{})", message, condition, file, line));
}

}  // namespace tessera
