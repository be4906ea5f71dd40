// Times functions that are given by their address: C functions of a few arrays, NumPy's inner loops, and functions of
// blocks of samples. Of calls, all results are written once, each to its own place; while time is taken every call
// writes to the same memory, as libraries do that compute in data of their own.
#include "timing.hpp"

#include <cstdint>
#include <vector>

namespace {
constexpr int most = 9;

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
    case 8:
      return reinterpret_cast<void (*)(D, D, D, D, D, D, D, D)>(f)(at[0], at[1], at[2], at[3], at[4], at[5], at[6],
                                                                   at[7]);
    case 9:
      return reinterpret_cast<void (*)(D, D, D, D, D, D, D, D, D)>(f)(at[0], at[1], at[2], at[3], at[4], at[5], at[6],
                                                                      at[7], at[8]);
  }
}

// Where the arrays of each state are: arguments, then results, of `sizes` numbers a state.
struct Places {
  int arguments, number;
  double *const *arrays;
  const int64_t *sizes;
  std::vector<std::vector<double>> scratch;

  Places(int arguments, int number, double *const *arrays, const int64_t *sizes)
      : arguments(arguments), number(number), arrays(arrays), sizes(sizes) {
    for (int k = arguments; k < number; ++k) scratch.emplace_back(sizes[k]);
  }

  double *own(int k, std::size_t i) const { return arrays[k] + static_cast<int64_t>(i) * sizes[k]; }
  double *timed(int k, std::size_t i) { return k < arguments ? own(k, i) : scratch[k - arguments].data(); }
};

template <class Pointer, class Call>
double time_calls(Places &&places, int64_t count, double seconds, Call &&call) {
  Pointer at[most];
  for (int64_t i = 0; i < count; ++i) {
    for (int k = 0; k < places.number; ++k) at[k] = reinterpret_cast<Pointer>(places.own(k, i));
    call(at);
  }
  return best_nanoseconds(static_cast<std::size_t>(count), seconds, [&](std::size_t i) {
    Pointer at[most];
    for (int k = 0; k < places.number; ++k) at[k] = reinterpret_cast<Pointer>(places.timed(k, i));
    call(at);
  });
}
}  // namespace

// arrays[k], arguments and then results, holds count x sizes[k] numbers; returns nanoseconds a call.
extern "C" double time_function(void *f, int arguments, int number, double *const *arrays, const int64_t *sizes,
                                int64_t count, double seconds) {
  return time_calls<double *>(Places(arguments, number, arrays, sizes), count, seconds,
                              [&](double *const *at) { call(f, number, at); });
}

// The same for a loop of NumPy's, one sample a call; `steps` are the arrays' strides as NumPy gives them.
extern "C" double time_loop(void *f, int arguments, int number, double *const *arrays, const int64_t *sizes,
                            int64_t count, double seconds, const int64_t *dimensions, const int64_t *steps) {
  using Loop = void (*)(char **, const int64_t *, const int64_t *, void *);
  const Loop loop = reinterpret_cast<Loop>(f);
  return time_calls<char *>(Places(arguments, number, arrays, sizes), count, seconds,
                            [&](char **at) { loop(at, dimensions, steps, nullptr); });
}

// Nanoseconds a call of f(x, y, blocks).
extern "C" double time_blocks(void *f, const double *x, double *y, int64_t blocks, double seconds) {
  using Blocks = void (*)(const double *, double *, int64_t);
  const Blocks of_blocks = reinterpret_cast<Blocks>(f);
  return best_nanoseconds(1, seconds, [&](std::size_t) { of_blocks(x, y, blocks); });
}
