#pragma once

#include <string>

#include <gtest/gtest.h>

#include "base/error.h"
#include "ir/einsum/text.h"
#include "ir/ia/text.h"
#include "ir/tra/text.h"
#include "unit/expr/registries.h"

/// Graphs with every operator as texts, and how tests read such texts.
namespace tessera {

inline auto parse_einsum(const std::string& text) {
  return einsum::parse_graph({"g", text}, expr::all_functions(), expr::all_aggregates());
}
inline auto parse_tra(const std::string& text) {
  return tra::parse_graph({"g", text}, expr::all_functions(), expr::all_aggregates());
}
inline auto parse_ia(const std::string& text) {
  return ia::parse_graph({"g", text}, expr::all_functions(), expr::all_aggregates());
}

template <class Parse>
std::string error_of(Parse parse, const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user);
    return error.message();
  }
  return "";
}

inline constexpr const char* kEinsum =
    "einsum aggregate={absmax:f32 by absmax:f32 (a, b) -> maximum(abs(a), abs(b)) identity 0; (x, "
    "i) ->\n"
    "      x; (a) -> a}\n"
    "%0 = input Q : f32[s=128,a=64]   # Q (attention.ein:2:7)\n"
    "%1 = input \"odd name\" : f32[a=64,h=8]\n"
    "%2 = einsum(%0, %1) {QH[s,h] = sum[a] Q[s,a] * \"odd name\"[a,h]} : f32[s=128,h=8]   # QH\n"
    "%3 = einsum(%2, %2) {G[i] = max[j] (x0[i,j] + x1[i,0])} : f32[i=128]\n"
    "%4 = einsum(%0) {M[a] = absmax[s] Q[s,a]} : f32[a=64]\n"
    "%5 = einsum {[i=3,j=4] C[i,j] = f32(index(i) + index(j))} : f32[i=3,j=4]\n"
    "%6 = einsum(%0) {W[s] = argmax[a] Q[s,a]} : i64[s=128]\n"
    "%7 = input scalar : f64[]\n"
    "output(%2) Y\n"
    "output(%6) \"other result\"\n";

inline constexpr const char* kIa =
    "ia sites=4\n"
    "%0 = input Q at=(2*s+a) : (s:2x64,a:2x32) -> f32[s=128,a=64]\n"
    "%1 = input W at=(a) : (a:2x32,h:1x8) -> f32[a=64,h=8]\n"
    "%2 = bcast(%1) at=everywhere : (a:2x32,h:1x8) -> f32[a=64,h=8]\n"
    "%3 = local_join(%0, %2) on=(s,a; a,h) kernel={o[s,h] = sum[a] x0[s,a] * x1[a,h]} at=(2*s+a)\n"
    "      : (s:2x64,h:1x8,a:2x32) -> f32[s=128,h=8]   # QH\n"
    "%4 = shuf(%3) at=(s) : (s:2x64,h:1x8,a:2x32) -> f32[s=128,h=8]\n"
    "%5 = local_aggregate(%4) keep=(s,h) by=sum:f32 at=(s) : (s:2x64,h:1x8) -> f32[s=128,h=8]\n"
    "%6 = local_repartition(%5) at=(s/4) : (s:8x16,h:1x8) -> f32[s=128,h=8]\n"
    "%7 = shuf(%6) at=(3*(s/2%2)) : (s:8x16,h:1x8) -> f32[s=128,h=8]\n"
    "%8 = shuf(%7) at=[2,2,2,2,2,2,2,2] : (s:8x16,h:1x8) -> f32[s=128,h=8]\n"
    "%9 = local_repartition(%8) at=[2] : (s:1x128,h:1x8) -> f32[s=128,h=8]\n"
    "%10 = local_filter(%9) where={index(s) == 0} at=[2] : (s:1x128,h:1x8) -> f32[s=128,h=8]\n"
    "%11 = local_rekey(%10) key=(h=h) at=[2] : (h:1x8) -> f32[s=128,h=8]\n"
    "%12 = local_transform(%10) kernel={o[s] = max[h] x0[s,h]} at=[2] : (s:1x128,h:1x8) -> "
    "f32[s=128]\n"
    "%13 = shuf(%12) at=undecided : (s:1x128,h:1x8) -> f32[s=128]\n"
    "%14 = shuf(%7) at=[0,{1,2},3,{0,3},1,1,1,1] : (s:8x16,h:1x8) -> f32[s=128,h=8]\n"
    "%15 = local_transform(%14) kernel={o[s] = max[h] x0[s,h]} made_at=[0,2,3,3,1,1,1,1]\n"
    "      : (s:8x16,h:1x8) -> f32[s=128]\n"
    "output(%12) Y\n";

}  // namespace tessera
