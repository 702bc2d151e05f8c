"""Products of arrays, factorizations and transforms: many operations for each element."""

from __future__ import annotations

from functools import partial

from jaxviz.ops.row import Meaning, Op, choice, read_by, unless, when

_contraction = partial(Op, family="contraction")

_PRODUCT: dict[str, str | Meaning] = {
    "preferred_element_type": "The dtype of the result; products are to be summed in it as well.",
    "precision": "How exact products are to be where the device has faster, less exact ones.",
    "out_sharding": "How the result lies on the devices.",
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
        "A product of two arrays, summed over the dimensions that dimension_numbers says.",
        {**_PRODUCT, "dimension_numbers": read_by("contracted")},
        cost="dot",
        operands="lhs rhs",
    ),
    _contraction(
        "ragged_dot_general",
        "A product of arrays in groups of different sizes: each row meets the matrix of its group.",
        {
            **_PRODUCT,
            "ragged_dot_dimension_numbers": (
                "Which dimensions are summed over, and which one the groups part (ragged)."
            ),
        },
        cost="ragged_dot",
    ),
    _contraction(
        "scaled_dot",
        "A product of two arrays in small dtypes, each block of which has a scale of its own.",
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
            "padding": "What is put before and behind lhs, in each direction.",
            "lhs_dilation": "One more than the zeros between elements of lhs, in each direction.",
            "rhs_dilation": (
                "One more than the zeros between elements of the window, in each direction."
            ),
            "feature_group_count": unless(
                "1", "Features are convolved in so many groups of their own."
            ),
            "batch_group_count": unless(
                "1", "The batch is convolved in so many groups of its own."
            ),
        },
        cost="convolution",
        operands="lhs rhs",
    ),
    _contraction(
        "cholesky",
        "The lower triangle whose product with its own conjugate transpose is the operand.",
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
        "lu", "Triangular matrices whose product is the operand with its rows exchanged.", cost="lu"
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
            "pivoting": when("True", "Columns are exchanged, and the last result says how."),
        },
        cost="qr",
    ),
    _contraction(
        "geqrf",
        "A QR factorization whose first factor is kept as reflections.",
        cost="householder_qr",
    ),
    _contraction(
        "geqp3",
        "A QR factorization with columns exchanged, whose first factor is kept as reflections.",
        cost="householder_qr",
    ),
    _contraction(
        "householder_product",
        "The matrix that a list of reflections makes.",
        cost="householder_product",
    ),
    _contraction(
        "ormqr",
        "Multiplies a matrix by the first factor of a QR factorization, kept as reflections.",
        {
            "left": choice(
                {
                    "True": "The factor stands left of the matrix.",
                    "False": "The factor stands right of the matrix.",
                }
            ),
            "transpose": when("True", "The factor is transposed first, and conjugated."),
        },
        since="0.10.0",
    ),
    _contraction(
        "schur",
        "Square matrices as Q T Qᴴ, with unitary Q and upper triangular T, or nearly so.",
        cost="eig",
    ),
    _contraction(
        "svd",
        "The singular values of matrices, and their singular vectors if asked for.",
        {
            "compute_uv": when("False", "The singular values alone are computed."),
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
        "Solves a linear system whose matrix is a triangle.",
        {
            "left_side": choice(
                {
                    "True": "The matrix stands left of what is sought: a x = b.",
                    "False": "The matrix stands right of what is sought: x a = b.",
                }
            ),
            "lower": _LOWER,
            "transpose_a": when("True", "The matrix is transposed first."),
            "conjugate_a": when("True", "The matrix is conjugated first."),
            "unit_diagonal": when("True", "The diagonal of the matrix is taken to be 1."),
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
        "Solves a linear system whose matrix is zero but for its diagonal and the ones beside it.",
        cost="tridiagonal_solve",
    ),
    _contraction(
        "custom_linear_solve", "Solves a linear system with functions of its own.", bodies="called"
    ),
    _contraction(
        "fft",
        "A discrete Fourier transform over the last dimensions, or its inverse.",
        {
            "fft_type": "Which transform: R is of real numbers, I the way back.",
            "fft_lengths": "Over how many elements of each of the last dimensions it goes.",
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
