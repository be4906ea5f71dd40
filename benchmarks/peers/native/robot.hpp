// A robot and its states as text and numbers, read into Pinocchio; a clock over its algorithms.
//
// A robot's text has `gravity x y z`, then one line a joint, a subtree's joints side by side:
//   joint KIND PARENT axis[3] rotation[9] translation[3] armature mass com[3] inertia_about_com[9]
// PARENT counts joints from 1, 0 is the base; matrices stand row by row. Other lines are not read here.
#pragma once

#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <pinocchio/multibody.hpp>

#include "timing.hpp"

namespace bench {

namespace pin = pinocchio;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

struct State {
  VectorXd q, v, x;
};

inline Vector3d read_vector(std::istream &in) {
  Vector3d v;
  in >> v[0] >> v[1] >> v[2];
  return v;
}

inline Matrix3d read_matrix(std::istream &in) {
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

inline pin::JointModel joint_model(const std::string &kind, const Vector3d &axis) {
  if (kind == "revolute")
    return aligned<pin::JointModelRX, pin::JointModelRY, pin::JointModelRZ, pin::JointModelRevoluteUnaligned>(axis);
  if (kind == "prismatic")
    return aligned<pin::JointModelPX, pin::JointModelPY, pin::JointModelPZ, pin::JointModelPrismaticUnaligned>(axis);
  if (kind == "floating") return pin::JointModelFreeFlyer();
  throw std::runtime_error("unknown joint " + kind);
}

inline pin::Model read_model(const char *path) {
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
    if (word != "joint") continue;
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

inline std::vector<State> read_states(const char *path, const pin::Model &model, std::size_t count) {
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
  pin::Data data;

  Measurement(const pin::Model &model, const std::vector<State> &states, double seconds, const char *answers)
      : data(model), model(model), states(states), seconds(seconds), file(answers, std::ios::binary) {}

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
  const std::vector<State> &states;
  double seconds;
  std::ofstream file;
  bool written = false;
};

}  // namespace bench
