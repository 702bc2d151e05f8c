import jax.numpy as jnp


def denoise(signal, gain):
    starts = jnp.arange(0, signal.shape[0] - 64 + 1, 32)
    frames = signal[starts[:, None] + jnp.arange(64)] * jnp.hanning(64)
    spectrum = jnp.fft.rfft(frames)
    power = jnp.abs(spectrum) ** 2
    noise = jnp.median(power, axis=0)
    mask = jnp.clip((power - gain * noise) / (power + 1e-8), 0, 1)
    cleaned = jnp.fft.irfft(spectrum * mask)
    out = jnp.zeros_like(signal)
    return out.at[starts[:, None] + jnp.arange(64)].add(cleaned)


denoise(jnp.ones(512), 1.5)
