// One iteration of position-based dynamics over springs [Müller 2007]: Gauss-Seidel in the order given, full stiffness, single
// precision, one thread. What a game spends on one sweep over a cloth.

#include <cmath>

extern "C" void pliant_bench_pbd_iteration(int springs, const int* ends, const float* rest_lengths,
                                           const float* inverse_masses, float* positions) {
    for (int e = 0; e < springs; ++e) {
        const int a = ends[2 * e], b = ends[2 * e + 1];
        float* p = positions + 3 * a;
        float* q = positions + 3 * b;
        const float weight_a = inverse_masses[a], weight_b = inverse_masses[b];
        const float total = weight_a + weight_b;
        if (total == 0.0f) continue;
        const float x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2];
        const float length = std::sqrt(x * x + y * y + z * z);
        const float scale = (length - rest_lengths[e]) / (length * total);
        p[0] += weight_a * scale * x;
        p[1] += weight_a * scale * y;
        p[2] += weight_a * scale * z;
        q[0] -= weight_b * scale * x;
        q[1] -= weight_b * scale * y;
        q[2] -= weight_b * scale * z;
    }
}
