#pragma once

#include <string>

#include "base/error.h"
#include "plan/text.h"

/// A small plan as text, and how tests read such texts.
namespace tessera::plan {

inline const expr::FunctionRegistry& functions() {
  static const expr::FunctionRegistry registry = [] {
    expr::FunctionRegistry all;
    register_all_functions(all);
    return all;
  }();
  return registry;
}

inline const expr::AggregateRegistry& aggregates() {
  static const expr::AggregateRegistry registry = [] {
    expr::AggregateRegistry all;
    register_all_aggregates(all);
    return all;
  }();
  return registry;
}

/// Its last use of t3 is said wrongly: kSound has it right.
inline constexpr const char* kPlan =
    "tasks peak=192 smallest_budget=128\n"
    "p0 = program {[i=4,j=2] (f32) o[i] = sum[j] x0[i,j]}\n"
    "source X : f32[4,2]\n"
    "sink Y : f32[4]\n"
    "t0 = tile X key=(0,0) last=%3 : f32[0:4,0:1]\n"
    "t1 = tile X key=(0,1) last=%4 : f32[0:4,1:2]\n"
    "t2 = tile S key=(0) column=1 last=%5 : f32[0:4]\n"
    "t3 = tile \"odd name\" key=() last=%6 : f32[0:4]\n"
    "%0 = read_source X out=(t0) bytes=16\n"
    "%1 = read_source X out=(t1) bytes=16 seconds=1e-09\n"
    "%2 = compute(t0) out=(t2) program=p0 kernel=reference ranges=(0:4,0:1) flops=4   # S "
    "(s.ein:1:1)\n"
    "%3 = compute(t0) out=(t2) program=p0 kernel=reference ranges=(0:4,0:1) accumulate=yes\n"
    "%4 = compute(t1) out=(t2) program=p0 kernel=reference ranges=(0:4,1:2) accumulate=yes\n"
    "%5 = copy_box(t2) out=(t3)\n"
    "%6 = write_sink(t3[0:2]) Y\n"
    "%7 = write_sink(t3[2:4]) Y\n";

inline TaskGraph parse(const std::string& text) {
  return parse_graph({"plan", text}, functions(), aggregates());
}

inline std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

inline const std::string kSound = replaced(kPlan, "last=%6", "last=%7");

}  // namespace tessera::plan
