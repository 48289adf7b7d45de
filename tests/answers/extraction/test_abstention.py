"""Which texts attempt an answer: texts that the classifier was not trained on, and their neighbors."""

from pathlib import Path

import pytest

from answersim.answers.extraction import attempted
from answersim.answers.extraction.abstention import features

ABSTAINS = """
I don't know
I don't know.
I do not know the answer to that question.
I don’t know
Sorry, I don't know.
I'm sorry, but I don't know the answer.
I'm not sure.
I am not sure
Not sure
I am unsure.
No idea
I have no idea.
I'm not certain about that.
Unknown
unknown.
The answer is unknown.
It is unknown.
N/A
n/a
IDK
dunno
I cannot answer this question.
I can't answer that.
I can’t help with that.
I'm unable to answer this question.
I am not able to provide that information.
I could not find the answer.
I do not have enough information to answer.
I don't have access to real-time data.
I don't have any information about that.
There is not enough information to answer the question.
There is no information about this in the text.
The context does not mention the population of the city.
The provided text doesn't contain this information.
The passage does not say.
As an AI language model, I cannot browse the internet.
As a large language model, I don't have personal opinions.
It is not possible to determine the answer.
It is unclear.
Cannot be determined
This cannot be determined from the given context.
Not enough information
Insufficient information
Unanswerable
unanswerable
CANNOTANSWER
noanswer
No answer
Not mentioned
Not specified in the text.
The answer is not given.
I was unable to find that. Could you clarify the question?
I'm not sure, but I can help you look it up.
I don't know, but you could check Wikipedia.
Unfortunately, I do not know.
I'm afraid I don't know.
I honestly don't know.
I really have no idea.
**I don't know**
Answer: I don't know
<think>Is it Oslo? I don't know.</think>I don't know.
<think>It is Rome
"I don't know"
\\boxed{\\text{unknown}}
The year of his birth is not known.
I won't answer that.
I'm not aware of any such person.
I am not familiar with that, I don't know.
I pass
I give up.
null
...
?
-
""".strip().split("\n")
ABSTAINS.extend(("", "   ", "\n"))
ATTEMPTS = """
No
No.
Yes
None
None of them
None of the above
Nobody
Nothing
Zero
Unknown Pleasures
The Unknown Soldier
Unknown Pleasures by Joy Division
I Don't Know How to Love Him
I Don't Want to Miss a Thing
Don't Know Why
Don't know why by Norah Jones
Pass the Dutchie
Brenner Pass
The Pass
Idaho
N
NA
Not Guilty
Not Without My Daughter
No Country for Old Men
No Doubt
I, Robot
Rome
It is not Oslo, it is Rome.
He is not known to have married; his mother was Ann.
I'm not sure, but I think it is Rome.
I am not certain, but it is probably Rome.
I don't know for sure, but my guess is 1984.
I don't know exactly, but it was probably in 1984.
Not sure, maybe Rome?
I believe it is Rome.
Possibly Rome
Rome, but I am not sure.
Rome. I am not sure about the year, though.
It could be Rome.
The Unknown
Sorry Sorry
Sorry by Justin Bieber
The answer is Rome.
He said "I don't know" to the court.
72
Null Island
Clueless
Unsure Footing
0
A
b
?Question Mark
Uncertain, Texas
Ignorance
The Passage
Mr. Know-It-All
N/A is a band; the song is "Rome"
France does not have a king; its president is Macron.
The band did not know it, but they had won 3 awards.
There is no president of the United Kingdom; the king is Charles III.
Data protection
Source code
Text messages
Question mark
Query language
Data loss
Information technology
the passage of time
Context-free grammar
She couldn't say no
Not available before 1990
""".strip().split("\n")
ABSTAINS_DE = """
Ich weiß es nicht.
Ich weiß nicht
Das weiß ich leider nicht.
Keine Ahnung
Keine Antwort
Unbekannt
Ich bin mir nicht sicher.
Das ist mir nicht bekannt.
Leider kann ich diese Frage nicht beantworten.
Ich kann die Frage nicht beantworten.
Ich habe keine Informationen dazu.
Der Text enthält keine Angaben dazu.
Der Kontext nennt das nicht.
Als KI-Modell kann ich das nicht sagen.
Es ist nicht bekannt.
Tut mir leid, das weiß ich nicht.
Die Frage ist nicht beantwortbar
k. A.
I don't know
""".strip().split("\n")
ATTEMPTS_DE = """
Nein
Keiner
Keine
Rom
Nichts
Das Lied heißt Keine Macht den Drogen
Ich bin mir nicht sicher, aber ich glaube, es ist Rom.
Vermutlich Rom
Die Unbekannte
Der unbekannte Soldat
Niemand
Nicht schuldig
Er war nicht verheiratet.
Nirgendwo in Afrika
""".strip().split("\n")


OTHERS = """
Je n'ai malheureusement pas trouvé la réponse.
Ça, je n'en sais vraiment rien.
Le document fourni n'en dit rien.
Lo desconozco por completo.
El texto no aporta ese dato.
No dispongo de información al respecto, lo siento.
Non saprei proprio.
Nel testo non se ne parla.
Mi spiace, non conosco la risposta.
Isso eu não sei dizer.
O texto não traz essa informação.
Daar heb ik geen antwoord op.
Dat staat niet in de tekst.
К сожалению, ответа на этот вопрос у меня нет.
Об этом в тексте ничего не говорится.
对不起，我找不到这个问题的答案。
文中并没有给出这一信息。
申し訳ございませんが、その情報はありません。
本文からは分かりません。
No encontré la población de Tilburg.
Ignoro quién ganó la carrera en 1954.
Non ho trovato la popolazione di Tilburg.
Wie de race in 1954 won, is mij niet bekend.
Об этом умалчивает автор.
Мне неизвестно, кто выиграл гонку в 1954 году.
""".strip().split("\n")
OTHER_ATTEMPTS = """
Je ne suis pas certain, mais c'est sans doute Rome.
Personne
Le Soldat inconnu
No estoy muy seguro, pero diría que Roma.
Nadie
Il milite ignoto
Forse Roma
Acho que é Roma, mas não tenho certeza.
Ik ben er niet helemaal zeker van, maar ik denk Rome.
Точно не знаю, но скорее всего Рим.
不是罗马，而是米兰
ローマではなくミラノです
""".strip().split("\n")
HELD_OUT = Path(__file__).parent / "held_out.tsv"
LEAST, MOST = 0.95, 0.04  # the share of abstentions that is recognized, and of attempts that is not


@pytest.mark.parametrize("texts", [ABSTAINS, ABSTAINS_DE, OTHERS], ids=["en", "de", "others"])
def test_abstentions_are_recognized(texts):
    missed = [text for text in texts if attempted(text)]
    assert len(missed) <= (1 - LEAST) * len(texts), missed


@pytest.mark.parametrize("texts", [ATTEMPTS, ATTEMPTS_DE, OTHER_ATTEMPTS], ids=["en", "de", "others"])
def test_attempts_are_no_abstentions(texts):
    missed = [text for text in texts if not attempted(text)]
    assert len(missed) <= MOST * len(texts), missed


def test_phrases_of_another_writer_are_recognized_in_each_language():
    """None of them is among the phrases of the training: language, 1 for an abstention, text."""
    rows = [line.split("\t") for line in HELD_OUT.read_text(encoding="utf-8").splitlines()]
    for abstains, least, n in (("1", 0.95, 199), ("0", 0.98, 268)):
        texts = [text for _, kind, text in rows if kind == abstains]
        missed = [text for text in texts if attempted(text) == (abstains == "1")]
        assert len(texts) == n
        assert len(missed) <= (1 - least) * n, missed
    for lang in sorted({lang for lang, *_ in rows}):
        texts = [text for code, abstains, text in rows if (code, abstains) == (lang, "1")]
        assert sum(map(attempted, texts)) <= 2, lang


def test_what_is_no_text_is_an_error():
    with pytest.raises(TypeError, match="text"):
        attempted(None)


def test_the_features_are_of_words_classes_and_structure():
    names = list(features("I don't know, sorry."))
    assert {"i don't know", "classes self not know sorry", "both know not", "both not sorry"} <= set(names)
    assert [name for name in names if name.startswith("words")] == ["words 3"]
