"""Products of arrays, factorizations and transforms: many operations for each element."""

from __future__ import annotations

from functools import partial

from jaxviz.ops.row import Meaning, Op, choice, read_by, unless, when

_contraction = partial(Op, family="contraction")

_PRODUCT: dict[str, str | Meaning] = {
    "preferred_element_type": "The dtype of the result; products are summed in it too.",
    "precision": "The required precision of products, if the device has faster, less precise ones.",
    "out_sharding": "The sharding of the result.",
}
_ATTENTION = "Attention in one kernel of cuDNN: the softmax of queries times keys, times values."
_ATTENTION_BACK = "The gradients of attention, in one kernel of cuDNN."
_LOWER = choice(
    {
        "True": "The lower triangle of the matrix is read.",
        "False": "The upper triangle of the matrix is read.",
    }
)

OPS = (
    _contraction(
        "dot_general",
        "A product of two arrays, summed over the dimensions given by dimension_numbers.",
        {**_PRODUCT, "dimension_numbers": read_by("contracted")},
        cost="dot",
        operands="lhs rhs",
    ),
    _contraction(
        "ragged_dot_general",
        "A product of arrays in groups of different sizes: each row is multiplied by the matrix of "
        "its group.",
        {
            **_PRODUCT,
            "ragged_dot_dimension_numbers": (
                "The dimensions that are summed over, and the one that the groups divide (ragged)."
            ),
        },
        cost="ragged_dot",
    ),
    _contraction(
        "scaled_dot",
        "A product of two arrays in small dtypes; each block has its own scale.",
        {"preferred_element_type": "The dtype of the result."},
        since="0.9.1",
    ),
    _contraction(
        "conv_general_dilated",
        "Convolves lhs with the window rhs.",
        {
            **_PRODUCT,
            "dimension_numbers": read_by("convolved"),
            "window_strides": (
                "How far the window moves from one result to the next, in each direction."
            ),
            "padding": "The padding before and after lhs, in each direction.",
            "lhs_dilation": (
                "The dilation of lhs in each direction: 1 adds no zeros between elements."
            ),
            "rhs_dilation": (
                "The dilation of the window in each direction: 1 adds no zeros between elements."
            ),
            "feature_group_count": unless(
                "1", "The number of groups of features that are convolved separately."
            ),
            "batch_group_count": unless(
                "1", "The number of groups of the batch that are convolved separately."
            ),
        },
        cost="convolution",
        operands="lhs rhs",
    ),
    _contraction(
        "cholesky",
        "The Cholesky factor: the lower triangle L for which L Lᴴ is the operand.",
        cost="cholesky",
    ),
    _contraction(
        "cholesky_update",
        "The Cholesky factor of a matrix plus the outer product of a vector with itself.",
    ),
    _contraction(
        "eig",
        "Eigenvalues of square matrices, and their eigenvectors if asked for.",
        {
            "compute_left_eigenvectors": when("True", "The left eigenvectors are computed too."),
            "compute_right_eigenvectors": when("True", "The right eigenvectors are computed too."),
        },
        cost="eig",
    ),
    _contraction(
        "eigh",
        "Eigenvalues and eigenvectors of symmetric matrices, or Hermitian ones.",
        {"lower": _LOWER},
        cost="eigh",
    ),
    _contraction(
        "eigh_jacobi",
        "Eigenvalues and eigenvectors of symmetric matrices by Jacobi's method, on TPUs.",
        until="0.8.0",
    ),
    _contraction(
        "hessenberg",
        "Makes a square matrix almost triangular by reflections: its Hessenberg form.",
        cost="hessenberg",
    ),
    _contraction(
        "lu",
        "The LU factors: triangular matrices whose product is the operand with its rows reordered.",
        cost="lu",
    ),
    _contraction(
        "qr",
        "A matrix with orthonormal columns and a triangular one, whose product is the operand.",
        {
            "full_matrices": choice(
                {
                    "True": "The first result is a square matrix.",
                    "False": (
                        "The first result has no more columns than the smaller side of the operand."
                    ),
                }
            ),
            "pivoting": when("True", "Columns are reordered; the last result is their order."),
        },
        cost="qr",
    ),
    _contraction(
        "geqrf",
        "A QR factorization whose first factor is stored as reflections.",
        cost="householder_qr",
    ),
    _contraction(
        "geqp3",
        "A QR factorization with reordered columns, whose first factor is stored as reflections.",
        cost="householder_qr",
    ),
    _contraction(
        "householder_product",
        "The matrix that a list of reflections makes.",
        cost="householder_product",
    ),
    _contraction(
        "ormqr",
        "Multiplies a matrix by the first factor of a QR factorization, stored as reflections.",
        {
            "left": choice(
                {
                    "True": "The factor is to the left of the matrix.",
                    "False": "The factor is to the right of the matrix.",
                }
            ),
            "transpose": when("True", "The factor is transposed and conjugated first."),
        },
        since="0.10.0",
    ),
    _contraction(
        "schur",
        "The Schur decomposition Q T Qᴴ of square matrices: Q is unitary, T is upper triangular or "
        "nearly so.",
        cost="eig",
    ),
    _contraction(
        "svd",
        "The singular values of matrices, and their singular vectors if asked for.",
        {
            "compute_uv": when("False", "Only the singular values are computed."),
            "full_matrices": choice(
                {
                    "True": "The other results are square matrices.",
                    "False": (
                        "The other results have no more columns or rows "
                        "than there are singular values."
                    ),
                }
            ),
        },
        cost="svd",
    ),
    _contraction(
        "symmetric_product",
        "A matrix times its own transpose, times alpha, plus a symmetric matrix times beta.",
    ),
    _contraction(
        "triangular_solve",
        "Solves a linear system with a triangular matrix.",
        {
            "left_side": choice(
                {
                    "True": "The matrix is to the left of the unknown: a x = b.",
                    "False": "The matrix is to the right of the unknown: x a = b.",
                }
            ),
            "lower": _LOWER,
            "transpose_a": when("True", "The matrix is transposed first."),
            "conjugate_a": when("True", "The matrix is conjugated first."),
            "unit_diagonal": when("True", "The diagonal of the matrix is assumed to be 1."),
        },
        cost="triangular_solve",
    ),
    _contraction(
        "tridiagonal",
        "Makes a symmetric matrix tridiagonal by reflections.",
        {"lower": _LOWER},
        cost="tridiagonal",
    ),
    _contraction(
        "tridiagonal_solve",
        "Solves a linear system with a tridiagonal matrix.",
        cost="tridiagonal_solve",
    ),
    _contraction(
        "custom_linear_solve", "Solves a linear system with custom functions.", bodies="called"
    ),
    _contraction(
        "fft",
        "A discrete Fourier transform over the last dimensions, or its inverse.",
        {
            "fft_type": "The kind of transform: R means real numbers, I means inverse.",
            "fft_lengths": "The number of elements along each of the last dimensions.",
        },
        cost="fft",
    ),
    _contraction(
        "scaled_matmul", "A product of matrices in small dtypes whose blocks have scales, by cuDNN."
    ),
    _contraction(
        "scaled_matmul_wrapper",
        "A product of matrices in small dtypes whose blocks have scales, by cuDNN.",
    ),
    _contraction("dot_product_attention_fwd", _ATTENTION),
    _contraction("dot_product_attention_fwd_wrapper", _ATTENTION),
    _contraction("dot_product_attention_bwd", _ATTENTION_BACK),
    _contraction("dot_product_attention_bwd_wrapper", _ATTENTION_BACK),
    _contraction("dot_product_attention_fp8_fwd", _ATTENTION),
    _contraction("dot_product_attention_fp8_fwd_wrapper", _ATTENTION),
    _contraction("dot_product_attention_fp8_bwd", _ATTENTION_BACK),
    _contraction("dot_product_attention_fp8_bwd_wrapper", _ATTENTION_BACK),
    _contraction("cudnn_fusion", "A function that becomes one kernel of cuDNN."),
    _contraction("conv", "Convolves lhs with the window rhs (Pallas).", since="0.11.1"),
)
