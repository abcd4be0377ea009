#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/suggest.h"
#include "io/format.h"

namespace tessera::io {

namespace {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char character) {
    return static_cast<char>(std::tolower(character));
  });
  return text;
}

bool has_extension(const Format& format, const std::string& extension) {
  return std::find(format.extensions.begin(), format.extensions.end(), extension) !=
         format.extensions.end();
}

std::vector<std::string> known_extensions(const std::vector<Format>& formats) {
  std::vector<std::string> extensions;
  for (const Format& format : formats) {
    extensions.insert(extensions.end(), format.extensions.begin(), format.extensions.end());
  }
  return extensions;
}

}  // namespace

void FormatRegistry::add(Format format) {
  for (const std::string& extension : format.extensions) {
    for (const Format& other : formats_) {
      TESSERA_CHECK(!has_extension(other, extension), "formats {} and {} both claim {}", other.name,
                    format.name, extension);
    }
  }
  formats_.push_back(std::move(format));
}

Place FormatRegistry::place_of(const std::string& text, const std::string& name) const {
  const size_t colon = text.rfind(':');
  if (colon != std::string::npos) {
    const std::string path = text.substr(0, colon);
    const std::string extension = lower_case(std::filesystem::path(path).extension().string());
    for (const Format& format : formats_) {
      if (format.has_members && has_extension(format, extension)) {
        return {path, text.substr(colon + 1), name};
      }
    }
  }
  return {text, "", name};
}

const Format& FormatRegistry::for_path(const std::string& path) const {
  const std::string extension = lower_case(std::filesystem::path(path).extension().string());
  const auto found = std::find_if(formats_.begin(), formats_.end(), [&](const Format& format) {
    return has_extension(format, extension);
  });
  if (found != formats_.end()) {
    return *found;
  }
  const std::vector<std::string> known = known_extensions(formats_);
  const std::string list = fmt::format("{}", fmt::join(known, ", "));
  TESSERA_USER_CHECK(!extension.empty(),
                     "the format of '{}' is told by its extension, and it has none; known are {}",
                     path, list);
  const std::string hint = did_you_mean(extension, known);
  throw_error(ErrorKind::user, "{} has the unknown extension {}; known are {}{}{}", path, extension,
              list, hint.empty() ? "" : "; ", hint);
}

}  // namespace tessera::io
