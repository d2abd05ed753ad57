// CHOLMOD's solve with three right-hand sides, simplicial and supernodal, with the ordering it chooses by itself and its
// workspace kept from solve to solve.

#include <chrono>
#include <cstdint>
#include <cstring>

#if __has_include(<suitesparse/cholmod.h>)
#include <suitesparse/cholmod.h>
#else
#include <cholmod.h>
#endif

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Cholmod {
    cholmod_common common;
    cholmod_factor* factor = nullptr;
    cholmod_dense* x = nullptr;
    cholmod_dense* y = nullptr;
    cholmod_dense* e = nullptr;
};

void release(Cholmod* handle) {
    cholmod_free_factor(&handle->factor, &handle->common);
    cholmod_free_dense(&handle->x, &handle->common);
    cholmod_free_dense(&handle->y, &handle->common);
    cholmod_free_dense(&handle->e, &handle->common);
    cholmod_finish(&handle->common);
    delete handle;
}

}  // namespace

extern "C" {

// Factors the upper triangle given by columns; `seconds` receives the times of analysis and factorisation. Null on failure.
void* pliant_bench_cholmod_factor(int size, const int* column_starts, const int* rows, const double* values,
                                  int supernodal, double* seconds) {
    auto* handle = new Cholmod;
    cholmod_common* common = &handle->common;
    cholmod_start(common);
    common->print = 0;
    common->supernodal = supernodal ? CHOLMOD_SUPERNODAL : CHOLMOD_SIMPLICIAL;

    cholmod_sparse matrix;
    std::memset(&matrix, 0, sizeof matrix);
    matrix.nrow = matrix.ncol = size;
    matrix.nzmax = column_starts[size];
    matrix.p = const_cast<int*>(column_starts);
    matrix.i = const_cast<int*>(rows);
    matrix.x = const_cast<double*>(values);
    matrix.stype = 1;
    matrix.itype = CHOLMOD_INT;
    matrix.xtype = CHOLMOD_REAL;
    matrix.dtype = CHOLMOD_DOUBLE;
    matrix.sorted = matrix.packed = 1;

    auto start = std::chrono::steady_clock::now();
    handle->factor = cholmod_analyze(&matrix, common);
    seconds[0] = seconds_since(start);
    start = std::chrono::steady_clock::now();
    const bool done = handle->factor != nullptr && cholmod_factorize(&matrix, handle->factor, common);
    seconds[1] = seconds_since(start);
    if (done && common->status == CHOLMOD_OK) return handle;
    release(handle);
    return nullptr;
}

void pliant_bench_cholmod_solve(void* opaque, int size, const double* rhs, double* x) {
    auto* handle = static_cast<Cholmod*>(opaque);
    cholmod_dense b;
    std::memset(&b, 0, sizeof b);
    b.nrow = b.d = size;
    b.ncol = 3;
    b.nzmax = 3 * static_cast<size_t>(size);
    b.x = const_cast<double*>(rhs);
    b.xtype = CHOLMOD_REAL;
    b.dtype = CHOLMOD_DOUBLE;
    cholmod_solve2(CHOLMOD_A, handle->factor, &b, nullptr, &handle->x, nullptr, &handle->y, &handle->e, &handle->common);
    // Only for the comparison of results; a timed solve leaves its result where it is.
    if (x != nullptr) std::memcpy(x, handle->x->x, 3 * static_cast<size_t>(size) * sizeof(double));
}

uint64_t pliant_bench_cholmod_bytes(const void* opaque) {
    const cholmod_factor* factor = static_cast<const Cholmod*>(opaque)->factor;
    if (factor->is_super) return factor->xsize * sizeof(double) + factor->ssize * sizeof(int);
    return static_cast<uint64_t>(static_cast<const int*>(factor->p)[factor->n]) * (sizeof(double) + sizeof(int));
}

void pliant_bench_cholmod_free(void* opaque) { release(static_cast<Cholmod*>(opaque)); }

}  // extern "C"
