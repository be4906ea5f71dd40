// Pinocchio's forward dynamics of closed chains, on a robot given as text (see robot.hpp), timed over stored states.
//
// Usage: loops MODEL STATES ANSWERS WAY COUNT SECONDS
//
// MODEL also has one line a loop, with the loop's frame in the bodies of both joints:
//   loop ROWS JOINT rotation[9] translation[3] JOINT rotation[9] translation[3]
// ROWS is 3, where the frames' origins stay together, or 6. WAY is lcaba or constraintDynamics.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>

#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/loop-constrained-aba.hpp>

#include "robot.hpp"

namespace pin = pinocchio;
using bench::Measurement;
using bench::State;

namespace {

constexpr double accuracy = 1e-12, mu = 1e-6;
constexpr int iterations = 1;

struct Constraints {
  PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(pin::RigidConstraintModel) models;
  PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(pin::RigidConstraintData) datas;
};

pin::SE3 read_pose(std::istream &in) {
  const Eigen::Matrix3d rotation = bench::read_matrix(in);
  return pin::SE3(rotation, bench::read_vector(in));
}

Constraints read_constraints(const char *path, const pin::Model &model) {
  std::ifstream file(path);
  std::string line, word;
  Constraints found;
  while (std::getline(file, line)) {
    std::istringstream in(line);
    in >> word;
    if (word != "loop") continue;
    int rows;
    std::size_t first, second;
    in >> rows >> first;
    const pin::SE3 at_first = read_pose(in);
    in >> second;
    const pin::SE3 at_second = read_pose(in);
    if (!in) throw std::runtime_error("a loop's line is incomplete: " + line);
    const auto type = rows == 6 ? pin::CONTACT_6D : pin::CONTACT_3D;
    found.models.emplace_back(type, model, first, at_first, second, at_second, pin::LOCAL);
    found.datas.emplace_back(found.models.back());
  }
  return found;
}

void answer(const std::string &way, const pin::Model &m, Constraints &c, Measurement &measure) {
  pin::ProximalSettings settings(accuracy, mu, iterations);
  const auto result = [](const pin::Data &d) { return Eigen::MatrixXd(d.ddq); };
  if (way == "lcaba") {
    pin::computeJointMinimalOrdering(m, measure.data, c.models);
    measure("lcaba",
            [&](const State &s, pin::Data &d) { pin::lcaba(m, d, s.q, s.v, s.x, c.models, c.datas, settings); },
            result);
  } else if (way == "constraintDynamics") {
    pin::initConstraintDynamics(m, measure.data, c.models, c.datas);
    measure("constraintDynamics",
            [&](const State &s, pin::Data &d) {
              pin::constraintDynamics(m, d, s.q, s.v, s.x, c.models, c.datas, settings);
            },
            result);
  } else {
    throw std::runtime_error("unknown way " + way);
  }
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 7) {
    std::cerr << "usage: loops MODEL STATES ANSWERS WAY COUNT SECONDS\n";
    return 2;
  }
  try {
    const pin::Model model = bench::read_model(argv[1]);
    Constraints constraints = read_constraints(argv[1], model);
    const auto states = bench::read_states(argv[2], model, std::strtoul(argv[5], nullptr, 10));
    Measurement measure(model, states, std::strtod(argv[6], nullptr), argv[3]);
    answer(argv[4], model, constraints, measure);
  } catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
