#pragma once

namespace tessera::runtime {

/// Y = 2 X on one site, Z = Y + X on the other, and their sum on the first again.
inline constexpr const char* kTwoSitePlan =
    "tasks\n"
    "m0 = space peak=704 smallest_budget=704\n"
    "m1 = space peak=704 smallest_budget=704\n"
    "s0 = site space=m0\n"
    "s1 = site space=m1\n"
    "p0 = program {[i=8] (i64,i64) o[i] = x0[i] + x1[i]}\n"
    "source X : i64[8]\n"
    "sink Y : i64[8]\n"
    "t0 = tile X key=(0) last=%2 : i64[0:8]\n"
    "t1 = tile X key=(0) space=m1 last=%4 : i64[0:8]\n"
    "t2 = tile D key=(0) last=%6 : i64[0:8]\n"
    "t3 = tile D key=(0) space=m1 last=%4 : i64[0:8]\n"
    "t4 = tile Z key=(0) space=m1 last=%5 : i64[0:8]\n"
    "t5 = tile Z key=(0) last=%6 : i64[0:8]\n"
    "t6 = tile Y key=(0) last=%7 : i64[0:8]\n"
    "%0 = read_source X out=(t0) bytes=64\n"
    "%1 = move(t0) site=s1 out=(t1) bytes=64\n"
    "%2 = compute(t0, t0) out=(t2) program=p0 kernel=reference ranges=(0:8) workspace=512\n"
    "%3 = move(t2) site=s1 out=(t3) bytes=64\n"
    "%4 = compute(t3, t1) site=s1 out=(t4) program=p0 kernel=reference ranges=(0:8) workspace=512\n"
    "%5 = move(t4) out=(t5) bytes=64\n"
    "%6 = compute(t2, t5) out=(t6) program=p0 kernel=reference ranges=(0:8) workspace=512\n"
    "%7 = write_sink(t6) Y bytes=64\n";

}  // namespace tessera::runtime
