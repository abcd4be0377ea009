#pragma once

namespace tessera {

/// Tests that draw many cases look at one of so many: a sanitizer's checks of every access take ten
/// times as long, and all cases are run without them.
#if defined(TESSERA_ADDRESS_SANITIZER) || defined(TESSERA_THREAD_SANITIZER)
inline constexpr int kOneOfDrawn = 10;
#else
inline constexpr int kOneOfDrawn = 1;
#endif

}  // namespace tessera
