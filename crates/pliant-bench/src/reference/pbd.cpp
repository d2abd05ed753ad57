// One iteration of position-based dynamics [Müller 2007; Bender 2014] over distances, hinges and volumes of tets: Gauss-Seidel in
// the order given, one thread, in single and in double precision. What one writes after reading the papers, in the compiler's best form.
//
// A share of the way (classic), or with a compliance and a multiplier for each constraint [Macklin 2016].

#include <algorithm>
#include <cmath>

namespace {

template <class Real>
struct Vec {
    Real x, y, z;
};

template <class Real>
inline Vec<Real> operator+(Vec<Real> a, Vec<Real> b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}

template <class Real>
inline Vec<Real> operator-(Vec<Real> a, Vec<Real> b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

template <class Real>
inline Vec<Real> operator*(Real s, Vec<Real> a) {
    return {s * a.x, s * a.y, s * a.z};
}

template <class Real>
inline Real dot(Vec<Real> a, Vec<Real> b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class Real>
inline Vec<Real> cross(Vec<Real> a, Vec<Real> b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// How far a constraint at value C goes along its gradient.
template <class Real, bool Compliant>
struct Rule {
    Real share;     // of the way, classic
    Real softness;  // compliance over the squared time step
    Real* multipliers;

    inline Real step(int element, Real value, Real mobility) const {
        if (Compliant) {
            const Real resistance = mobility + softness;
            if (resistance <= 0) return 0;
            const Real step = -(value + softness * multipliers[element]) / resistance;
            multipliers[element] += step;
            return step;
        }
        return mobility > 0 ? -share * value / mobility : 0;
    }
};

template <class Real, bool Compliant>
void distances(int count, const int* ends, const Real* lengths, Rule<Real, Compliant> rule, const Real* w, Vec<Real>* x) {
    for (int e = 0; e < count; ++e) {
        const int a = ends[2 * e], b = ends[2 * e + 1];
        const Vec<Real> edge = x[b] - x[a];
        const Real length = std::sqrt(dot(edge, edge));
        if (length <= 0) continue;
        const Real step = rule.step(e, length - lengths[e], w[a] + w[b]) / length;
        x[a] = x[a] - (w[a] * step) * edge;
        x[b] = x[b] + (w[b] * step) * edge;
    }
}

// C = ½ ‖Σ kᵢ xᵢ‖² over the corners of a hinge [Bergou 2006].
template <class Real, bool Compliant>
void isometric_bending(int count, const int* corners, const Real* weights, Rule<Real, Compliant> rule, const Real* w,
                       Vec<Real>* x) {
    for (int e = 0; e < count; ++e) {
        const int* v = corners + 4 * e;
        const Real* k = weights + 4 * e;
        const Vec<Real> bend = k[0] * x[v[0]] + k[1] * x[v[1]] + k[2] * x[v[2]] + k[3] * x[v[3]];
        const Real squared = dot(bend, bend);
        const Real share = w[v[0]] * k[0] * k[0] + w[v[1]] * k[1] * k[1] + w[v[2]] * k[2] * k[2] + w[v[3]] * k[3] * k[3];
        const Real step = rule.step(e, Real(0.5) * squared, share * squared);
        for (int i = 0; i < 4; ++i) x[v[i]] = x[v[i]] + (step * w[v[i]] * k[i]) * bend;
    }
}

// C = θ − θ₀ over [edge start, edge end, left, right], changed by at most 0.05 in a visit.
template <class Real, bool Compliant>
void dihedral_bending(int count, const int* corners, const Real* angles, Rule<Real, Compliant> rule, const Real* w,
                      Vec<Real>* x) {
    const Real turn = Real(6.283185307179586), most = Real(0.05);
    for (int e = 0; e < count; ++e) {
        const int* v = corners + 4 * e;
        const Vec<Real> edge = x[v[1]] - x[v[0]], to_c = x[v[2]] - x[v[0]], to_d = x[v[3]] - x[v[0]];
        const Vec<Real> left = cross(edge, to_c), right = cross(to_d, edge);
        const Real squared = dot(edge, edge), length = std::sqrt(squared);
        const Real left_squared = dot(left, left), right_squared = dot(right, right);
        if (left_squared <= 0 || right_squared <= 0) continue;
        const Real theta = std::atan2(-length * dot(left, to_d), dot(left, right));
        Real value = theta - angles[e];
        value -= turn * std::round(value / turn);
        value = std::min(std::max(value, -most), most);
        const Vec<Real> at_c = (-length / left_squared) * left, at_d = (-length / right_squared) * right;
        const Real foot_c = dot(to_c, edge) / squared, foot_d = dot(to_d, edge) / squared;
        const Vec<Real> at_a = (foot_c - 1) * at_c + (foot_d - 1) * at_d;
        const Vec<Real> at_b = (-foot_c) * at_c + (-foot_d) * at_d;
        const Real mobility =
            w[v[0]] * dot(at_a, at_a) + w[v[1]] * dot(at_b, at_b) + w[v[2]] * dot(at_c, at_c) + w[v[3]] * dot(at_d, at_d);
        const Real step = rule.step(e, value, mobility);
        x[v[0]] = x[v[0]] + (w[v[0]] * step) * at_a;
        x[v[1]] = x[v[1]] + (w[v[1]] * step) * at_b;
        x[v[2]] = x[v[2]] + (w[v[2]] * step) * at_c;
        x[v[3]] = x[v[3]] + (w[v[3]] * step) * at_d;
    }
}

template <class Real, bool Compliant>
void tet_volumes(int count, const int* corners, const Real* volumes, Rule<Real, Compliant> rule, const Real* w,
                 Vec<Real>* x) {
    const Real sixth = Real(1) / Real(6);
    for (int e = 0; e < count; ++e) {
        const int* v = corners + 4 * e;
        const Vec<Real> p = x[v[1]] - x[v[0]], q = x[v[2]] - x[v[0]], r = x[v[3]] - x[v[0]];
        const Vec<Real> at_b = sixth * cross(q, r), at_c = sixth * cross(r, p), at_d = sixth * cross(p, q);
        const Vec<Real> at_a = Real(-1) * (at_b + at_c + at_d);
        const Real mobility =
            w[v[0]] * dot(at_a, at_a) + w[v[1]] * dot(at_b, at_b) + w[v[2]] * dot(at_c, at_c) + w[v[3]] * dot(at_d, at_d);
        const Real step = rule.step(e, dot(at_d, r) - volumes[e], mobility);
        x[v[0]] = x[v[0]] + (w[v[0]] * step) * at_a;
        x[v[1]] = x[v[1]] + (w[v[1]] * step) * at_b;
        x[v[2]] = x[v[2]] + (w[v[2]] * step) * at_c;
        x[v[3]] = x[v[3]] + (w[v[3]] * step) * at_d;
    }
}

template <class Real, bool Compliant>
void sweep(int kind, int count, const int* vertices, const Real* rest, Rule<Real, Compliant> rule, const Real* w,
           Real* positions) {
    auto* x = reinterpret_cast<Vec<Real>*>(positions);
    switch (kind) {
        case 0: return distances(count, vertices, rest, rule, w, x);
        case 1: return isometric_bending(count, vertices, rest, rule, w, x);
        case 2: return dihedral_bending(count, vertices, rest, rule, w, x);
        case 3: return tet_volumes(count, vertices, rest, rule, w, x);
    }
}

// Without multipliers `number` is the share of the way, with them the compliance over the squared time step.
template <class Real>
void visit(int kind, int count, const int* vertices, const Real* rest, Real number, Real* multipliers, const Real* w,
           Real* positions) {
    if (multipliers != nullptr) {
        sweep(kind, count, vertices, rest, Rule<Real, true>{0, number, multipliers}, w, positions);
    } else {
        sweep(kind, count, vertices, rest, Rule<Real, false>{number, 0, nullptr}, w, positions);
    }
}

}  // namespace

extern "C" {

void pliant_bench_pbd_f32(int kind, int count, const int* vertices, const float* rest, float number, float* multipliers,
                          const float* inverse_masses, float* positions) {
    visit(kind, count, vertices, rest, number, multipliers, inverse_masses, positions);
}

void pliant_bench_pbd_f64(int kind, int count, const int* vertices, const double* rest, double number, double* multipliers,
                          const double* inverse_masses, double* positions) {
    visit(kind, count, vertices, rest, number, multipliers, inverse_masses, positions);
}

}  // extern "C"
