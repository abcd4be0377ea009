#include "base/temporary_file.h"

#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

namespace tessera {

std::string temporary_directory() {
  const char* const directory = std::getenv("TMPDIR");
  return directory == nullptr || *directory == '\0' ? "/var/tmp" : directory;
}

int open_unnamed_file(const std::string& directory) {
  int descriptor = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0) {  // perhaps a filesystem without nameless files
    std::string name = directory + "/.tessera-XXXXXX";
    descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor >= 0) {
      ::unlink(name.c_str());
    }
  }
  return descriptor;
}

}  // namespace tessera
