/* The factor of the kernel matrix of a model's vectors, by which rows near them are told from others. */
#include "product/vector_factor.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "inference/points.h"
#include "product/model.h"

/* As for the points of a process, which these vectors need not be. */
rvm_status rvm_vector_factor(double **out, const rvm_kernel *kernel, const rvm_problem *vectors,
                             int threads, rvm_error *err)
{
    const size_t V = rvm_problem_rows(vectors);
    rvm_points z = { 0 };
    size_t size = 0, to = 0;
    double *U = rvm_triangle_size(&size, V) ? rvm_array(size, sizeof *U) : NULL;
    rvm_status status = U == NULL ? rvm_fail_memory(err, "prediction") : RVM_OK;

    if (status == RVM_OK)
        status = rvm_points_init(&z, vectors, vectors, threads, err);
    if (status == RVM_OK)
        status = rvm_points_place(&z, kernel, err);
    for (size_t i = 0; status == RVM_OK && i < V; i++)
        for (size_t j = i; j < V; j++)
            U[to++] = gsl_matrix_get(z.L, j, i);
    rvm_points_free(&z);
    if (status == RVM_OK)
        *out = U;
    else
        free(U);
    return status;
}
