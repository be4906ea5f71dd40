// Times functions that are given by their address: C functions of up to four arrays, and NumPy's inner loops.
#include "timing.hpp"

#include <cstdint>

namespace {
constexpr int most = 4;

// Calls f(inputs at state i ..., result).
void call(void *f, int arguments, const double *const *at, double *result) {
  using F1 = void (*)(const double *, double *);
  using F2 = void (*)(const double *, const double *, double *);
  using F3 = void (*)(const double *, const double *, const double *, double *);
  using F4 = void (*)(const double *, const double *, const double *, const double *, double *);
  switch (arguments) {
    case 1: return reinterpret_cast<F1>(f)(at[0], result);
    case 2: return reinterpret_cast<F2>(f)(at[0], at[1], result);
    case 3: return reinterpret_cast<F3>(f)(at[0], at[1], at[2], result);
    case 4: return reinterpret_cast<F4>(f)(at[0], at[1], at[2], at[3], result);
  }
}
}  // namespace

// inputs[k] holds count x sizes[k] numbers, answers count x result ones; returns nanoseconds a call.
extern "C" double time_function(void *f, int arguments, const double *const *inputs, const int64_t *sizes,
                                int64_t count, int64_t result, double seconds, double *answers) {
  return best_nanoseconds(static_cast<std::size_t>(count), seconds, [&](std::size_t i) {
    const double *at[most];
    for (int k = 0; k < arguments; ++k) at[k] = inputs[k] + static_cast<int64_t>(i) * sizes[k];
    call(f, arguments, at, answers + static_cast<int64_t>(i) * result);
  });
}

// The same for a loop of NumPy's, one sample a call; `steps` are the arrays' strides as NumPy gives them.
extern "C" double time_loop(void *f, int arguments, const double *const *inputs, const int64_t *sizes, int64_t count,
                            int64_t result, const int64_t *dimensions, const int64_t *steps, double seconds,
                            double *answers) {
  using Loop = void (*)(char **, const int64_t *, const int64_t *, void *);
  const Loop loop = reinterpret_cast<Loop>(f);
  return best_nanoseconds(static_cast<std::size_t>(count), seconds, [&](std::size_t i) {
    char *at[most + 1];
    for (int k = 0; k < arguments; ++k)
      at[k] = reinterpret_cast<char *>(const_cast<double *>(inputs[k] + static_cast<int64_t>(i) * sizes[k]));
    at[arguments] = reinterpret_cast<char *>(answers + static_cast<int64_t>(i) * result);
    loop(at, dimensions, steps, nullptr);
  });
}
