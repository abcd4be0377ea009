#include <cstdint>

// What someone who knows the sizes would write, for beside_loops.py: one thread, row after row.

extern "C" {

void histogram(const int64_t* groups, int64_t num_rows, int64_t* counts) {
  for (int64_t row = 0; row < num_rows; ++row) {
    ++counts[groups[row]];
  }
}

void add_rows(const int64_t* groups, const float* rows, int64_t num_rows, int64_t length,
              float* sums) {
  for (int64_t row = 0; row < num_rows; ++row) {
    float* __restrict into = sums + groups[row] * length;
    const float* __restrict values = rows + row * length;
    for (int64_t e = 0; e < length; ++e) {
      into[e] += values[e];
    }
  }
}

void add_named_rows(const int64_t* groups, const int64_t* names, const float* rows,
                    int64_t num_names, int64_t length, float* sums) {
  for (int64_t name = 0; name < num_names; ++name) {
    float* __restrict into = sums + groups[name] * length;
    const float* __restrict values = rows + names[name] * length;
    for (int64_t e = 0; e < length; ++e) {
      into[e] += values[e];
    }
  }
}

void add_products(const int64_t* rows, const int64_t* columns, const float* values,
                  const float* dense, int64_t num_values, int64_t length, float* sums) {
  for (int64_t value = 0; value < num_values; ++value) {
    float* __restrict into = sums + rows[value] * length;
    const float* __restrict from = dense + columns[value] * length;
    const float factor = values[value];
    for (int64_t e = 0; e < length; ++e) {
      into[e] += factor * from[e];
    }
  }
}
}
