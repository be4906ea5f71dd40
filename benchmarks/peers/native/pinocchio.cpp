// Pinocchio's algorithms on a robot given as text (see robot.hpp), timed over stored states.
//
// Usage: pinocchio MODEL STATES ANSWERS QUESTION COUNT SECONDS
//
// STATES holds COUNT times q, v and a or tau as doubles, ANSWERS gets COUNT results. Prints `name nanoseconds` for each
// way to compute the answer.
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "robot.hpp"

namespace pin = pinocchio;
using bench::Measurement;
using bench::State;
using Eigen::MatrixXd;

namespace {

// Pinocchio fills the upper triangle of symmetric matrices.
MatrixXd symmetric(const MatrixXd &m) { return m.selfadjointView<Eigen::Upper>(); }

MatrixXd side_by_side(const MatrixXd &a, const MatrixXd &b, const MatrixXd &c) {
  MatrixXd all(a.rows(), a.cols() + b.cols() + c.cols());
  all << a, b, c;
  return all;
}

void answer(const std::string &question, const pin::Model &m, Measurement &measure) {
  using pin::Convention;
  using pin::Data;
  if (question == "inverse") {
    measure("rnea", [&](const State &s, Data &d) { pin::rnea(m, d, s.q, s.v, s.x); },
            [](const Data &d) { return MatrixXd(d.tau); });
  } else if (question == "forward") {
    const auto result = [](const Data &d) { return MatrixXd(d.ddq); };
    measure("aba-local", [&](const State &s, Data &d) { pin::aba(m, d, s.q, s.v, s.x, Convention::LOCAL); }, result);
    measure("aba-world", [&](const State &s, Data &d) { pin::aba(m, d, s.q, s.v, s.x, Convention::WORLD); }, result);
  } else if (question == "mass_matrix") {
    const auto result = [](const Data &d) { return symmetric(d.M); };
    measure("crba-local", [&](const State &s, Data &d) { pin::crba(m, d, s.q, Convention::LOCAL); }, result);
    measure("crba-world", [&](const State &s, Data &d) { pin::crba(m, d, s.q, Convention::WORLD); }, result);
  } else if (question == "inverse_derivatives") {
    measure("rnea-derivatives",
            [&](const State &s, Data &d) { pin::computeRNEADerivatives(m, d, s.q, s.v, s.x); },
            [](const Data &d) { return side_by_side(d.dtau_dq, d.dtau_dv, symmetric(d.M)); });
  } else if (question == "forward_derivatives") {
    measure("aba-derivatives",
            [&](const State &s, Data &d) { pin::computeABADerivatives(m, d, s.q, s.v, s.x); },
            [](const Data &d) { return side_by_side(d.ddq_dq, d.ddq_dv, symmetric(d.Minv)); });
  } else {
    throw std::runtime_error("unknown question " + question);
  }
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 7) {
    std::cerr << "usage: pinocchio MODEL STATES ANSWERS QUESTION COUNT SECONDS\n";
    return 2;
  }
  try {
    const pin::Model model = bench::read_model(argv[1]);
    const auto states = bench::read_states(argv[2], model, std::strtoul(argv[5], nullptr, 10));
    Measurement measure(model, states, std::strtod(argv[6], nullptr), argv[3]);
    answer(argv[4], model, measure);
  } catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
