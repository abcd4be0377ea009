#pragma once

#include <string>
#include <vector>

namespace tessera::bench {

/// A program to be cut, and how people cut it by hand.
struct Workload {
  std::string name;
  std::string program;   // in the language of `.ein` files, every extent given
  std::string megatron;  // planner text ("label:h,f"); empty where the rule says nothing
  std::string sequence;
  std::string attention;
};

/// Layers of a LLaMA-7B (4096 wide, 32 heads of 128, 11008 hidden units), first token.
std::string transformer(int num_layers, int batch, int tokens);

/// The workloads of EinDecomp §9: matrix chains, steps of a feed-forward classifier, attention, and
/// blocks of a transformer.
std::vector<Workload> all_workloads();

}  // namespace tessera::bench
