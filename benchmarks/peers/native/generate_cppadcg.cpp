// Pinocchio's algorithms as C code, by CppADCodeGen.
//
// Usage: generate_cppadcg MODEL QUESTION CODE
//
// CODE gets a comment `nonzeros ROWS COLUMNS place ...`, then `void f(const double *x, double *y)`: x is q, v, and
// accelerations or torques; y the entries of the answer that are not zero, at these places of it, row by row. Of
// several ways to compute it, the one with the shortest code; its name is printed.
#include <cppad/cg.hpp>

#include <limits>

namespace CppAD {
// CppAD asks its scalars for max_digits10; those of CppADCodeGen 2.4 have none.
template <>
class numeric_limits<AD<cg::CG<double>>> {
  using Limits = std::numeric_limits<double>;
  using CG = cg::CG<double>;
  using Scalar = AD<CG>;

 public:
  static Scalar epsilon() { return CG(Limits::epsilon()); }
  static Scalar min() { return CG(Limits::min()); }
  static Scalar max() { return CG(Limits::max()); }
  static Scalar quiet_NaN() { return CG(Limits::quiet_NaN()); }
  static Scalar infinity() { return CG(Limits::infinity()); }
  static constexpr int digits10 = Limits::digits10;
  static constexpr int max_digits10 = Limits::max_digits10;
};
}  // namespace CppAD

#include <pinocchio/codegen/cppadcg.hpp>

#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

#define WITHOUT_SECOND_ORDER
#include "algorithms.hpp"
#include "robot.hpp"

namespace pin = pinocchio;

namespace {

using CG = CppAD::cg::CG<double>;
using AD = CppAD::AD<CG>;
using W = bench::Way<AD>;

std::string code(const W &way, const W::Model &model) {
  W::Vector x = W::Vector::Ones(model.nq + 2 * model.nv);
  CppAD::Independent(x);
  W::Data data(model);
  way.compute(model, data, x.head(model.nq), x.segment(model.nq, model.nv), x.tail(model.nv));
  const W::Matrix answer = way.answer(model, data);
  std::ostringstream text;
  text << "// nonzeros " << answer.rows() << ' ' << answer.cols();
  std::vector<AD> entries;
  for (Eigen::Index i = 0; i < answer.rows(); ++i)
    for (Eigen::Index j = 0; j < answer.cols(); ++j)
      if (CppAD::Variable(answer(i, j)) || CppAD::Value(answer(i, j)).getValue() != 0.0) {
        entries.push_back(answer(i, j));
        text << ' ' << i * answer.cols() + j;
      }
  W::Vector y(static_cast<Eigen::Index>(entries.size()));
  for (std::size_t k = 0; k < entries.size(); ++k) y[static_cast<Eigen::Index>(k)] = entries[k];
  CppAD::ADFun<CG> tape(x, y);
  tape.optimize();

  CppAD::cg::CodeHandler<double> handler;
  Eigen::Matrix<CG, Eigen::Dynamic, 1> at(x.size());
  handler.makeVariables(at);
  const Eigen::Matrix<CG, Eigen::Dynamic, 1> forward = tape.Forward(0, at);
  std::vector<CG> found(forward.data(), forward.data() + forward.size());
  CppAD::cg::LanguageC<double> language("double");
  CppAD::cg::LangCDefaultVariableNameGenerator<double> names("y", "x", "v");
  std::ostringstream body;
  handler.generateCode(body, language, found, names);
  const auto temporaries = handler.getTemporaryVariableCount() + 1;
  text << "\n#include <math.h>\n\nvoid f(const double *restrict x, double *restrict y)\n{\n  double v[" << temporaries
       << "];\n"
       << body.str() << "}\n";
  return text.str();
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    std::cerr << "usage: generate_cppadcg MODEL QUESTION CODE\n";
    return 2;
  }
  try {
    const W::Model model = bench::read_model(argv[1]).cast<AD>();
    std::string shortest, name;
    for (const W &way : bench::ways<AD>(argv[2])) {
      const std::string found = code(way, model);
      if (shortest.empty() || found.size() < shortest.size()) shortest = found, name = way.name;
    }
    std::ofstream(argv[3]) << shortest;
    std::cout << name << std::endl;
  } catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
