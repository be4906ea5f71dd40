// Pinocchio's algorithms on a robot given as text (see robot.hpp), timed over stored states.
//
// Usage: pinocchio MODEL STATES ANSWERS QUESTION COUNT SECONDS
//
// STATES holds COUNT times q, v and a or tau as doubles, ANSWERS gets COUNT results. Prints `name nanoseconds` for each
// way to compute the answer.
#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include "algorithms.hpp"
#include "robot.hpp"

namespace pin = pinocchio;

int main(int argc, char **argv) {
  if (argc != 7) {
    std::cerr << "usage: pinocchio MODEL STATES ANSWERS QUESTION COUNT SECONDS\n";
    return 2;
  }
  try {
    const pin::Model model = bench::read_model(argv[1]);
    const auto states = bench::read_states(argv[2], model, std::strtoul(argv[5], nullptr, 10));
    bench::Measurement measure(model, states, std::strtod(argv[6], nullptr), argv[3]);
    for (const auto &way : bench::ways<double>(argv[4]))
      measure(
          way.name.c_str(), [&](const bench::State &s, pin::Data &d) { way.compute(model, d, s.q, s.v, s.x); },
          [&](pin::Data &d) { return way.answer(model, d); });
  } catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
