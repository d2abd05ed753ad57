// Clustered shape matching with strain limiting [Bargteil & Jones 2014, Algorithms 1 and 2] over Eigen: one thread, double precision. What one
// writes after reading the paper: lists of particles for each region, a singular value decomposition for each rotation.

#include <Eigen/Dense>
#include <cmath>
#include <vector>

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

struct Region {
    std::vector<int> members;
    std::vector<Vector3d> rest;  // from the centre of masses
    double mass = 0;
    double half_width = 0;
};

struct Body {
    std::vector<double> masses;  // of a particle in each of its regions
    std::vector<double> counts;
    std::vector<Region> regions;
    std::vector<Vector3d> positions, before, velocities, goals, movements;
    double step, alpha, gamma, relaxation;
    int iterations;
};

Matrix3d nearest_rotation(const Matrix3d& moments) {
    const Eigen::JacobiSVD<Matrix3d> svd(moments, Eigen::ComputeFullU | Eigen::ComputeFullV);
    Matrix3d u = svd.matrixU();
    if ((u * svd.matrixV().transpose()).determinant() < 0) u.col(2) = -u.col(2);
    return u * svd.matrixV().transpose();
}

void find_goals(Body& body, const std::vector<Vector3d>& x, double gamma) {
    for (auto& goal : body.goals) goal.setZero();
    for (const Region& region : body.regions) {
        const int count = static_cast<int>(region.members.size());
        Vector3d centre = Vector3d::Zero();
        for (int v : region.members) centre += body.masses[v] * x[v];
        centre /= region.mass;
        Matrix3d moments = Matrix3d::Zero();
        for (int k = 0; k < count; ++k) {
            const int v = region.members[k];
            moments += body.masses[v] * (x[v] - centre) * region.rest[k].transpose();
        }
        const Matrix3d rotation = nearest_rotation(moments);
        const double free = gamma * region.half_width;
        for (int k = 0; k < count; ++k) {
            const int v = region.members[k];
            const Vector3d goal = centre + rotation * region.rest[k];
            const Vector3d away = x[v] - goal;
            const double distance = away.norm();
            body.goals[v] += distance > free ? Vector3d(goal + free / distance * away) : x[v];
        }
    }
    for (size_t v = 0; v < x.size(); ++v) body.goals[v] /= body.counts[v];
}

// The engine's departure from the paper: what limits move is answered by a rigid movement of the whole body, so that momenta stay. The block is one piece.
void answer(const Body& body, const std::vector<Vector3d>& x, std::vector<Vector3d>& movements) {
    double weight = 0;
    Vector3d centre = Vector3d::Zero(), pull = Vector3d::Zero();
    for (size_t v = 0; v < x.size(); ++v) {
        const double mass = body.masses[v] * body.counts[v];
        weight += mass;
        centre += mass * x[v];
        pull += mass * movements[v];
    }
    centre /= weight;
    Vector3d moment = Vector3d::Zero();
    Matrix3d inertia = Matrix3d::Zero();
    for (size_t v = 0; v < x.size(); ++v) {
        const double mass = body.masses[v] * body.counts[v];
        const Vector3d arm = x[v] - centre;
        moment += mass * arm.cross(movements[v]);
        inertia += mass * (arm.squaredNorm() * Matrix3d::Identity() - arm * arm.transpose());
    }
    const Vector3d turn = -inertia.ldlt().solve(moment), shift = -pull / weight;
    for (size_t v = 0; v < x.size(); ++v) movements[v] += turn.cross(x[v] - centre) + shift;
}

}  // namespace

extern "C" void* pliant_bench_matching_new(int particles, const double* rest, const double* masses, int regions,
                                           const int* starts, const int* members, double step, double alpha,
                                           double gamma, double relaxation, int iterations, const double* positions) {
    auto* body = new Body;
    body->step = step;
    body->alpha = alpha;
    body->gamma = gamma;
    body->relaxation = relaxation;
    body->iterations = iterations;
    const auto at = [](const double* all, int v) { return Vector3d(all[3 * v], all[3 * v + 1], all[3 * v + 2]); };
    body->counts.assign(particles, 0.0);
    for (int k = 0; k < starts[regions]; ++k) body->counts[members[k]] += 1;
    for (int v = 0; v < particles; ++v) {
        body->masses.push_back(masses[v] / body->counts[v]);
        body->positions.push_back(at(positions, v));
    }
    body->velocities.assign(particles, Vector3d::Zero());
    body->goals.resize(particles);
    body->movements.resize(particles);
    for (int r = 0; r < regions; ++r) {
        Region region;
        region.members.assign(members + starts[r], members + starts[r + 1]);
        Vector3d centre = Vector3d::Zero();
        for (int v : region.members) {
            region.mass += body->masses[v];
            centre += body->masses[v] * at(rest, v);
        }
        centre /= region.mass;
        for (int v : region.members) {
            region.rest.push_back(at(rest, v) - centre);
            region.half_width = std::max(region.half_width, region.rest.back().norm());
        }
        body->regions.push_back(std::move(region));
    }
    return body;
}

extern "C" void pliant_bench_matching_frame(void* handle, double* positions) {
    Body& body = *static_cast<Body*>(handle);
    body.before = body.positions;
    auto& x = body.positions;
    find_goals(body, body.before, 0.0);
    for (size_t v = 0; v < x.size(); ++v) {
        x[v] += body.step * body.velocities[v] + body.alpha * (body.goals[v] - body.before[v]);
    }
    for (int k = 0; k < body.iterations; ++k) {
        find_goals(body, x, body.gamma);
        for (size_t v = 0; v < x.size(); ++v) body.movements[v] = body.relaxation * (body.goals[v] - x[v]);
        answer(body, x, body.movements);
        for (size_t v = 0; v < x.size(); ++v) x[v] += body.movements[v];
    }
    for (size_t v = 0; v < x.size(); ++v) {
        body.velocities[v] = (x[v] - body.before[v]) / body.step;
        for (int c = 0; c < 3; ++c) positions[3 * v + c] = x[v][c];
    }
}

extern "C" void pliant_bench_matching_free(void* handle) { delete static_cast<Body*>(handle); }
