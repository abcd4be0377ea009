#include "partition/workloads.h"

#include <map>

#include <fmt/format.h>

namespace tessera::bench {

namespace {

/// Inputs by name and labels, "A[i, j], B[j, k]", with the extents of their labels, one letter
/// each.
std::string inputs(const std::string& headers, const std::map<char, int>& extents) {
  std::string text = "input ";
  bool is_inside = false;
  for (const char character : headers) {
    is_inside = character == '[' || (is_inside && character != ']');
    text += character;
    const auto extent = extents.find(character);
    if (is_inside && extent != extents.end()) {
      text += fmt::format("={}", extent->second);
    }
  }
  return text + "\n";
}

/// (A*B)+(C*(D*E)) with A: rows x inner, B: inner x rows, C: rows x inner, D: inner x wide,
/// E: wide x rows.
std::string matrix_chain(int rows, int inner, int wide) {
  return inputs("A[i, j], B[j, k], C[i, l], D[l, m], E[m, k]",
                {{'i', rows}, {'j', inner}, {'k', rows}, {'l', inner}, {'m', wide}}) +
         "AB[i, k] = sum[j] A[i, j] * B[j, k]\n"
         "DE[l, k] = sum[m] D[l, m] * E[m, k]\n"
         "CDE[i, k] = sum[l] C[i, l] * DE[l, k]\n"
         "Y[i, k] = AB[i, k] + CDE[i, k]\n"
         "output Y\n";
}

/// One step of gradient descent of a classifier with one hidden layer (AmazonCat-14K).
std::string classifier_step(int batch, int features) {
  return inputs("X[b, f], T[b, l], W[f, h], V[h, l]",
                {{'b', batch}, {'f', features}, {'h', 8192}, {'l', 14588}}) +
         "Z[b, h] = sum[f] X[b, f] * W[f, h]\n"
         "H[b, h] = relu(Z[b, h])\n"
         "G[b, l] = (sum[h] H[b, h] * V[h, l]) - T[b, l]\n"
         "GV[h, l] = sum[b] H[b, h] * G[b, l]\n"
         "GH[b, h] = where(Z[b, h] > 0, sum[l] G[b, l] * V[h, l], 0.0)\n"
         "GW[f, h] = sum[b] X[b, f] * GH[b, h]\n"
         "W2[f, h] = W[f, h] - 0.01 * GW[f, h]\n"
         "V2[h, l] = V[h, l] - 0.01 * GV[h, l]\n"
         "output W2, V2\n";
}

std::string attention(int tokens) {
  return inputs("X[s, a], WQ[a, h, d], WK[a, h, d], WV[a, h, d], WO[a, h, d]",
                {{'s', tokens}, {'a', 4096}, {'h', 32}, {'d', 128}}) +
         "Q[s, h, d] = sum[a] X[s, a] * WQ[a, h, d]\n"
         "K[t, h, d] = sum[a] X[t, a] * WK[a, h, d]\n"
         "V[t, h, d] = sum[a] X[t, a] * WV[a, h, d]\n"
         "T1[h, s, t] = (sum[d] Q[s, h, d] * K[t, h, d]) / sqrt(128)\n"
         "P[h, s, t] = softmax[t](T1[h, s, t])\n"
         "O[s, h, d] = sum[t] P[h, s, t] * V[t, h, d]\n"
         "Y[s, a] = sum[h, d] O[s, h, d] * WO[a, h, d]\n"
         "output Y\n";
}

/// One layer, whose input is R<number> and whose result is R<number + 1>.
std::string layer(int number) {
  const std::string text =
      inputs(
          "WQ@[a, h, d], WK@[a, h, d], WV@[a, h, d], WO@[a, h, d], UP@[f, a], GATE@[f, a], "
          "DOWN@[a, f], g1@[a], g2@[a]",
          {{'a', 4096}, {'h', 32}, {'d', 128}, {'f', 11008}}) +
      "N1@[b, s, a] = R@[b, s, a] * rsqrt((mean[a] R@[b, s, a]^2) + 1e-5) * g1@[a]\n"
      "Q@[b, s, h, d] = sum[a] N1@[b, s, a] * WQ@[a, h, d]\n"
      "K@[b, t, h, d] = sum[a] N1@[b, t, a] * WK@[a, h, d]\n"
      "V@[b, t, h, d] = sum[a] N1@[b, t, a] * WV@[a, h, d]\n"
      "S@[b, h, s, t] = (sum[d] Q@[b, s, h, d] * K@[b, t, h, d]) / sqrt(128)\n"
      "P@[b, h, s, t] = softmax[t](S@[b, h, s, t])\n"
      "O@[b, s, h, d] = sum[t] P@[b, h, s, t] * V@[b, t, h, d]\n"
      "A@[b, s, a] = R@[b, s, a] + (sum[h, d] O@[b, s, h, d] * WO@[a, h, d])\n"
      "N2@[b, s, a] = A@[b, s, a] * rsqrt((mean[a] A@[b, s, a]^2) + 1e-5) * g2@[a]\n"
      "U@[b, s, f] = silu(sum[a] N2@[b, s, a] * GATE@[f, a]) * (sum[a] N2@[b, s, a] * UP@[f, a])\n"
      "R#[b, s, a] = A@[b, s, a] + (sum[f] U@[b, s, f] * DOWN@[a, f])\n";
  std::string numbered;
  for (const char character : text) {
    if (character == '@') {
      numbered += std::to_string(number);
    } else if (character == '#') {
      numbered += std::to_string(number + 1);
    } else {
      numbered += character;
    }
  }
  return numbered;
}

}  // namespace

std::string transformer(int num_layers, int batch, int tokens) {
  std::string text = inputs("R0[b, s, a]", {{'b', batch}, {'s', tokens}, {'a', 4096}});
  for (int number = 0; number < num_layers; ++number) {
    text += layer(number);
  }
  return text + fmt::format("output R{}\n", num_layers);
}

std::vector<Workload> all_workloads() {
  const std::string heads = "label:h,f";
  const std::string positions = "label:s,t";
  return {
      {"matrix chain, square, s=16384", matrix_chain(16384, 16384, 16384), "", "", ""},
      {"matrix chain, skewed, s=16384", matrix_chain(16384, 1638, 163840), "", "", ""},
      {"classifier step, batch 128, 8192 features", classifier_step(128, 8192), "label:h", "", ""},
      {"classifier step, batch 128, 597540 features", classifier_step(128, 597540), "label:h", "",
       ""},
      {"classifier step, batch 512, 597540 features", classifier_step(512, 597540), "label:h", "",
       ""},
      {"attention, 4096 tokens", attention(4096), "label:h", positions, "label:h"},
      {"transformer block, batch 8, 1024 tokens", transformer(1, 8, 1024), heads, positions,
       "label:h"},
      {"transformer block, batch 4, 4096 tokens", transformer(1, 4, 4096), heads, positions,
       "label:h"},
      {"4 transformer blocks, batch 1, 4096 tokens", transformer(4, 1, 4096), heads, positions,
       "label:h"}};
}

}  // namespace tessera::bench
