"""Makes a static model of MiniLM, as model2vec's distill does: distil.py FOLDER [TOKENS]. With TOKENS, it has only as
many of the tokens, those that are the most frequent: that takes a part of the time."""

import json
import sys

import numpy as np
from minilm import END, FOLDER, START, MiniLM
from model2vec import StaticModel
from tokenizers import Tokenizer

DIMS, SIF, BATCH = 256, 1e-4, 256


def most_frequent(n):
    """The tokenizer with its first n tokens: the special ones, and then by frequency."""
    described = json.loads((FOLDER / "tokenizer.json").read_text())
    words = described["model"]["vocab"]
    described["model"]["vocab"] = {word: i for word, i in words.items() if i < n}
    return Tokenizer.from_str(json.dumps(described))


def main(folder, tokens=None):
    model = MiniLM()
    n = min(int(tokens or sys.maxsize), model.tokens.get_vocab_size())
    table = np.zeros((n, 384), np.float32)
    for at in range(0, n, BATCH):
        ids = np.arange(at, min(at + BATCH, n))
        table[ids] = model.means(np.stack([np.full(len(ids), START), ids, np.full(len(ids), END)], 1))
    table -= table.mean(0)
    _, vectors = np.linalg.eigh(table.T @ table / (n - 1))
    table = table @ vectors[:, ::-1][:, :DIMS]
    share = 1 / np.arange(2, n + 2)
    share /= share.sum()
    table *= (SIF / (SIF + share))[:, None].astype(np.float32)
    tokens = most_frequent(n)
    tokens.no_padding()
    tokens.no_truncation()
    StaticModel(table.astype(np.float16), tokens, {"model_type": "model2vec", "hidden_dim": DIMS}, normalize=True,
                ).save_pretrained(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
