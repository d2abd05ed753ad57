// The papers' algorithms as their authors ran them: Eigen's sparse Cholesky in double precision with its AMD ordering, three
// right-hand sides, one thread. Fast mass-spring [Liu 2013, §4] and projective dynamics with tets that project to rotations
// by a singular value decomposition [Bouaziz 2014, §5.1].

#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

#include <Eigen/Dense>
#include <Eigen/Sparse>

namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Columns = Eigen::Matrix<double, Eigen::Dynamic, 3>;
using Points = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Factor {
    Eigen::SimplicialLLT<Sparse, Eigen::Upper, Eigen::AMDOrdering<int>> llt;
};

// What both kinds of bodies share: inertia, pins and the global step.
struct Body {
    const Factor* factor;
    double step, gravity;
    int iterations;
    std::vector<int> free_index;  // -1 where pinned
    std::vector<double> masses;
    Points pull_of_pins;  // of all vertices, zero where pinned
    Points x, v, before, constant, force;
    Columns rhs, solution;

    virtual ~Body() = default;
    // Local step: adds w Aᵀ p of each element to the force on its vertices.
    virtual void add_projections() = 0;

    void frame() {
        const int count = static_cast<int>(masses.size());
        before = x;
        for (int i = 0; i < count; ++i) {
            if (free_index[i] < 0) continue;
            x.row(i) += step * v.row(i);
            x(i, 1) += step * step * gravity;
        }
        for (int i = 0; i < count; ++i) constant.row(i) = pull_of_pins.row(i) + masses[i] / (step * step) * x.row(i);
        for (int iteration = 0; iteration < iterations; ++iteration) {
            force = constant;
            add_projections();
            for (int i = 0; i < count; ++i) {
                if (free_index[i] >= 0) rhs.row(free_index[i]) = force.row(i);
            }
            solution = factor->llt.solve(rhs);
            for (int i = 0; i < count; ++i) {
                if (free_index[i] >= 0) x.row(i) = solution.row(free_index[i]);
            }
        }
        v = (x - before) / step;
    }
};

struct SpringBody final : Body {
    std::vector<int> ends;
    std::vector<double> rest_lengths;
    double stiffness;

    void add_projections() override {
        for (size_t e = 0; e < rest_lengths.size(); ++e) {
            const int a = ends[2 * e], b = ends[2 * e + 1];
            const Eigen::RowVector3d edge = x.row(b) - x.row(a);
            const Eigen::RowVector3d pull = (stiffness * rest_lengths[e] / edge.norm()) * edge;
            force.row(a) -= pull;
            force.row(b) += pull;
        }
    }
};

// The nearest stretches with the product 1: s² − σ s = μ for all, and Newton's method for μ from 0, halving where it leaves the range.
Eigen::Vector3d with_unit_product(const Eigen::Vector3d& sigma) {
    const double product = sigma.prod();
    double low = product < 1.0 ? 0.0 : -0.25 * sigma(2) * sigma(2), high = product < 1.0 ? 1.0 : 0.0, mu = 0.0;
    Eigen::Vector3d s = sigma;
    for (int step = 0; step < 60; ++step) {
        const Eigen::Vector3d root = (sigma.array().square() + 4.0 * mu).max(0.0).sqrt();
        s = 0.5 * (sigma + root);
        const double excess = s.prod() - 1.0;
        if (std::abs(excess) < 1e-13) break;
        (excess < 0.0 ? low : high) = mu;
        double slope = 0.0;
        for (int i = 0; i < 3; ++i) slope += s.prod() / (s(i) * root(i));
        double next = mu - excess / slope;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        mu = next;
    }
    return s;
}

struct Decomposition {
    Eigen::Matrix3d u, v;
    Eigen::Vector3d sigma;

    explicit Decomposition(const Eigen::Matrix3d& deformation) {
        const Eigen::JacobiSVD<Eigen::Matrix3d> svd(deformation, Eigen::ComputeFullU | Eigen::ComputeFullV);
        u = svd.matrixU();
        v = svd.matrixV();
        sigma = svd.singularValues();
        if ((u * v.transpose()).determinant() < 0.0) {
            u.col(2) = -u.col(2);
            sigma(2) = -sigma(2);
        }
    }
};

struct TetBody final : Body {
    std::vector<int> corners;
    std::vector<double> gradients;  // four vectors for each tet
    std::vector<double> weights, volume_weights;
    int decompositions;  // one for strain and volume together, or two

    void add_projections() override {
        for (size_t e = 0; e < weights.size(); ++e) {
            const int* tet = &corners[4 * e];
            const Eigen::Map<const Eigen::Matrix<double, 4, 3, Eigen::RowMajor>> gradient(&gradients[12 * e]);
            Eigen::Matrix3d deformation = Eigen::Matrix3d::Zero();
            for (int c = 0; c < 4; ++c) deformation += x.row(tet[c]).transpose() * gradient.row(c);
            const Decomposition first(deformation);
            Eigen::Matrix3d target = weights[e] * first.u * first.v.transpose();
            if (volume_weights[e] > 0.0) {
                if (decompositions == 1) {
                    target += volume_weights[e] * first.u * with_unit_product(first.sigma).asDiagonal() * first.v.transpose();
                } else {
                    const Decomposition second(deformation);
                    target += volume_weights[e] * second.u * with_unit_product(second.sigma).asDiagonal() * second.v.transpose();
                }
            }
            for (int c = 0; c < 4; ++c) force.row(tet[c]) += (target * gradient.row(c).transpose()).transpose();
        }
    }
};

void set_up(Body& body, const Factor* factor, int vertices, int free, const int* free_index, const double* masses,
            const double* pull_of_pins, const double* positions, double step, double gravity, int iterations) {
    body.factor = factor;
    body.step = step;
    body.gravity = gravity;
    body.iterations = iterations;
    body.free_index.assign(free_index, free_index + vertices);
    body.masses.assign(masses, masses + vertices);
    body.pull_of_pins = Points::Zero(vertices, 3);
    for (int i = 0; i < vertices; ++i) {
        if (free_index[i] >= 0) body.pull_of_pins.row(i) = Eigen::Map<const Points>(pull_of_pins, free, 3).row(free_index[i]);
    }
    body.constant = body.force = Points::Zero(vertices, 3);
    body.rhs = body.solution = Columns::Zero(free, 3);
    body.x = Eigen::Map<const Points>(positions, vertices, 3);
    body.v = Points::Zero(vertices, 3);
}

}  // namespace

extern "C" {

// Factors the upper triangle given by columns; `seconds` receives the times of analysis and factorisation. Null on failure.
void* pliant_bench_eigen_factor(int size, const int* column_starts, const int* rows, const double* values, double* seconds) {
    const Eigen::Map<const Sparse> upper(size, size, column_starts[size], column_starts, rows, values);
    auto* factor = new Factor;
    auto start = std::chrono::steady_clock::now();
    factor->llt.analyzePattern(upper);
    seconds[0] = seconds_since(start);
    start = std::chrono::steady_clock::now();
    factor->llt.factorize(upper);
    seconds[1] = seconds_since(start);
    if (factor->llt.info() == Eigen::Success) return factor;
    delete factor;
    return nullptr;
}

void pliant_bench_eigen_solve(const void* factor, int size, const double* rhs, double* x) {
    Eigen::Map<Columns>(x, size, 3) = static_cast<const Factor*>(factor)->llt.solve(Eigen::Map<const Columns>(rhs, size, 3));
}

uint64_t pliant_bench_eigen_bytes(const void* factor) {
    const auto& lower = static_cast<const Factor*>(factor)->llt.matrixL().nestedExpression();
    return static_cast<uint64_t>(lower.nonZeros()) * (sizeof(double) + sizeof(int)) + (lower.cols() + 1) * sizeof(int);
}

void pliant_bench_eigen_free(void* factor) { delete static_cast<Factor*>(factor); }

void* pliant_bench_spring_body(const void* factor, int vertices, int free, const int* free_index, const double* masses,
                               const double* pull_of_pins, const double* positions, double step, double gravity,
                               int iterations, int springs, const int* ends, const double* rest_lengths,
                               double stiffness) {
    auto* body = new SpringBody;
    set_up(*body, static_cast<const Factor*>(factor), vertices, free, free_index, masses, pull_of_pins, positions, step,
           gravity, iterations);
    body->ends.assign(ends, ends + 2 * springs);
    body->rest_lengths.assign(rest_lengths, rest_lengths + springs);
    body->stiffness = stiffness;
    return static_cast<Body*>(body);
}

void* pliant_bench_tet_body(const void* factor, int vertices, int free, const int* free_index, const double* masses,
                            const double* pull_of_pins, const double* positions, double step, double gravity,
                            int iterations, int tets, const int* corners, const double* gradients,
                            const double* weights, const double* volume_weights, int decompositions) {
    auto* body = new TetBody;
    set_up(*body, static_cast<const Factor*>(factor), vertices, free, free_index, masses, pull_of_pins, positions, step,
           gravity, iterations);
    body->corners.assign(corners, corners + 4 * tets);
    body->gradients.assign(gradients, gradients + 12 * tets);
    body->weights.assign(weights, weights + tets);
    body->volume_weights.assign(volume_weights, volume_weights + tets);
    body->decompositions = decompositions;
    return static_cast<Body*>(body);
}

void pliant_bench_frame(void* body) { static_cast<Body*>(body)->frame(); }

void pliant_bench_positions(const void* body, double* positions) {
    const Points& x = static_cast<const Body*>(body)->x;
    Eigen::Map<Points>(positions, x.rows(), 3) = x;
}

void pliant_bench_body_free(void* body) { delete static_cast<Body*>(body); }

}  // extern "C"
