// Pinocchio's algorithms on a robot given as text, timed over stored states.
//
// Usage: pinocchio MODEL STATES ANSWERS QUESTION COUNT SECONDS
//
// MODEL has `gravity x y z`, then one line a joint, a subtree's joints side by side:
//   joint KIND PARENT axis[3] rotation[9] translation[3] armature mass com[3] inertia_about_com[9]
// PARENT counts joints from 1, 0 is the base; matrices stand row by row. STATES holds COUNT times q, v and a or tau as
// doubles, ANSWERS gets COUNT results. Prints `name nanoseconds` for each way to compute the answer.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "timing.hpp"

namespace pin = pinocchio;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

struct State {
  VectorXd q, v, x;
};

Vector3d read_vector(std::istream &in) {
  Vector3d v;
  in >> v[0] >> v[1] >> v[2];
  return v;
}

Matrix3d read_matrix(std::istream &in) {
  Matrix3d m;
  for (int i = 0; i < 9; ++i) in >> m(i / 3, i % 3);
  return m;
}

// Joints about coordinate axes have types of their own, which are faster.
template <class X, class Y, class Z, class Any>
pin::JointModel aligned(const Vector3d &axis) {
  if (axis == Vector3d::UnitX()) return X();
  if (axis == Vector3d::UnitY()) return Y();
  if (axis == Vector3d::UnitZ()) return Z();
  return Any(axis);
}

pin::JointModel joint_model(const std::string &kind, const Vector3d &axis) {
  if (kind == "revolute")
    return aligned<pin::JointModelRX, pin::JointModelRY, pin::JointModelRZ, pin::JointModelRevoluteUnaligned>(axis);
  if (kind == "prismatic")
    return aligned<pin::JointModelPX, pin::JointModelPY, pin::JointModelPZ, pin::JointModelPrismaticUnaligned>(axis);
  if (kind == "floating") return pin::JointModelFreeFlyer();
  throw std::runtime_error("unknown joint " + kind);
}

pin::Model read_model(const char *path) {
  std::ifstream file(path);
  std::string line, word, kind;
  pin::Model model;
  std::vector<double> armatures;
  while (std::getline(file, line)) {
    std::istringstream in(line);
    in >> word;
    if (word == "gravity") {
      model.gravity.linear() = read_vector(in);
      continue;
    }
    std::size_t parent;
    double armature, mass;
    in >> kind >> parent;
    const Vector3d axis = read_vector(in);
    const Matrix3d rotation = read_matrix(in);
    const Vector3d translation = read_vector(in);
    in >> armature >> mass;
    const Vector3d com = read_vector(in);
    const Matrix3d inertia = read_matrix(in);
    if (!in) throw std::runtime_error("a joint's line is incomplete: " + line);
    const auto name = "joint" + std::to_string(model.njoints);
    const auto joint = model.addJoint(parent, joint_model(kind, axis), pin::SE3(rotation, translation), name);
    model.appendBodyToJoint(joint, pin::Inertia(mass, com, inertia), pin::SE3::Identity());
    armatures.insert(armatures.end(), static_cast<std::size_t>(model.nvs[joint]), armature);
  }
  for (std::size_t i = 0; i < armatures.size(); ++i) model.armature[static_cast<Eigen::Index>(i)] = armatures[i];
  return model;
}

std::vector<State> read_states(const char *path, const pin::Model &model, std::size_t count) {
  std::ifstream file(path, std::ios::binary);
  std::vector<State> states(count, State{VectorXd(model.nq), VectorXd(model.nv), VectorXd(model.nv)});
  for (State &s : states)
    for (VectorXd *x : {&s.q, &s.v, &s.x})
      file.read(reinterpret_cast<char *>(x->data()), x->size() * static_cast<Eigen::Index>(sizeof(double)));
  if (!file) throw std::runtime_error("the file of states is too short");
  return states;
}

// Computes at each state; the first way's answers are written.
class Measurement {
 public:
  Measurement(const pin::Model &model, const std::vector<State> &states, double seconds, const char *answers)
      : model(model), data(model), states(states), seconds(seconds), file(answers, std::ios::binary) {}

  template <class Compute, class Answer>
  void operator()(const char *name, Compute &&compute, Answer &&answer) {
    if (!written) {
      for (const State &s : states) {
        compute(s, data);
        write(answer(data));
      }
      written = true;
    }
    const double time = best_nanoseconds(states.size(), seconds, [&](std::size_t i) { compute(states[i], data); });
    std::cout << name << ' ' << time << std::endl;
  }

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  void write(const RowMajor &m) {
    file.write(reinterpret_cast<const char *>(m.data()), m.size() * static_cast<Eigen::Index>(sizeof(double)));
  }

  const pin::Model &model;
  pin::Data data;
  const std::vector<State> &states;
  double seconds;
  std::ofstream file;
  bool written = false;
};

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
    const pin::Model model = read_model(argv[1]);
    const auto states = read_states(argv[2], model, std::strtoul(argv[5], nullptr, 10));
    Measurement measure(model, states, std::strtod(argv[6], nullptr), argv[3]);
    answer(argv[4], model, measure);
  } catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
