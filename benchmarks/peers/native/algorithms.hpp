// Pinocchio's ways to answer each question, on any kind of number: numbers for timing, expressions for generated code.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/center-of-mass.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#ifndef WITHOUT_SECOND_ORDER  // which has products that CppAD's numbers do not know
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>
#endif
#include <pinocchio/algorithm/rnea.hpp>

namespace bench {

namespace pin = pinocchio;

// `compute` fills the data from q, v, and accelerations or torques x; `answer` reads it. Of symmetric matrices it gives
// the upper triangle, with zeros below.
template <class Scalar>
struct Way {
  using Model = pin::ModelTpl<Scalar>;
  using Data = pin::DataTpl<Scalar>;
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

  std::string name;
  std::function<void(const Model &, Data &, const Vector &, const Vector &, const Vector &)> compute;
  std::function<Matrix(const Model &, Data &)> answer;
};

template <class Matrix>
Matrix upper(const Matrix &m) {
  Matrix found = Matrix::Zero(m.rows(), m.cols());
  for (Eigen::Index j = 0; j < m.cols(); ++j)
    for (Eigen::Index i = 0; i <= j; ++i) found(i, j) = m(i, j);
  return found;
}

template <class Matrix>
Matrix side_by_side(const Matrix &a, const Matrix &b, const Matrix &c) {
  Matrix all(a.rows(), a.cols() + b.cols() + c.cols());
  all << a, b, c;
  return all;
}

// A row a torque, the other two indices of each tensor side by side.
template <class Matrix, class Tensor>
Matrix flat(const std::vector<const Tensor *> &tensors) {
  const Eigen::Index n = tensors.front()->dimension(0);
  Matrix found(n, static_cast<Eigen::Index>(tensors.size()) * n * n);
  for (std::size_t t = 0; t < tensors.size(); ++t)
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j)
        for (Eigen::Index k = 0; k < n; ++k)
          found(i, (static_cast<Eigen::Index>(t) * n + j) * n + k) = (*tensors[t])(i, j, k);
  return found;
}

template <class Scalar>
std::vector<Way<Scalar>> ways(const std::string &question) {
  using W = Way<Scalar>;
  using Model = typename W::Model;
  using Data = typename W::Data;
  using Vector = typename W::Vector;
  using Matrix = typename W::Matrix;
  using pin::Convention;
  if (question == "inverse")
    return {{"rnea",
             [](const Model &m, Data &d, const Vector &q, const Vector &v, const Vector &x) { pin::rnea(m, d, q, v, x); },
             [](const Model &, Data &d) { return Matrix(d.tau); }}};
  if (question == "forward") {
    const auto way = [](const char *name, Convention convention) {
      return W{name,
               [=](const Model &m, Data &d, const Vector &q, const Vector &v, const Vector &x) {
                 pin::aba(m, d, q, v, x, convention);
               },
               [](const Model &, Data &d) { return Matrix(d.ddq); }};
    };
    return {way("aba-local", Convention::LOCAL), way("aba-world", Convention::WORLD)};
  }
  if (question == "mass_matrix") {
    const auto way = [](const char *name, Convention convention) {
      return W{name,
               [=](const Model &m, Data &d, const Vector &q, const Vector &, const Vector &) {
                 pin::crba(m, d, q, convention);
               },
               [](const Model &, Data &d) { return upper(Matrix(d.M)); }};
    };
    return {way("crba-local", Convention::LOCAL), way("crba-world", Convention::WORLD)};
  }
  if (question == "inverse_mass_matrix")
    return {{"minverse",
             [](const Model &m, Data &d, const Vector &q, const Vector &, const Vector &) {
               pin::computeMinverse(m, d, q);
             },
             [](const Model &, Data &d) { return upper(Matrix(d.Minv)); }}};
  if (question == "inverse_derivatives")
    return {{"rnea-derivatives",
             [](const Model &m, Data &d, const Vector &q, const Vector &v, const Vector &x) {
               pin::computeRNEADerivatives(m, d, q, v, x);
             },
             [](const Model &, Data &d) {
               return side_by_side(Matrix(d.dtau_dq), Matrix(d.dtau_dv), upper(Matrix(d.M)));
             }}};
  if (question == "forward_derivatives")
    return {{"aba-derivatives",
             [](const Model &m, Data &d, const Vector &q, const Vector &v, const Vector &x) {
               pin::computeABADerivatives(m, d, q, v, x);
             },
             [](const Model &, Data &d) {
               return side_by_side(Matrix(d.ddq_dq), Matrix(d.ddq_dv), upper(Matrix(d.Minv)));
             }}};
#ifndef WITHOUT_SECOND_ORDER
  if (question == "inverse_second_derivatives")
    return {{"rnea-second-order-derivatives",
             [](const Model &m, Data &d, const Vector &q, const Vector &v, const Vector &x) {
               pin::ComputeRNEASecondOrderDerivatives(m, d, q, v, x);
             },
             [](const Model &, Data &d) {
               return flat<Matrix>(
                   std::vector<const typename Data::Tensor3x *>{&d.d2tau_dqdq, &d.d2tau_dqdv, &d.d2tau_dvdv, &d.d2tau_dadq});
             }}};
#endif
  if (question == "forward_kinematics")
    return {{"forward-kinematics",
             [](const Model &m, Data &d, const Vector &q, const Vector &, const Vector &) {
               pin::forwardKinematics(m, d, q);
             },
             [](const Model &, Data &d) { return Matrix(d.oMi.back().toHomogeneousMatrix()); }}};
  if (question == "frame_jacobian")
    return {{"joint-jacobians",
             [](const Model &m, Data &d, const Vector &q, const Vector &, const Vector &) {
               pin::computeJointJacobians(m, d, q);
             },
             [](const Model &m, Data &d) {
               Matrix J = Matrix::Zero(6, m.nv);
               pin::getJointJacobian(m, d, static_cast<pin::JointIndex>(m.njoints - 1), pin::LOCAL_WORLD_ALIGNED, J);
               return J;
             }}};
  if (question == "center_of_mass")
    return {{"center-of-mass",
             [](const Model &m, Data &d, const Vector &q, const Vector &, const Vector &) {
               pin::centerOfMass(m, d, q, false);
             },
             [](const Model &, Data &d) { return Matrix(d.com[0]); }}};
  if (question == "centroidal_momentum_matrix")
    return {{"centroidal-map",
             [](const Model &m, Data &d, const Vector &q, const Vector &, const Vector &) {
               pin::computeCentroidalMap(m, d, q);
             },
             [](const Model &, Data &d) { return Matrix(d.Ag); }}};
  throw std::runtime_error("no way to answer " + question + " on these numbers");
}

}  // namespace bench
