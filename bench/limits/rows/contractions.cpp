#include "loops/products.h"
#include "row.h"

namespace tessera::bench {

namespace {

constexpr double kBar = 1.25;

Row batched(const std::string& name, const std::string& program, Shape a, Shape b, double flops,
            const std::string& python) {
  return {.name = name,
          .program = program,
          .inputs = {{"A", {DType::f32, std::move(a)}}, {"B", {DType::f32, std::move(b)}}},
          .work = {flops},
          .bar = kBar,
          .numpy = python,
          .torch = python};
}

}  // namespace

/// Without a limit of their own: beside what arithmetic and memory take at least.
std::vector<Row> contraction_rows() {
  std::vector<Row> rows;
  rows.push_back(batched(
      "bhsd,bhtd->bhst 4 16 512 64",
      "input A[b,h,s,d], B[b,h,t,d]\nR[b,h,s,t] = sum[d] A[b,h,s,d] * B[b,h,t,d]", {4, 16, 512, 64},
      {4, 16, 512, 64}, 2.0 * 64 * 512 * 512 * 64, "A @ B.swapaxes(2, 3)"));
  rows.push_back(batched("ijb,jbk->ik 10 100 20 2000",
                         "input A[i,j,b], B[j,b,k]\nR[i,k] = sum[j,b] A[i,j,b] * B[j,b,k]",
                         {10, 100, 20}, {100, 20, 2000}, 2.0 * 10 * 2000 * 2000,
                         "A.reshape(10, 2000) @ B.reshape(2000, 2000)"));
  rows.push_back(
      batched("abcd,cdef->abef 60",
              "input A[a,b,c,d], B[c,d,e,f]\nR[a,b,e,f] = sum[c,d] A[a,b,c,d] * B[c,d,e,f]",
              {60, 60, 60, 60}, {60, 60, 60, 60}, 2.0 * 3600 * 3600 * 3600,
              "A.reshape(3600, 3600) @ B.reshape(3600, 3600)"));
  rows.push_back(
      batched("ijkl,klmn->ijmn 48",
              "input A[i,j,k,l], B[k,l,m,n]\nR[i,j,m,n] = sum[k,l] A[i,j,k,l] * B[k,l,m,n]",
              {48, 48, 48, 48}, {48, 48, 48, 48}, 2.0 * 2304 * 2304 * 2304,
              "A.reshape(2304, 2304) @ B.reshape(2304, 2304)"));
  Row chain{.name = "(A B) + (C (D E)) 2000",
            .program =
                "input A[i,j], B[j,k], C[i,l], D[l,m], E[m,k]\n"
                "R[i,k] = (sum[j] A[i,j] * B[j,k]) + (sum[l,m] C[i,l] * D[l,m] * E[m,k])",
            .work = {3 * 2.0 * 2000 * 2000 * 2000},
            .bar = kBar,
            .numpy = "A @ B + C @ (D @ E)",
            .torch = "A @ B + C @ (D @ E)"};
  for (const char* const name : {"A", "B", "C", "D", "E"}) {
    chain.inputs.push_back({name, {DType::f32, {2000, 2000}}, -1, 1});
  }
  rows.push_back(std::move(chain));
  rows.push_back(
      {.name = "ijk,ja,ka->ia 400 a=32",
       .program = "input X[i,j,k], B[j,a], C[k,a]\nR[i,a] = sum[j,k] X[i,j,k] * B[j,a] * C[k,a]",
       .inputs = {{"X", {DType::f32, {400, 400, 400}}, -1, 1},
                  {"B", {DType::f32, {400, 32}}, -1, 1},
                  {"C", {DType::f32, {400, 32}}, -1, 1}},
       .work = {2.0 * 400 * 400 * 400 * 32},
       .bar = kBar,
       .numpy = "np.einsum('ija,ja->ia', (X.reshape(160000, 400) @ C).reshape(400, 400, 32), B)",
       .torch = "torch.einsum('ijk,ja,ka->ia', X, B, C)"});
  rows.push_back({.name = "nearest neighbour 15000 x 600",
                  .program = "input X[n,d], W[d,e], Q[d]\nD[n] = sum[d,e] (X[n,d] - Q[d]) * W[d,e] "
                             "* (X[n,e] - Q[e])\n"
                             "R = argmin[n] D[n]",
                  .inputs = {{"X", {DType::f32, {15000, 600}}},
                             {"W", {DType::f32, {600, 600}}},
                             {"Q", {DType::f32, {600}}}},
                  .work = {2.0 * 15000 * 600 * 600},
                  .bar = kBar,
                  .numpy = "np.argmin((((X - Q) @ W) * (X - Q)).sum(1))",
                  .torch = "torch.argmin((((X - Q) @ W) * (X - Q)).sum(1))"});
  rows.push_back({.name = "network step, N 1000 D 6000 H 1000 L 1500",
                  .program = "input X[n,d], Y[n,l], U[d,h], V[h,l]\n"
                             "A[n,h] = relu(sum[d] X[n,d] * U[d,h])\n"
                             "P[n,l] = sigmoid(sum[h] A[n,h] * V[h,l]) - Y[n,l]\n"
                             "G[n,h] = (sum[l] P[n,l] * V[h,l]) * (A[n,h] > 0)\n"
                             "R[d,h] = U[d,h] - 0.01 * (sum[n] X[n,d] * G[n,h])",
                  .inputs = {{"X", {DType::f32, {1000, 6000}}, -1, 1},
                             {"Y", {DType::f32, {1000, 1500}}, 0, 1},
                             {"U", {DType::f32, {6000, 1000}}, -1, 1},
                             {"V", {DType::f32, {1000, 1500}}, -1, 1}},
                  .work = {2.0 * 1000 * 1000 * (2 * 6000 + 2 * 1500)},
                  .bar = kBar,
                  .numpy = "(lambda A: U - np.float32(0.01) * (X.T @ (((1 / (1 + np.exp(-(A @ V))) "
                           "- Y) @ V.T) * (A > 0))))(np.maximum(X @ U, 0))",
                  .torch = "(lambda A: U - 0.01 * (X.T @ (((torch.sigmoid(A @ V) - Y) @ V.T) * (A "
                           "> 0))))(torch.relu(X @ U))"});
  return rows;
}

}  // namespace tessera::bench
