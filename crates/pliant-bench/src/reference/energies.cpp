// Projections of the energies of projective dynamics, from z = A x of all elements to p, as one writes them from the papers: one loop for each in
// double precision over Eigen, one thread. Singular value decompositions by JacobiSVD; areas and volumes by Newton's method for the
// multiplier; examples by alternating between rotation and weights; hinges by sequential quadratic programming on their angle
// [Bouaziz 2014, §5 and §6]; rigid sets by their covariance [Müller 2005].

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "stretches.h"

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using pliant_bench::bring_product_between;
using pliant_bench::Decomposition;
using pliant_bench::PlaneDecomposition;
using Matrix32 = Eigen::Matrix<double, 3, 2>;
using Corners = Eigen::Matrix<double, 3, 4>;
using ConstVectors = Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic>>;
using Vectors = Eigen::Map<Eigen::Matrix<double, 3, Eigen::Dynamic>>;

// What elements are made of. Vectors of an element lie one after the other.
struct Elements {
    int count;
    const double* z;
    const double* common;  // numbers of all elements
    const double* own;     // numbers of each
    double* warm;          // what a projection starts from
    double* p;
};

// Lengths of vectors between bounds of their own.
void lengths(const Elements& e) {
    const ConstVectors z(e.z, 3, e.count);
    Vectors p(e.p, 3, e.count);
    for (int k = 0; k < e.count; ++k) {
        const double length = z.col(k).norm();
        p.col(k) = z.col(k) * (std::min(std::max(length, e.own[2 * k]), e.own[2 * k + 1]) / length);
    }
}

void goals(const Elements& e) {
    const ConstVectors own(e.own, 3, e.count);
    Vectors p(e.p, 3, e.count);
    for (int k = 0; k < e.count; ++k) p.col(k) = own.col(k);
}

// Points on the side of planes, each given by a point and a unit normal.
void half_spaces(const Elements& e) {
    const ConstVectors z(e.z, 3, e.count), planes(e.own, 3, 2 * e.count);
    Vectors p(e.p, 3, e.count);
    for (int k = 0; k < e.count; ++k) {
        const double depth = planes.col(2 * k + 1).dot(planes.col(2 * k) - z.col(k));
        p.col(k) = z.col(k) + std::max(depth, 0.0) * planes.col(2 * k + 1);
    }
}

// Columns of F with lengths between bounds.
template <int D>
void fibres(const Elements& e) {
    const ConstVectors z(e.z, 3, D * e.count);
    Vectors p(e.p, 3, D * e.count);
    for (int k = 0; k < e.count; ++k) {
        for (int c = 0; c < D; ++c) {
            const double length = z.col(D * k + c).norm();
            const double target = std::min(std::max(length, e.common[2 * c]), e.common[2 * c + 1]);
            p.col(D * k + c) = z.col(D * k + c) * (target / length);
        }
    }
}

template <int D>
Eigen::Matrix<double, D, 1> clamped(const Eigen::Matrix<double, D, 1>& sigma, const double* bounds) {
    return sigma.cwiseMax(bounds[0]).cwiseMin(bounds[1]);
}

// Triangles: bounds of stretches, then of areas; with both, one decomposition serves both.
template <bool Strain, bool Area>
void triangles(const Elements& e) {
    constexpr int size = Strain && Area ? 12 : 6;
    for (int k = 0; k < e.count; ++k) {
        const Matrix32 f = Eigen::Map<const Matrix32>(e.z + 6 * k);
        const PlaneDecomposition svd(f);
        double* out = e.p + size * k;
        if (Strain) Eigen::Map<Matrix32>{out} = svd.with(clamped<2>(svd.sigma, e.common));
        if (Area) {
            Eigen::Vector2d sigma = svd.sigma;
            const bool changes = bring_product_between<2>(e.common[2], e.common[3], sigma);
            Eigen::Map<Matrix32>{out + size - 6} = changes ? svd.with(sigma) : f;
        }
    }
}

// Tets, likewise.
template <bool Strain, bool Volume>
void tets(const Elements& e) {
    constexpr int size = Strain && Volume ? 18 : 9;
    for (int k = 0; k < e.count; ++k) {
        const Matrix3d f = Eigen::Map<const Matrix3d>(e.z + 9 * k);
        const Decomposition svd(f);
        double* out = e.p + size * k;
        if (Strain) Eigen::Map<Matrix3d>{out} = svd.with(clamped<3>(svd.sigma, e.common));
        if (Volume) {
            Vector3d sigma = svd.sigma;
            const bool changes = bring_product_between<3>(e.common[2], e.common[3], sigma);
            Eigen::Map<Matrix3d>{out + size - 9} = changes ? svd.with(sigma) : f;
        }
    }
}

// The signed angle of the hinge a b c d about the edge a b, and its gradient.
double angle(const Corners& x, Corners& gradient) {
    const Vector3d edge = x.col(1) - x.col(0), to_c = x.col(2) - x.col(0), to_d = x.col(3) - x.col(0);
    const Vector3d left = edge.cross(to_c), right = to_d.cross(edge);
    const double squared = edge.squaredNorm(), length = std::sqrt(squared);
    gradient.col(2) = (-length / left.squaredNorm()) * left;
    gradient.col(3) = (-length / right.squaredNorm()) * right;
    const double foot_c = to_c.dot(edge) / squared, foot_d = to_d.dot(edge) / squared;
    gradient.col(0) = (foot_c - 1.0) * gradient.col(2) + (foot_d - 1.0) * gradient.col(3);
    gradient.col(1) = -foot_c * gradient.col(2) - foot_d * gradient.col(3);
    return std::atan2(left.cross(right).dot(edge) / length, left.dot(right));
}

// Hinges of given angles: the nearest point where the angle, linearised at the last, is right, until it stays.
void hinges(const Elements& e) {
    constexpr double turn = 6.283185307179586;
    constexpr int most = 60;
    for (int k = 0; k < e.count; ++k) {
        const Corners z = Eigen::Map<const Corners>(e.z + 12 * k);
        const double still = 1e-20 * z.squaredNorm();
        Corners p = z, gradient;
        for (int step = 0; step < most; ++step) {
            double value = angle(p, gradient) - e.own[k];
            value -= turn * std::round(value / turn);
            value += gradient.cwiseProduct(z - p).sum();
            const Corners next = z - (value / gradient.squaredNorm()) * gradient;
            const double moved = (next - p).squaredNorm();
            p = next;
            if (moved <= still) break;
        }
        Eigen::Map<Corners>(e.p + 12 * k) = p;
    }
}

Matrix3d blend(const double* stretches, int n, const double* weights) {
    Matrix3d h = Matrix3d::Identity();
    for (int i = 0; i < n; ++i) h += weights[i] * Eigen::Map<const Matrix3d>(stretches + 9 * i);
    return h;
}

// Rounds between rotation and weights in one call, as many as the engine takes.
constexpr int local_rounds = 12, global_rounds = 8, most_examples = 16;

// How far weights move to the inverse Gram matrix times the right-hand side.
double solve_weights(int n, const double* inverse, const double* rhs, double* weights) {
    double moved = 0.0;
    for (int i = 0; i < n; ++i) {
        double next = 0.0;
        for (int j = 0; j < n; ++j) next += inverse[n * i + j] * rhs[j];
        moved = std::max(moved, std::abs(next - weights[i]));
        weights[i] = next;
    }
    return moved;
}

// Each tet has its stretches and its inverse Gram matrix, and weights to start from.
void local_examples(const Elements& e) {
    const int n = static_cast<int>(e.common[0]), size = 9 * n + n * n;
    for (int k = 0; k < e.count; ++k) {
        const double *stretches = e.own + size * k, *inverse = stretches + 9 * n;
        double* weights = e.warm + n * k;
        const Matrix3d f = Eigen::Map<const Matrix3d>(e.z + 9 * k);
        Matrix3d r = Decomposition(f * blend(stretches, n, weights).transpose()).rotation();
        for (int round = 0; round < local_rounds; ++round) {
            const Matrix3d relative = r.transpose() * f - Matrix3d::Identity();
            double rhs[most_examples];
            for (int i = 0; i < n; ++i) rhs[i] = Eigen::Map<const Matrix3d>(stretches + 9 * i).cwiseProduct(relative).sum();
            const double moved = solve_weights(n, inverse, rhs, weights);
            r = Decomposition(f * blend(stretches, n, weights).transpose()).rotation();
            if (moved < 1e-12) break;
        }
        Eigen::Map<Matrix3d>(e.p + 9 * k) = r * blend(stretches, n, weights);
    }
}

// Each tet has its stretches and its weight in the energy; all share the inverse Gram matrix and the weights of examples.
void global_examples(const Elements& e) {
    const int n = static_cast<int>(e.common[0]), size = 9 * n + 1;
    const double* inverse = e.common + 1;
    for (int round = 0; round < global_rounds; ++round) {
        double rhs[most_examples] = {};
        for (int k = 0; k < e.count; ++k) {
            const double* stretches = e.own + size * k;
            const Matrix3d f = Eigen::Map<const Matrix3d>(e.z + 9 * k);
            const Matrix3d r = Decomposition(f * blend(stretches, n, e.warm).transpose()).rotation();
            const Matrix3d relative = r.transpose() * f - Matrix3d::Identity();
            for (int i = 0; i < n; ++i) {
                rhs[i] += stretches[9 * n] * Eigen::Map<const Matrix3d>(stretches + 9 * i).cwiseProduct(relative).sum();
            }
        }
        if (solve_weights(n, inverse, rhs, e.warm) < 1e-12) break;
    }
    for (int k = 0; k < e.count; ++k) {
        const Matrix3d f = Eigen::Map<const Matrix3d>(e.z + 9 * k), h = blend(e.own + size * k, n, e.warm);
        Eigen::Map<Matrix3d>(e.p + 9 * k) = Decomposition(f * h.transpose()).rotation() * h;
    }
}

// One set of places, each with a weight.
void rigid(const Elements& e) {
    const ConstVectors z(e.z, 3, e.count);
    Vectors p(e.p, 3, e.count);
    Matrix3d covariance = Matrix3d::Zero();
    for (int k = 0; k < e.count; ++k) {
        covariance += e.own[4 * k + 3] * z.col(k) * Eigen::Map<const Vector3d>(e.own + 4 * k).transpose();
    }
    const Matrix3d r = Decomposition(covariance).rotation();
    for (int k = 0; k < e.count; ++k) p.col(k) = r * Eigen::Map<const Vector3d>(e.own + 4 * k);
}

}  // namespace

extern "C" {

// Kinds are numbered as those of `Law` in energies.rs.
void pliant_bench_project(int law, int count, const double* z, const double* common, const double* own, double* warm,
                          double* p) {
    const Elements e{count, z, common, own, warm, p};
    switch (law) {
        case 0: return lengths(e);
        case 1: return goals(e);
        case 2: return half_spaces(e);
        case 3: return fibres<2>(e);
        case 4: return fibres<3>(e);
        case 5: return triangles<true, false>(e);
        case 6: return triangles<false, true>(e);
        case 7: return triangles<true, true>(e);
        case 8: return tets<true, false>(e);
        case 9: return tets<false, true>(e);
        case 10: return tets<true, true>(e);
        case 11: return hinges(e);
        case 12: return local_examples(e);
        case 13: return global_examples(e);
        case 14: return rigid(e);
    }
}

// The local step around it, for information: A x of all elements, their projections, and the sum of w Aᵀ p at every vertex. Elements of one or two
// energies have corners `offsets[e]` to `offsets[e + 1]`, and coefficients of A row by row.
void pliant_bench_local_step(int law, int count, int rows, int energies, const int* offsets, const int* corners,
                             const double* coefficients, const double* weights, int vertices, const double* x, double* z,
                             const double* common, const double* own, double* warm, double* p, double* force) {
    const ConstVectors at(x, 3, vertices);
    Vectors rows_of_all(z, 3, rows * count), sums(force, 3, vertices);
    for (int e = 0; e < count; ++e) {
        const int n = offsets[e + 1] - offsets[e], *v = corners + offsets[e];
        const double* a = coefficients + rows * offsets[e];
        for (int row = 0; row < rows; ++row) {
            Vector3d sum = Vector3d::Zero();
            for (int c = 0; c < n; ++c) sum += a[n * row + c] * at.col(v[c]);
            rows_of_all.col(rows * e + row) = sum;
        }
    }
    pliant_bench_project(law, count, z, common, own, warm, p);
    const ConstVectors projections(p, 3, rows * energies * count);
    sums.setZero();
    for (int e = 0; e < count; ++e) {
        const int n = offsets[e + 1] - offsets[e], *v = corners + offsets[e];
        const double* a = coefficients + rows * offsets[e];
        for (int row = 0; row < rows; ++row) {
            Vector3d pull = weights[e] * projections.col(energies * rows * e + row);
            if (energies == 2) pull += weights[count + e] * projections.col(energies * rows * e + rows + row);
            for (int c = 0; c < n; ++c) sums.col(v[c]) += a[n * row + c] * pull;
        }
    }
}

}  // extern "C"
