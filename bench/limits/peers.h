#pragma once

#include <cstdio>
#include <map>
#include <string>

#include "row.h"

namespace tessera::bench {

/// numpy and torch in a process beside this one (peers.py), where they are installed.
class Peers {
 public:
  /// Without a script, or without numpy, there are no peers.
  Peers(const std::string& script, int threads);
  ~Peers();
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  /// Has them make a row's inputs and evaluate it once.
  void prepare(const Row& row);

  /// Seconds of one evaluation, by peer.
  std::map<std::string, double> turn();

 private:
  std::string ask(const std::string& line);

  int process_ = -1;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
};

}  // namespace tessera::bench
