// The one timing loop of all native code: CPU time of the thread, passes over stored states. One pass of twenty may be
// faster than what counts: clocks of virtual machines stand still now and then.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <vector>

inline double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Nanoseconds a call of body(i), i = 0 .. count - 1.
template <class Body>
double best_nanoseconds(std::size_t count, double seconds, Body &&body) {
  constexpr int least_passes = 5;
  constexpr std::size_t faster = 20;
  std::vector<double> times;
  const double end = thread_seconds() + seconds;
  for (int pass = 0; pass < least_passes || thread_seconds() < end; ++pass) {
    const double start = thread_seconds();
    for (std::size_t i = 0; i < count; ++i) body(i);
    const double time = thread_seconds() - start;
    times.push_back(time);
  }
  const auto best = times.begin() + times.size() / faster;
  std::nth_element(times.begin(), best, times.end());
  return 1e9 * *best / static_cast<double>(count);
}
