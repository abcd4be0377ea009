#include "runtime/threads/first_failure.h"

#include <new>

namespace tessera::runtime {

Error error_of(const Action& action, const plan::TaskGraph& graph) {
  Error error(ErrorKind::internal, "");
  try {
    throw;
  } catch (Error& ours) {
    error = std::move(ours);
  } catch (const std::bad_alloc&) {
    error = Error(ErrorKind::resource, "out of memory");
  } catch (const std::exception& other) {
    error = Error(ErrorKind::internal, other.what());
  }
  const Origin& origin = graph.tasks[action.task.index()].origin;
  const char* what = action.kind == Action::Kind::spill ? "while making room for" : "in";
  error.add_context(fmt::format("{} {}", what, to_string(origin)), place_of(origin));
  return error;
}

}  // namespace tessera::runtime
