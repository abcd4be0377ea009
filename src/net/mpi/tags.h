#pragma once

namespace tessera::net {

/// What tells a message of data from a word about the link. Nothing else has a tag, so that the
/// smallest bound that a library may set (32,767; some have 24 bits) is far off.
inline constexpr int kWordTag = 1;
inline constexpr int kDataTag = 2;

}  // namespace tessera::net
