"""Keras 3 on JAX: models of its three styles, with the step of `fit` or of a loop from scratch."""

from __future__ import annotations

import os
from typing import Any

os.environ.setdefault("KERAS_BACKEND", "jax")

import jax
import jax.numpy as jnp
import keras
from keras import layers

from . import Call, zeros


def built(build: Any) -> Any:
    """The Keras model of `build()`, with shapes as variables. Compiles nothing."""
    keras.utils.clear_session(free_memory=False)
    held: list[Any] = []
    jax.eval_shape(lambda: held.append(build()))
    return held[0]


def values(variables: Any) -> Any:
    return zeros([jax.ShapeDtypeStruct(v.shape, v.dtype) for v in variables])


def from_scratch(model: Any, loss_fn: Any, optimizer: Any, x: Any, y: Any) -> Call:
    """The step of the guide 'Writing a training loop from scratch in JAX'."""
    built(lambda: optimizer.build(model.trainable_variables))

    def compute_loss_and_updates(
        trainable_variables: Any, non_trainable_variables: Any, x: Any, y: Any
    ) -> Any:
        y_pred, non_trainable_variables = model.stateless_call(
            trainable_variables, non_trainable_variables, x, training=True
        )
        loss_value = loss_fn(y, y_pred)
        return loss_value, non_trainable_variables

    grad_fn = jax.value_and_grad(compute_loss_and_updates, has_aux=True)

    @jax.jit
    def train_step(state: Any, data: Any) -> Any:
        trainable_variables, non_trainable_variables, optimizer_variables = state
        x, y = data
        (loss_value, non_trainable_variables), grads = grad_fn(
            trainable_variables, non_trainable_variables, x, y
        )
        trainable_variables, optimizer_variables = optimizer.stateless_apply(
            optimizer_variables, grads, trainable_variables
        )
        return loss_value, (trainable_variables, non_trainable_variables, optimizer_variables)

    variables = (model.trainable_variables, model.non_trainable_variables, optimizer.variables)
    state = tuple(values(held) for held in variables)
    return train_step, (state, (x, y))


def keras_sequential() -> Call:
    model = built(lambda: keras.Sequential([
        keras.Input(shape=(8, 8, 1)),
        layers.Conv2D(4, kernel_size=(3, 3), activation="relu"),
        layers.MaxPooling2D(pool_size=(2, 2)),
        layers.Conv2D(8, kernel_size=(3, 3), activation="relu"),
        layers.Flatten(),
        layers.Dense(10, activation="softmax"),
    ]))  # fmt: skip
    loss_fn = keras.losses.CategoricalCrossentropy()
    images, labels = jnp.ones((2, 8, 8, 1)), jax.nn.one_hot(jnp.zeros(2, int), 10)
    return from_scratch(model, loss_fn, keras.optimizers.Adam(1e-3), images, labels)


def keras_functional() -> Call:
    def build() -> Any:
        inputs = keras.Input(shape=(16,), name="digits")
        x1 = layers.Dense(8, activation="relu", name="dense_1")(inputs)
        x2 = layers.Dense(8, activation="relu", name="dense_2")(x1)
        outputs = layers.Dense(10, name="predictions")(x2)
        return keras.Model(inputs=inputs, outputs=outputs)

    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.SGD(learning_rate=1e-3, momentum=0.9)
    return from_scratch(built(build), loss_fn, optimizer, jnp.ones((4, 16)), jnp.zeros((4, 1), int))


class TransformerBlock(layers.Layer):
    def __init__(self, embed_dim: int, num_heads: int, ff_dim: int) -> None:
        super().__init__()
        self.att = layers.MultiHeadAttention(num_heads=num_heads, key_dim=embed_dim)
        self.ffn = keras.Sequential(
            [layers.Dense(ff_dim, activation="relu"), layers.Dense(embed_dim)]
        )
        self.layernorm1 = layers.LayerNormalization(epsilon=1e-6)
        self.layernorm2 = layers.LayerNormalization(epsilon=1e-6)

    def call(self, inputs: Any) -> Any:
        out1 = self.layernorm1(inputs + self.att(inputs, inputs))
        return self.layernorm2(out1 + self.ffn(out1))


class Classifier(keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = layers.Embedding(16, 8)
        self.block1 = TransformerBlock(8, 2, 16)
        self.block2 = TransformerBlock(8, 2, 16)
        self.pool = layers.GlobalAveragePooling1D()
        self.classifier = layers.Dense(2)

    def call(self, tokens: Any, training: bool = False) -> Any:
        x = self.block2(self.block1(self.embedding(tokens)))
        return self.classifier(self.pool(x))


def keras_subclassed() -> Call:
    tokens = jnp.zeros((2, 6), jnp.int32)

    def build() -> Any:
        model = Classifier()
        model(tokens)
        return model

    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.Adam(1e-3)
    return from_scratch(built(build), loss_fn, optimizer, tokens, jnp.zeros((2, 1), int))


def keras_fit() -> Call:
    x, y = jnp.ones((4, 8)), jnp.zeros((4, 1), jnp.int32)

    def build() -> Any:
        model: Any = keras.Sequential([
            keras.Input(shape=(8,)),
            layers.Dense(16, name="hidden"),
            layers.BatchNormalization(name="norm"),
            layers.Activation("relu"),
            layers.Dense(4, name="logits"),
        ])  # fmt: skip
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(optimizer="adam", loss=loss, metrics=["accuracy"])
        model._symbolic_build(data_batch=(x, y))  # what `fit` does first
        return model

    model = built(build)
    held = (
        *(model.trainable_variables, model.non_trainable_variables),
        *(model.optimizer.variables, model.metrics_variables),
    )
    return jax.jit(model.train_step), (tuple(map(values, held)), (x, y))


def keras_mobilenet() -> Call:
    def build() -> Any:
        mobilenet: Any = keras.applications.MobileNetV2
        return mobilenet(input_shape=(32, 32, 3), alpha=0.35, weights=None, classes=4)

    model = built(build)

    def predict(trainable_variables: Any, non_trainable_variables: Any, images: Any) -> Any:
        outputs, _ = model.stateless_call(trainable_variables, non_trainable_variables, images)
        return outputs

    state = values(model.trainable_variables), values(model.non_trainable_variables)
    return jax.jit(predict), (*state, jnp.ones((1, 32, 32, 3)))


PROGRAMS = (*(keras_sequential, keras_functional, keras_subclassed, keras_fit, keras_mobilenet),)
