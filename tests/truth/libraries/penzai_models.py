"""Penzai, as its documentation writes it: models of named axes, bound to their variables."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import optax
from penzai import pz
from penzai.models import simple_mlp

from . import Call


def xor_loss(*, model: Any, rng: Any, state: Any, xor_inputs: Any, xor_labels: Any) -> Any:
    model_out = model(pz.nx.wrap(xor_inputs).tag("batch", "features"))
    log_probs = jax.nn.log_softmax(model_out.unwrap("batch", "features"), axis=-1)
    losses = -log_probs[jnp.arange(4), xor_labels]
    loss = jnp.sum(losses) / 4
    return loss, state, {"loss": loss}


def penzai_trainer() -> Call:
    from penzai.toolshed.basic_training import StatefulTrainer

    mlp = simple_mlp.MLP.from_config(
        name="mlp", init_base_rng=jax.random.key(0), feature_sizes=[2, 8, 8, 2]
    )
    trainer = StatefulTrainer.build(
        root_rng=jax.random.key(42),
        model=mlp,
        optimizer_def=optax.adam(0.1),
        loss_fn=xor_loss,  # pyright: ignore
    )
    stateless_model, variables = pz.unbind_variables(mlp)
    params = pz.freeze_variables(tuple(variables))

    def step(root_rng: Any, state: Any, params: Any, xor_inputs: Any, xor_labels: Any) -> Any:
        kwargs = {"xor_inputs": xor_inputs, "xor_labels": xor_labels}
        return trainer.step_fn(
            root_rng=root_rng, state=state, stateless_model=stateless_model,
            trainable_params=params, frozen_params=(), state_vars=(),
            loss_fn=trainer.loss_fn, optimizer_def=trainer.optimizer_def, kwargs=kwargs,
        )  # fmt: skip

    inputs = jnp.array([[-1, -1], [-1, 1], [1, -1], [1, 1]], jnp.float32)
    labels = jnp.array([0, 1, 1, 0])
    return step, (jax.random.key(0), trainer.state.value, params, inputs, labels)


def penzai_grad() -> Call:
    mlp = simple_mlp.MLP.from_config(
        name="mlp", init_base_rng=jax.random.key(0), feature_sizes=[4, 8, 8, 2]
    )
    unbound_mlp, params = pz.unbind_params(mlp)

    @jax.jit
    def grad_fn(params: Any, inputs: Any, targets: Any) -> Any:
        def loss_fn(params: Any) -> Any:
            model = pz.bind_variables(unbound_mlp, params)
            out = model(pz.nx.wrap(inputs).tag("batch", "features"))
            return jnp.mean((out.unwrap("batch", "features") - targets) ** 2)

        return jax.value_and_grad(loss_fn)(params)

    return grad_fn, (pz.freeze_params(params), jnp.ones((3, 4)), jnp.ones((3, 2)))


PROGRAMS = (penzai_trainer, penzai_grad)
