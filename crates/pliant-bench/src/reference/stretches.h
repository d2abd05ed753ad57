// Decompositions of deformation gradients and their nearest stretches, for all of these files.

#pragma once

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

namespace pliant_bench {

// The nearest stretches with a given product: s² − σ s = μ for all, and Newton's method for μ from 0, halving where it leaves the range. All take the
// larger root; the smallest takes the other one where the product is too large even so.
template <int D>
Eigen::Matrix<double, D, 1> with_product(const Eigen::Matrix<double, D, 1>& sigma, double target) {
    using Stretches = Eigen::Matrix<double, D, 1>;
    const bool grows = sigma.prod() < target;
    const double most = D == 3 ? std::cbrt(target * target) : target;
    double low = grows ? 0.0 : -0.25 * sigma(D - 1) * sigma(D - 1), high = grows ? most : 0.0, mu = 0.0;
    Stretches side = Stretches::Ones();
    if (!grows && (0.5 * (sigma.array() + (sigma.array().square() + 4.0 * low).max(0.0).sqrt())).prod() > target) {
        side(D - 1) = -1.0;
        mu = 0.5 * low;
    }
    Stretches s = sigma;
    for (int step = 0; step < 60; ++step) {
        const Stretches root = side.array() * (sigma.array().square() + 4.0 * mu).max(0.0).sqrt();
        s = 0.5 * (sigma + root);
        const double product = s.prod(), excess = product - target;
        if (std::abs(excess) < 1e-13 * target) break;
        ((excess < 0.0) == (side(D - 1) > 0.0) ? low : high) = mu;
        double slope = 0.0;
        for (int i = 0; i < D; ++i) slope += product / (s(i) * root(i));
        double next = mu - excess / slope;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        mu = next;
    }
    return s;
}

// The same between two products; false where it is between them already.
template <int D>
bool bring_product_between(double low, double high, Eigen::Matrix<double, D, 1>& sigma) {
    const double product = sigma.prod();
    if (product >= low && product <= high) return false;
    sigma = with_product<D>(sigma, product < low ? low : high);
    return true;
}

// U Σ Vᵀ with rotations U and V; the last stretch of an inverted element is negative.
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

    Eigen::Matrix3d with(const Eigen::Vector3d& stretches) const { return u * stretches.asDiagonal() * v.transpose(); }

    Eigen::Matrix3d rotation() const { return u * v.transpose(); }
};

// Of a triangle: its deformation gradient in an orthonormal basis of its plane, and the decomposition of that.
struct PlaneDecomposition {
    Eigen::Matrix<double, 3, 2> u;
    Eigen::Matrix2d v;
    Eigen::Vector2d sigma;

    explicit PlaneDecomposition(const Eigen::Matrix<double, 3, 2>& deformation) {
        Eigen::Matrix<double, 3, 2> basis;
        basis.col(0) = deformation.col(0).normalized();
        basis.col(1) = (deformation.col(1) - deformation.col(1).dot(basis.col(0)) * basis.col(0)).normalized();
        const Eigen::Matrix2d flat = basis.transpose() * deformation;
        const Eigen::JacobiSVD<Eigen::Matrix2d> svd(flat, Eigen::ComputeFullU | Eigen::ComputeFullV);
        u = basis * svd.matrixU();
        v = svd.matrixV();
        sigma = svd.singularValues();
    }

    Eigen::Matrix<double, 3, 2> with(const Eigen::Vector2d& stretches) const {
        return u * stretches.asDiagonal() * v.transpose();
    }
};

}  // namespace pliant_bench
