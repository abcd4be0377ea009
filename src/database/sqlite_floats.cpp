#include "database/sqlite_floats.h"

#include <cmath>

#include <sqlite3.h>

#include "database/not_a_number.h"

namespace tessera::database {

void give_float(sqlite3_context* context, double number) {
  if (std::isnan(number)) {
    sqlite3_result_blob(context, kNotANumber.data(), static_cast<int>(kNotANumber.size()),
                        SQLITE_STATIC);
  } else {
    sqlite3_result_double(context, number);
  }
}

}  // namespace tessera::database
