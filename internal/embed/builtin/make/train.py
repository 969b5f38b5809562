"""Trains the vectors of the pieces: rows.npy.

    python train.py DATA
"""

import json
import sys
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from wordfreq import word_frequency

DATA = Path(sys.argv[1])
DIMS, PIECES, BATCH, NEAR = 256, 32, 4096, 512


def unit(v):
    return v / np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 1e-9)


def tokenizer(pieces):
    """The tokenizer of tokenizer.json. The piece 0 stands for what is unknown."""
    ids = {w: i for i, w in enumerate(pieces)}
    t = Tokenizer(models.WordPiece(ids, unk_token=pieces[0], max_input_chars_per_word=100000, continuing_subword_prefix=""))
    t.normalizer = normalizers.BertNormalizer(handle_chinese_chars=False, strip_accents=False, lowercase=True)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return t


def encode(tokens, texts, most=PIECES):
    out = np.zeros((len(texts), most), np.int64)
    for start in range(0, len(texts), 20000):
        for i, e in enumerate(tokens.encode_batch(texts[start : start + 20000], add_special_tokens=False)):
            ids = [x for x in e.ids if x][:most]
            out[start + i, : len(ids)] = ids
    return out


def fit(rows, ids, goals, epochs, rate=0.02, apart=20.0, keep=0.02):
    """Turns rows so that the sum of those of a text points to its goal."""
    scale = float(np.linalg.norm(rows, axis=1).mean())
    first, ids, goals = torch.tensor(rows), torch.tensor(ids), torch.tensor(goals)
    table = torch.nn.EmbeddingBag(*rows.shape, mode="sum", padding_idx=0, _weight=first.clone())
    optimizer = torch.optim.Adam(table.parameters(), betas=(0.9, 0.99))
    steps = epochs * (len(ids) // BATCH)
    for step in range(steps):
        if step % (steps // epochs) == 0:
            order = torch.randperm(len(ids))
        for group in optimizer.param_groups:
            group["lr"] = rate * scale * (1 - step / steps)
        start = step % (steps // epochs) * BATCH
        batch = order[start : start + BATCH]
        sums = torch.nn.functional.normalize(table(ids[batch]), dim=1, eps=1e-6)
        near, goal = sums.view(-1, NEAR, DIMS), goals[batch].view(-1, NEAR, DIMS)
        moved = torch.unique(ids[batch])
        loss = (1 - (sums * goals[batch]).sum(1)).mean()
        loss += apart * ((near @ near.transpose(1, 2) - goal @ goal.transpose(1, 2)) ** 2).mean()
        loss += keep * (((table.weight[moved] - first[moved]) / scale) ** 2).sum(1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            print(f"{step} of {steps}: {float(loss.detach()):.4f}", flush=True)
    rows = table.weight.detach().numpy().copy()
    rows[0] = 0
    return rows


def begin_other(rows, tokens, parallel, goals, languages, share):
    """Gives the rows that are not English the mean of their translations."""
    sums, counts = np.zeros_like(rows), np.zeros(len(rows))
    for ids, goal in zip(encode(tokens, [t for _, _, t in parallel], 8), goals):
        ids = ids[ids > 0]
        for i in ids:
            sums[i] += goal / len(ids) ** 2
            counts[i] += 1 / len(ids) ** 2
    rows = rows.copy()
    for i, of in enumerate(languages):
        if i and "en" not in of:
            mean = sums[i] / counts[i] if counts[i] else np.random.randn(DIMS) * 0.01
            rows[i] = mean * share[i]
    return rows


def main():
    np.random.seed(1)
    torch.manual_seed(1)
    vocabulary = json.load(open(DATA / "vocabulary.json"))
    pieces, languages = ["[UNK]", *vocabulary], [[], *vocabulary.values()]
    tokens, english = tokenizer(pieces), json.load(open(DATA / "english.json"))
    taught, words = (np.load(DATA / name).astype(np.float32) for name in ("taught.npy", "words.npy"))
    mean = taught.mean(0)
    alone = [w for w, of in vocabulary.items() if "en" in of]
    sample = taught[np.random.choice(len(taught), 60000, replace=False)] - mean
    turn = np.linalg.eigh(sample.T @ sample)[1][:, ::-1][:, :DIMS]
    english, taught = english + alone, np.concatenate([taught, words])  # a word is a text, too
    goals = unit((taught - mean) @ turn).astype(np.float32)
    share = np.array([max((word_frequency(w, l) for l in of), default=0) for w, of in zip(pieces, languages)])
    share = (1e-4 / (1e-4 + share)).astype(np.float32)
    rows = np.zeros((len(pieces), DIMS), np.float32)
    is_english = ["en" in of for of in languages]
    rows[is_english] = ((words - words.mean(0)) @ turn) * share[is_english, None]
    ids = encode(tokens, english)
    rows = fit(rows, ids, goals, epochs=4)
    known = {t: i for i, t in enumerate(english)}
    parallel = [line.rstrip("\n").split("\t") for line in open(DATA / "parallel.tsv")]
    own = rows[encode(tokens, [e for _, e, _ in parallel])].sum(1)
    others = np.stack([goals[known[e]] if e in known else v for (_, e, _), v in zip(parallel, unit(own))])
    clear = np.linalg.norm(others, axis=1) > 0.5
    parallel, others = [p for p, ok in zip(parallel, clear) if ok], others[clear].astype(np.float32)
    rows = begin_other(rows, tokens, parallel, others, languages, share)
    ids = np.concatenate([ids, encode(tokens, [t for _, _, t in parallel])])
    english_goals, first = (ids[: len(english)], goals), rows
    goals = np.concatenate([goals, others])
    rows = fit(rows, ids, goals, epochs=2)
    rows[is_english] = (first[is_english] + rows[is_english]) / 2
    some = len(english) + np.random.permutation(len(ids) - len(english))[:360000]
    ids, goals = (np.concatenate([e, e, e, all_[some]]) for e, all_ in zip(english_goals, (ids, goals)))
    np.save(DATA / "rows.npy", (rows + fit(rows, ids, goals, epochs=1, rate=0.01)) / 2)


if __name__ == "__main__":
    main()
