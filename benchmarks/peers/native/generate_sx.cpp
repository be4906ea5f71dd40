// Pinocchio's algorithms on CasADi's scalar expressions, as a function that CasADi's Python package loads.
//
// Usage: generate_sx MODEL QUESTION FUNCTION
//
// FUNCTION gets f(q, v, x): the answer's structural nonzeros, common subexpressions removed. Of several ways to compute
// it, the one with the fewest instructions; its name is printed.
#include <pinocchio/autodiff/casadi.hpp>

#include <iostream>
#include <stdexcept>

#include "algorithms.hpp"
#include "robot.hpp"

namespace pin = pinocchio;
using casadi::SX;

namespace {

using W = bench::Way<SX>;

W::Vector elements(const SX &x) {
  W::Vector found(x.size1());
  for (Eigen::Index i = 0; i < found.size(); ++i) found[i] = x(static_cast<casadi_int>(i));
  return found;
}

SX matrix(const W::Matrix &m) {
  SX found(m.rows(), m.cols());
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    for (Eigen::Index j = 0; j < m.cols(); ++j) found(i, j) = m(i, j);
  return SX::sparsify(found);
}

casadi::Function function(const W &way, const W::Model &model) {
  const SX q = SX::sym("q", model.nq), v = SX::sym("v", model.nv), x = SX::sym("x", model.nv);
  W::Data data(model);
  way.compute(model, data, elements(q), elements(v), elements(x));
  return casadi::Function("f", {q, v, x}, {SX::cse({matrix(way.answer(model, data))})[0]});
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    std::cerr << "usage: generate_sx MODEL QUESTION FUNCTION\n";
    return 2;
  }
  try {
    const W::Model model = bench::read_model(argv[1]).cast<SX>();
    casadi::Function best;
    std::string name;
    for (const W &way : bench::ways<SX>(argv[2])) {
      const casadi::Function found = function(way, model);
      if (best.is_null() || found.n_instructions() < best.n_instructions()) best = found, name = way.name;
    }
    best.save(argv[3]);
    std::cout << name << std::endl;
  } catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
