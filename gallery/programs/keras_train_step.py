import os

os.environ["KERAS_BACKEND"] = "jax"

import jax
import jax.numpy as jnp
import keras
from keras import layers

model = keras.Sequential(
    [
        keras.Input(shape=(8, 8, 1)),
        layers.Conv2D(4, 3, activation="relu", name="conv_1"),
        layers.MaxPooling2D(2, name="pool"),
        layers.Conv2D(8, 3, activation="relu", name="conv_2"),
        layers.Flatten(name="flatten"),
        layers.Dense(10, name="logits"),
    ]
)
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = keras.optimizers.Adam(1e-3)
optimizer.build(model.trainable_variables)


def compute_loss(trainable, non_trainable, x, y):
    y_pred, non_trainable = model.stateless_call(trainable, non_trainable, x, training=True)
    return loss_fn(y, y_pred), non_trainable


@jax.jit
def train_step(trainable, non_trainable, optimizer_variables, x, y):
    grad_fn = jax.value_and_grad(compute_loss, has_aux=True)
    (loss, non_trainable), grads = grad_fn(trainable, non_trainable, x, y)
    trainable, optimizer_variables = optimizer.stateless_apply(
        optimizer_variables, grads, trainable
    )
    return loss, (trainable, non_trainable, optimizer_variables)


held = (model.trainable_variables, model.non_trainable_variables, optimizer.variables)
state = [[variable.value for variable in variables] for variables in held]

train_step(*state, jnp.ones((2, 8, 8, 1)), jnp.zeros(2, int))
