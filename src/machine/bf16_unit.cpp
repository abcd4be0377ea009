#include "machine/bf16_unit.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/isa.h"

namespace tessera {

namespace {

/// Bits of `cpuid` leaf 7, of the ABI of Linux and of the state that its kernel may save.
constexpr unsigned kAmxBf16 = 1U << 22;    // of subleaf 0, edx
constexpr unsigned kAmxTile = 1U << 24;    // of the same
constexpr unsigned kAvx512Bf16 = 1U << 5;  // of subleaf 1, eax
constexpr int kAskForState = 0x1023;       // ARCH_REQ_XCOMP_PERM of arch_prctl
constexpr int kTileData = 18;              // XFEATURE_XTILEDATA

/// The four registers of `cpuid`; zeros if it has no such leaf.
struct CpuId {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
};

CpuId features(unsigned subleaf) {
  CpuId id;
  if (__get_cpuid_count(7, subleaf, &id.eax, &id.ebx, &id.ecx, &id.edx) == 0) {
    return {};
  }
  return id;
}

/// True if the system saves the registers of AMX for this process, which has to ask for it once:
/// the processor alone does not tell, and a process that uses them without asking is killed.
bool system_saves_tiles() {
  return ::syscall(SYS_arch_prctl, kAskForState, kTileData) == 0;
}

}  // namespace

Bf16Unit widest_bf16_unit() {
  if (widest_isa() < Isa::avx512) {
    return Bf16Unit::none;
  }
  const unsigned amx = kAmxBf16 | kAmxTile;
  if ((features(0).edx & amx) == amx && system_saves_tiles()) {
    return Bf16Unit::amx;
  }
  return (features(1).eax & kAvx512Bf16) != 0 ? Bf16Unit::avx512 : Bf16Unit::none;
}

}  // namespace tessera
