#pragma once

namespace tessera::net {

/// The tag that tells a word about the link from a message of data. There are no other tags, so the
/// smallest bound of any library (32,767; some have 24 bits) is far off.
inline constexpr int kWordTag = 1;
inline constexpr int kDataTag = 2;

}  // namespace tessera::net
