"""Ask a judge only where it is needed
===================================

Rules and words decide the pairs that they are sure of, and a language model
judges the rest. Here its verdicts are recorded, so nothing is sent. With a
server: ``answersim.metric("judge", base_url=..., model=..., record=...)``.
"""

import json
import tempfile
from pathlib import Path

import answersim

rows = [  # question, gold answer, answer, recorded verdict of the judge
    ("When did the war end?", "1945", "in 1945", "yes"),
    ("How long is the bridge?", "5 km", "5000 m", "yes"),
    ("Who wrote Hamlet?", "William Shakespeare", "the bard of Avon", "yes"),
    ("Who wrote Faust?", "Goethe", "Friedrich Schiller wrote it", "no"),
    ("What do bees make?", "honey", "a sweet winter food, honey", "yes"),
    ("Which metal is liquid?", "mercury", "quicksilver", "yes"),
    ("How many planets are there?", "eight", "9", "no"),
]
questions, golds, preds, verdicts = map(list, zip(*rows, strict=True))
names = ("question", "gold", "candidate", "verdict")
lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
recorded = Path(tempfile.mkdtemp()) / "verdicts.jsonl"
recorded.write_text("\n".join(lines) + "\n", encoding="utf-8")

judge = answersim.metric("judge", verdicts=recorded)
cascade = answersim.metric("cascade", stages=["typed", "recall", judge])
scores = answersim.score(golds, preds, cascade, question=questions)
for gold, pred, score in zip(golds, preds, scores.values, strict=True):
    print(f"{score:.2f}  {gold} / {pred}")
print(*scores.usage.values())
print(scores.signature)
