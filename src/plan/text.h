#pragma once

#include "base/source.h"
#include "expr/aggregate.h"
#include "expr/function.h"
#include "ir/description.h"
#include "plan/task_graph.h"

namespace tessera::plan {

/// Describes a plan for people: its tile programs, the tensors that it reads, its results and
/// tiles, then its tasks in their order:
///   tasks peak=98304 smallest_budget=65536
///   p0 = program {[s=128,h=8,a=64] (f32,f32) o[s,h] = sum[a] x0[s,a] * x1[a,h]}
///   source Q : f32[128,64]
///   sink Y : f32[128,8]
///   t0 = tile Q key=(0,0) last=%2 : f32[0:64,0:64]
///   %0 = read_source Q out=(t0) bytes=16384 seconds=1e-06   # Q
///   %2 = compute(t0, t1) out=(t2) program=p0 kernel=gemm ranges=(0:64,0:8,0:64) flops=65536   # QH
///   %3 = write_sink(t2) Y bytes=2048
///
/// Ranges and boxes are begin:end. An argument is the whole tile, in its place, unless it says
/// t2[0:8;0:64], a part of it, or t2[0:8;0:64]@[0;0], a part and its place for this task. A number
/// that is 0 is left out. A source is as large as the user's tensor, though tasks may read few of
/// its tiles.
///
/// A plan with reproducible bits says reproducible=yes in its first line.
///
/// A plan of several sites or spaces, or of a memory that is not the host's, lists them first, and
/// gives the places of tiles and tasks that are not at the first:
///   tasks
///   m0 = space peak=64 smallest_budget=64
///   m1 = space process=1 kind=device peak=128 smallest_budget=128
///   s0 = site space=m0
///   s1 = site space=m1
///   t0 = tile X key=(0) last=%1 : f32[0:4]
///   t1 = tile X key=(0) space=m1 last=%2 : f32[0:4]
///   %1 = move(t0) site=s1 out=(t1) bytes=16
ir::Document describe(const TaskGraph& graph, const expr::AggregateRegistry& aggregates);

/// Describes a plan line by line. REQUIRES that the graph lives as long.
ir::DocumentLines lines_of(const TaskGraph& graph, const expr::AggregateRegistry& aggregates);

/// Reads the text of describe() back to an equal plan, verified. Throws a user Error: with line,
/// column and caret if the text is at fault, in words if the plan is inconsistent.
TaskGraph parse_graph(const SourceText& source, const expr::FunctionRegistry& functions,
                      const expr::AggregateRegistry& aggregates);

}  // namespace tessera::plan
