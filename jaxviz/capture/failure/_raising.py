"""Private functions of JAX and of libraries that raise an error, by what the error is about.

A name matches the end of `module.qualname`; `*` stands for any text. JAX removes most of its frames
outside of IPython: the fallback is the public function on the user's line (`kinds.py`). All
names were seen on JAX 0.6.2, 0.10.2 and 0.12.0, unless a comment says otherwise.
"""

SHAPES = (
    "*_shape_rule",
    "_broadcast_shapes_uncached",
    "_try_broadcast_shapes",
    "lax.broadcast_to",
    "_compute_newshape",
    "_compute_squeeze_shape",
    "canonicalize_axis",
    "NDIndexer.expand_bool_indices",
    "_update_dim_sizes",
    "_infer_scan_length",
    "contract_path",
    "_top_k_abstract_eval",
    "_sort_abstract_eval",
    "_dynamic_slice_indices",
)
INDICES = ("indexing._parse_indices", "lax_numpy._split_index_for_jit", "_index_to_gather")
TREES = ("tree_util.tree_map", "tree_util.tree_unflatten", "tree_util.tree_transpose")
SIZES = (
    "core.canonicalize_shape",
    "array_creation.canonicalize_shape",
    "NDIndexer.validate_slices",  # from 0.8 on
    "concrete_dim_or_error",
    "_verify_params_are_hashable",  # from 0.7 on
)
"""Functions that need a size as a number."""
TRUTH = ("core.check_bool_conversion",)
DTYPES = ("check_same_dtypes",)
BATCH = ("_mapped_axis_size", "_get_axis_size", "vmap.<locals>.vmap_f")
CARRY = ("loops._check_carry_type", "scan.<locals>._create_jaxpr", "scan", "while_loop")
BRANCHES = ("_check_branch_outputs", "conditionals._check_tree_and_avals")
PREDICATE = ("conditionals.cond", "conditionals._cond", "while_loop.<locals>._create_jaxpr")
GRADIENT = ("api._check_scalar", "api._check_input_dtype_*", "api._check_output_dtype_*")
LOOP_BACKWARDS = ("loops._while_transpose_error",)
IN_PLACE = ("_unimplemented_setitem", "ufunc.at")
KEY = ("_check_prng_key", "_check_prng_key_data")
NOT_AN_ARRAY = (
    "check_arraylike",
    "pjit._infer_input_type",
    "_check_returned_jaxtypes",
    "_str_abstractify",
    "core.shaped_abstractify",
    "core.typeof",
)
CUSTOM_RULES = (
    "custom_derivatives._check_for_tracers",
    "custom_derivatives._flatten_bwd",
    "custom_derivatives._flatten_fwd",
    "custom_derivatives._flatten_jvp",
)
NO_RULE = ("custom_vjp.__call__", "custom_jvp.__call__")
POLICY = ("partial_eval._partial_eval_jaxpr_custom_cached",)
PALLAS = ("pallas_call._trace_kernel_to_jaxpr",)
ARGUMENT_NAMES = ("api_util._validate_argnames", "api_util._validate_argnums")
COMPILED = ("pxla.check_arg_avals_for_call", "stages.Compiled.call")
AXIS_NAMES = ("parallel._check_axis_names",)
VARYING = ("core.pvary",)  # from 0.7 on
SPECS = ("_shard_map.*wrapped", "shard_map.*wrapped", "_check_specs*", "_check_mesh_resource_axis")
"""Functions that compare specs with a mesh, or with arrays."""
CUSTOM_CALLS = ("custom_derivatives._flatten_*", "custom_derivatives._check_primal_refs")
"""Functions that call the rules of a custom derivative."""
PLACEMENT = (
    "_get_and_check_device_assignment",
    "core._check_divisibility",  # from 0.7 on
    "pjit_check_aval_sharding",
    "sharding._common_shard_shape",
    "sharding.common_shard_shape",
    "check_compatible_aval",
)
"""Functions that compare an array with the devices or the mesh that it should lie on."""
DELETED = ("ArrayImpl._check_if_deleted",)
