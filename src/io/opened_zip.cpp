#include "base/opened_library.h"

// Every function of libzip that is called anywhere. Its libraries of ciphers take longer to load
// than all others.
#define TESSERA_LIBZIP(DO)           \
  DO(zip_close)                      \
  DO(zip_discard)                    \
  DO(zip_error_fini)                 \
  DO(zip_error_init)                 \
  DO(zip_error_init_with_code)       \
  DO(zip_error_set)                  \
  DO(zip_error_strerror)             \
  DO(zip_error_to_data)              \
  DO(zip_fclose)                     \
  DO(zip_fdopen)                     \
  DO(zip_file_add)                   \
  DO(zip_file_strerror)              \
  DO(zip_fopen_index)                \
  DO(zip_fread)                      \
  DO(zip_fseek)                      \
  DO(zip_get_name)                   \
  DO(zip_get_num_entries)            \
  DO(zip_open_from_source)           \
  DO(zip_set_file_compression)       \
  DO(zip_source_filep)               \
  DO(zip_source_free)                \
  DO(zip_source_function_create)     \
  DO(zip_source_seek_compute_offset) \
  DO(zip_stat)                       \
  DO(zip_stat_init)                  \
  DO(zip_strerror)

#define TESSERA_DEFINE(name) TESSERA_OPENED_FUNCTION(tessera_libzip, name)
#define TESSERA_LIST(name) tessera::OpenedFunction{#name, &tessera_place_##name},

TESSERA_LIBZIP(TESSERA_DEFINE)

namespace tessera::io {

namespace {

constexpr OpenedFunction kFunctions[] = {TESSERA_LIBZIP(TESSERA_LIST)};

}  // namespace

}  // namespace tessera::io

extern "C" __attribute__((visibility("hidden"))) tessera::OpenedLibrary tessera_libzip;
tessera::OpenedLibrary tessera_libzip{TESSERA_LIBZIP_NAME, tessera::io::kFunctions};
