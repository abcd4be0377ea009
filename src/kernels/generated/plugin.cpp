#include "kernels/generated/plugin.h"

#include <dlfcn.h>

#include "base/address_space.h"

namespace tessera::kernels::generated {

namespace {

constexpr const char* kLibrary = "libtessera_codegen.so";

/// Address space that LLVM and its code generation take. LLVM ends the process if it gets none.
constexpr int64_t kMostAddressSpace = int64_t{256} << 20;

void keep(void* receiver, const std::byte* image, size_t size, size_t entry) {
  auto& kept = *static_cast<std::optional<Image>*>(receiver);
  kept = Image{{image, image + size}, entry};
}

}  // namespace

bool Plugin::is_built() {
#ifdef TESSERA_CODEGEN_IS_BUILT
  return true;
#else
  return false;
#endif
}

bool Plugin::is_there() {
  std::call_once(opened_, [this] {
    if (has_bounded_address_space() && !may_map(kMostAddressSpace)) {
      return;
    }
    // Searches where the program's library path leads. The library stays open: its dependencies
    // cannot be unloaded.
    void* const library = ::dlopen(kLibrary, RTLD_LAZY | RTLD_LOCAL);
    if (library != nullptr) {
      function_ = reinterpret_cast<GenerateFunction>(::dlsym(library, kGenerateFunctionName));
    }
  });
  return function_ != nullptr;
}

std::optional<Image> Plugin::generate(const Formula& formula, Isa isa) {
  std::optional<Image> image;
  if (!is_there()) {
    return image;
  }
  const Request request{kInterfaceVersion, static_cast<uint32_t>(isa), formula.steps().data(),
                        static_cast<int64_t>(formula.steps().size()), formula.merge()};
  const Answer answer{&image, &keep, [](void*, const char*) {}};
  function_(&request, &answer);
  return image;
}

}  // namespace tessera::kernels::generated
