// Times functions that are given by their address: C functions of a few arrays, and NumPy's inner loops.
#include "timing.hpp"

#include <cstdint>

namespace {
constexpr int most = 7;

// Calls f with so many arrays: arguments, then results.
void call(void *f, int arrays, double *const *at) {
  using D = double *;
  switch (arrays) {
    case 2: return reinterpret_cast<void (*)(D, D)>(f)(at[0], at[1]);
    case 3: return reinterpret_cast<void (*)(D, D, D)>(f)(at[0], at[1], at[2]);
    case 4: return reinterpret_cast<void (*)(D, D, D, D)>(f)(at[0], at[1], at[2], at[3]);
    case 5: return reinterpret_cast<void (*)(D, D, D, D, D)>(f)(at[0], at[1], at[2], at[3], at[4]);
    case 6: return reinterpret_cast<void (*)(D, D, D, D, D, D)>(f)(at[0], at[1], at[2], at[3], at[4], at[5]);
    case 7: return reinterpret_cast<void (*)(D, D, D, D, D, D, D)>(f)(at[0], at[1], at[2], at[3], at[4], at[5], at[6]);
  }
}
}  // namespace

// arrays[k], arguments and then results, holds count x sizes[k] numbers; returns nanoseconds a call.
extern "C" double time_function(void *f, int number, double *const *arrays, const int64_t *sizes, int64_t count,
                                double seconds) {
  return best_nanoseconds(static_cast<std::size_t>(count), seconds, [&](std::size_t i) {
    double *at[most];
    for (int k = 0; k < number; ++k) at[k] = arrays[k] + static_cast<int64_t>(i) * sizes[k];
    call(f, number, at);
  });
}

// The same for a loop of NumPy's, one sample a call; `steps` are the arrays' strides as NumPy gives them.
extern "C" double time_loop(void *f, int number, double *const *arrays, const int64_t *sizes, int64_t count,
                            double seconds, const int64_t *dimensions, const int64_t *steps) {
  using Loop = void (*)(char **, const int64_t *, const int64_t *, void *);
  const Loop loop = reinterpret_cast<Loop>(f);
  return best_nanoseconds(static_cast<std::size_t>(count), seconds, [&](std::size_t i) {
    char *at[most];
    for (int k = 0; k < number; ++k)
      at[k] = reinterpret_cast<char *>(arrays[k] + static_cast<int64_t>(i) * sizes[k]);
    loop(at, dimensions, steps, nullptr);
  });
}
