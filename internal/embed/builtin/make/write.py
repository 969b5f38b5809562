"""Writes the trained rows as a folder of a static model, with one byte for each dimension.

    python write.py DATA FOLDER
"""

import json
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from train import tokenizer


def write(rows, pieces, folder):
    folder.mkdir(parents=True, exist_ok=True)
    scale = np.maximum(np.abs(rows).max(1), 1e-9) / 127
    table = {"embeddings": np.round(rows / scale[:, None]).astype(np.int8), "weights": scale.astype(np.float32)}
    save_file(table, folder / "model.safetensors")
    (folder / "tokenizer.json").write_text(tokenizer(pieces).to_str(), encoding="utf-8")


if __name__ == "__main__":
    data, folder = Path(sys.argv[1]), Path(sys.argv[2])
    pieces = ["[UNK]", *json.load(open(data / "vocabulary.json"))]
    write(np.load(data / "rows.npy"), pieces, folder)
