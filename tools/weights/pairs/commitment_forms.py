"""Texts that give an answer or only name it, by split and language. No two splits have a template in common.

"{0}" is the answer that a text gives, or the only one that it names. "{1}" is another answer of the same type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Forms: TypeAlias = "Mapping[str, Mapping[str, tuple[str, ...]]]"  # by split and language

# The text gives {0}.
ASSERTED: Forms = {
    "train": {
        "en": (
            "{0}",
            "{0}.",
            "The answer is {0}.",
            "It is {0}.",
            "It was {0}.",
            "That is {0}.",
            "My answer: {0}",
            "I would say {0}.",
            "So it must be {0}.",
            "Therefore, the result is {0}.",
            "The correct choice is {0}.",
            "Everything points to {0}.",
            "Answer: {0}",
        ),
        "de": ("{0}", "Die Antwort ist {0}.", "Es ist {0}.", "Ich sage {0}.", "Es war {0}.", "Antwort: {0}"),
    },
    "dev": {
        "en": ("{0}!", "I go with {0}.", "In short, {0}.", "We conclude that it is {0}.", "Response: {0}"),
        "de": ("Kurz: {0}.", "Richtig ist {0}.", "Das war {0}."),
    },
    "test": {
        "en": ("{0} it is.", "My final choice is {0}.", "The solution would be {0}.", "You are looking for {0}."),
        "de": ("Gesucht ist {0}.", "Das ist {0}.", "Lösung: {0}"),
    },
}
# The text gives {0} and mentions {1}: it changes its mind, decides, compares or computes.
COMMITTED: Forms = {
    "train": {
        "en": (
            "{1}. No, sorry, {0}.",
            "{1}... actually, {0}.",
            "At first I thought of {1}, but it is {0}.",
            "My first guess was {1}. On reflection, it is {0}.",
            "{0}. (I first wrote {1}, which was a slip.)",
            "Torn between {1} and {0}, I choose {0}.",
            "It is {0} or {1}; I settle on {0}.",
            "Maybe {1}? Checking again, the evidence is for {0}. Hence {0}.",
            "It might be {1}. After a second look, the answer is {0}.",
            "Is it {1}? No. It is {0}.",
            "{0}, not {1}.",
            "Not {1}, {0}.",
            "{0} and certainly not {1}.",
            "Although {1} comes to mind, {0} is correct.",
            "Some sources give {1}, but that is an error; it is {0}.",
            "{0}. Many confuse this with {1}.",
            "If the question were about another one, it would be {1}. Here it is {0}.",
            "Had this been asked earlier, I would have answered {1}; the answer now is {0}.",
            "First we get {1}. From this follows {0}, which is the result.",
            "The intermediate value is {1}, and the final one is {0}.",
            "Step 1 gives {1}. Step 2 gives {0}.",
            "{0} came after {1}.",
            "Only {0} fits, since {1} does not meet the conditions.",
            "The answer is {0}. Note that {1} was the runner-up.",
            "A friend told me {1}. I checked it, and it is {0}.",
            "You may have heard {1}, yet the record shows {0}.",
            "{1} was considered and rejected in favor of {0}.",
            "Draft: {1}. Correction: {0}.",
            "I take back {1} and answer {0}.",
            "Let me correct myself: {0} instead of {1}.",
            "<think>It could be {1}.</think> {0}",
            "<think>{1} or {0}? The latter.</think><answer>{0}</answer>",
            "Perhaps {1}. \\boxed{{{0}}}",
            "{1} was my guess, but the final answer is **{0}**.",
            "~~{1}~~ {0}",
            "{0} <!-- not {1} -->",
            "Final answer: {0}. Earlier I considered {1}.",
            "The answer is {0}, I am sure, whatever those who vote for {1} claim.",
            "Where {1} failed, {0} succeeded, so {0}.",
            "It is {0}; {1} is something else entirely.",
        ),
        "de": (
            "{1}. Nein, doch {0}.",
            "Zuerst dachte ich an {1}, aber es ist {0}.",
            "{0}, nicht {1}.",
            "Nicht {1}, sondern {0}.",
            "Manche sagen {1}, richtig ist aber {0}.",
            "Ich schwanke zwischen {1} und {0} und entscheide mich für {0}.",
            "Zwischenergebnis {1}, Endergebnis {0}.",
            "Korrektur: {0} statt {1}.",
            "<think>Vielleicht {1}</think>{0}",
        ),
    },
    "dev": {
        "en": (
            "{1}, wait, that is not right. It is {0}.",
            "Wavering between {0} and {1}, I would go for {0}.",
            "Possibly {1}. My final answer, though, is {0}.",
            "<think>Let me see. {1} seems likely, but the dates speak for {0}.</think>\n{0}",
            "{0}; those who say {1} are mistaken.",
            "One is tempted to reply {1}. The truth is {0}.",
            "We start with {1} and end up with {0}.",
            "In a different setting {1} would be right, but the one asked for is {0}.",
            "I said {1} before. Please ignore that: {0}.",
            "The result is $\\boxed{{{0}}}$, as {1} has to be ruled out.",
            "In contrast to {1}, which many expect, it is {0}.",
        ),
        "de": (
            "{1}? Falsch gedacht, es ist {0}.",
            "Anders als oft behauptet ist es nicht {1}. Es ist {0}.",
            "Ich nehme {1} zurück: {0}.",
        ),
    },
    "test": {
        "en": (
            "{1}. Hmm, let me rethink. {0}.",
            "Undecided between {1} and {0} for a while, I now pick {0}.",
            "It could well be {1}. So, to answer finally: {0}",
            "<think>Maybe {1}</think>{0}",
            "{0}. Do not mistake it for {1}.",
            "Rumor has it that it is {1}; in reality it is {0}.",
            "After {1} as a first value we obtain {0} at the end.",
            "For the sequel one would answer {1}. For this one, {0}.",
            "Scrap {1}. {0}.",
            "<answer>{0}</answer> (rejected: {1})",
            "Compared with {1}, {0} is the better match and my reply.",
        ),
        "de": (
            "{1}, Moment, {0}.",
            "Es war nicht {1}, wie viele meinen; es war {0}.",
            "Erst {1}, am Ende {0}.",
        ),
    },
}
# The text names {0} and {1} and decides for none.
OPEN: Forms = {
    "train": {
        "en": (
            "{0} or {1}.",
            "It is {0} or else {1}.",
            "Either it was {0} or it was {1}.",
            "Could be {0}, could be {1}.",
            "I hesitate between {0} and {1}.",
            "{0} and {1} are both plausible.",
            "I cannot decide whether it is {0} or {1}.",
            "Two options remain: {0} and {1}.",
            "It depends: {0} in one reading, {1} in another.",
            "{0}? {1}? Hard to tell.",
            "The choice is between {0} and {1}.",
            "Sources differ: some say {0}, others say {1}.",
        ),
        "de": ("{0} oder {1}.", "Es ist {0} oder vielleicht {1}.", "Ich schwanke zwischen {0} und {1}."),
    },
    "dev": {
        "en": (
            "One of {0} and {1}.",
            "It may be {0}, it may also be {1}.",
            "I waver between {0} and {1}.",
            "Whether {0} or {1} is meant remains unclear.",
        ),
        "de": ("Möglich sind {0} und {1}.", "Mal {0}, mal {1}."),
    },
    "test": {
        "en": (
            "Probably {0}, unless it is {1}.",
            "Candidates are {0} and {1}.",
            "I am torn: {0}, {1}.",
            "Hesitating between {0} and {1}.",
        ),
        "de": ("Entweder {0} oder {1}.", "{0}, möglicherweise auch {1}."),
    },
}
# The text names {0} but does not give it: denials, conditions, beliefs of others.
DENIED: Forms = {
    "train": {
        "en": (
            "It is not {0}.",
            "It was not {0}.",
            "It isn't {0}.",
            "Not {0}, that is for sure.",
            "{0} is wrong.",
            "{0} is incorrect.",
            "{0}? No way.",
            "{0} can be excluded.",
            "Anything but {0}.",
            "Everyone except {0}.",
            "It cannot have been {0}.",
            "It could never be {0}.",
            "{0} had nothing to do with it.",
            "There is no reason to think of {0}.",
            "The claim that it is {0} is false.",
            "It is a myth that it was {0}.",
            "Most people say {0}, which is wrong.",
            "They used to believe it was {0}, but this was disproved.",
            "If the year were another one, it would be {0}.",
            "Under other circumstances I would answer {0}.",
            "Unless the sources are wrong, it is not {0}.",
            "{0} would be the answer to a different question.",
            "A wrong answer is {0}.",
            "I doubt that it is {0}.",
            "Neither {0} nor anything like it.",
            "Hardly {0}.",
            "{0} only came close.",
            "It is untrue that it was {0}.",
            "I was told {0}, and this is a lie.",
            "Without {0}.",
        ),
        "de": (
            "Es ist nicht {0}.",
            "Auf keinen Fall {0}.",
            "{0} ist falsch.",
            "Dass es {0} war, ist ein Irrtum.",
            "Alles außer {0}.",
            "Wenn anders gefragt wäre, wäre es {0}.",
            "Viele glauben, es sei {0}, aber das stimmt nicht.",
        ),
    },
    "dev": {
        "en": (
            "By no means {0}.",
            "{0} does not qualify.",
            "People wrongly assume that it was {0}.",
            "Only if one ignored the facts would it be {0}.",
            "{0} was ruled out long ago.",
            "That it should be {0} is nonsense.",
            "{0} does not come into question.",
            "Surely no one can mean {0}.",
        ),
        "de": ("{0} war es nicht.", "Fälschlich wird oft {0} genannt.", "Keinesfalls {0}."),
    },
    "test": {
        "en": (
            "In no case {0}.",
            "{0} must be dismissed.",
            "Popular opinion favors {0}, and popular opinion errs.",
            "In a parallel world it would be {0}.",
            "It wasn't {0}.",
            "{0} is out of the running.",
            "Whoever answers {0} is mistaken.",
        ),
        "de": ("Niemals {0}.", "{0} trifft nicht zu.", "Man hört oft {0}, zu Unrecht."),
    },
}
# The text refuses and names {0}.
REFUSED: Forms = {
    "train": {
        "en": (
            "I do not know if it is {0}.",
            "I cannot say whether it was {0}.",
            "I have no reliable information about {0}.",
            "I am unable to verify that it is {0}.",
            "Sorry, I can't tell whether {0} is right.",
            "There is not enough information to decide if it is {0}.",
            "You would have to look up {0} yourself.",
            "I would rather not say anything about {0}.",
        ),
        "de": ("Ich weiß nicht, ob es {0} ist.", "Zu {0} kann ich nichts sagen."),
    },
    "dev": {
        "en": ("I am not in a position to judge if {0} is meant.", "It is unknown to me whether it was {0}."),
        "de": ("Ob es {0} war, ist mir nicht bekannt.",),
    },
    "test": {
        "en": ("No idea if it is {0}.", "My data do not show whether {0} holds."),
        "de": ("Keine Ahnung, ob {0} stimmt.",),
    },
}
# The text sounds unsure and gives {0}.
UNSURE: Forms = {
    "train": {
        "en": (
            "I am not completely sure, but it is {0}.",
            "I cannot verify it, but as far as I know it is {0}.",
            "Please double-check: {0}.",
            "I do not have the latest data. To my knowledge, it is {0}.",
            "No guarantee, but {0}.",
            "If I remember correctly, it is {0}.",
        ),
        "de": ("Ich bin nicht ganz sicher, aber es ist {0}.", "Ohne Gewähr: {0}."),
    },
    "dev": {
        "en": ("I may be wrong, but my answer is {0}.", "Unless I am mistaken, {0}."),
        "de": ("Soweit ich weiß, {0}.",),
    },
    "test": {"en": ("Not certain, yet I believe {0}.", "Off the top of my head, {0}."), "de": ("Ich glaube, {0}.",)},
}
# Another thing than {0}, to which it has a relation.
RELATED: Forms = {
    "train": {
        "en": (
            "the brother of {0}",
            "the father of {0}",
            "{0}'s wife",
            "{0}'s predecessor",
            "a student of {0}",
            "the manager of {0}",
            "the opposite of {0}",
            "a part of {0}",
            "the north of {0}",
            "the capital of {0}",
            "a fan of {0}",
            "the author of a book about {0}",
            "the year after {0}",
            "the name of the dog of {0}",
            "a town near {0}",
            "half of {0}",
            "someone who met {0}",
            "the first letter of {0}",
        ),
        "de": ("der Bruder von {0}", "die Nachfolgerin von {0}", "ein Teil von {0}", "ein Ort bei {0}"),
    },
    "dev": {
        "en": ("the uncle of {0}", "{0}'s successor", "a suburb of {0}", "the day before {0}", "a critic of {0}"),
        "de": ("die Tochter von {0}", "ein Nachbar von {0}"),
    },
    "test": {
        "en": ("the grandmother of {0}", "{0}'s assistant", "the south of {0}", "an imitation of {0}", "twice {0}"),
        "de": ("der Onkel von {0}", "ein Gegner von {0}"),
    },
}
# Before and after many answers: the text gives none of them.
LISTS: Forms = {
    "train": {
        "en": (
            "{0}",
            "The possibilities are {0}.",
            "Any of the following: {0}",
            "Here are some answers: {0}.",
            "It may be {0}.",
        ),
        "de": ("{0}", "Zur Auswahl stehen {0}.", "Eine dieser Antworten: {0}"),
    },
    "dev": {"en": ("Take your pick: {0}.", "Options: {0}"), "de": ("Denkbar wären {0}.",)},
    "test": {"en": ("Some suggestions: {0}.", "Among others: {0}"), "de": ("Vorschläge: {0}.",)},
}
JOINED: Forms = {
    "train": {"en": (", ", "; ", " or ", "\n- ", ". "), "de": (", ", " oder ")},
    "dev": {"en": (" / ", "\n"), "de": ("; ",)},
    "test": {"en": (" | ", "\n* "), "de": (" / ",)},
}
# Sentences that say nothing about the answer, so that texts have 3 to 60 words.
FILLERS: Forms = {
    "train": {
        "en": (
            "Let me think about this.",
            "This is a question that comes up often, and there are many sources on it.",
            "Thank you for the question!",
            "I looked at what is known about it.",
            "The details are described in several books and articles on the subject.",
            "Please let me know if you need more information.",
            "There is some debate about minor points, which do not matter here.",
            "To answer this, we need to consider the context of the question carefully.",
            "I hope this helps.",
        ),
        "de": ("Gute Frage.", "Dazu gibt es viele Quellen.", "Ich hoffe, das hilft weiter.", "Denken wir kurz nach."),
    },
    "dev": {
        "en": (
            "Good question.",
            "I went through the available evidence step by step.",
            "More about this can be found in an encyclopedia.",
            "It is an interesting topic with a long history.",
        ),
        "de": ("Das ist gut belegt.", "Mehr dazu steht im Lexikon."),
    },
    "test": {
        "en": (
            "Happy to help with that.",
            "Several reference works treat this matter at length.",
            "Feel free to ask further questions.",
        ),
        "de": ("Gern geschehen.", "Das lässt sich leicht nachschlagen."),
    },
}
# Before an answer that shows how it was found; "{0}" is the answer.
TAGGED: Forms = {
    "train": {
        "en": ("<answer>{0}</answer>", "\\boxed{{{0}}}", "**{0}**", "Final answer: {0}", "#### {0}", "`{0}`"),
        "de": ("**{0}**", "Endgültige Antwort: {0}"),
    },
    "dev": {"en": ("<final>{0}</final>", "$\\boxed{{{0}}}$", "ANSWER: {0}"), "de": ("Ergebnis: **{0}**",)},
    "test": {
        "en": ("<result>{0}</result>", "\\boxed{{\\text{{{0}}}}}", "Final response: {0}"),
        "de": ("Schluss: {0}",),
    },
}
# Cities with their country and another city of it; the questions ask for one of them.
PLACES: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "train": (
        ("Paris", "France", "Lyon"),
        ("Berlin", "Germany", "Hamburg"),
        ("Madrid", "Spain", "Seville"),
        ("Rome", "Italy", "Turin"),
        ("Tokyo", "Japan", "Osaka"),
        ("Sydney", "Australia", "Perth"),
        ("Toronto", "Canada", "Calgary"),
        ("Mumbai", "India", "Delhi"),
        ("Chicago", "Illinois", "Peoria"),
        ("Dallas", "Texas", "Austin"),
        ("Cairo", "Egypt", "Luxor"),
        ("Lima", "Peru", "Cusco"),
        ("Oslo", "Norway", "Bergen"),
        ("Vienna", "Austria", "Graz"),
        ("Manchester", "England", "Leeds"),
        ("Glasgow", "Scotland", "Dundee"),
        ("Boston", "Massachusetts", "Salem"),
        ("Miami", "Florida", "Tampa"),
        ("Beijing", "China", "Wuhan"),
        ("Nairobi", "Kenya", "Mombasa"),
    ),
    "dev": (
        ("Lisbon", "Portugal", "Porto"),
        ("Athens", "Greece", "Patras"),
        ("Denver", "Colorado", "Boulder"),
        ("Seattle", "Washington", "Spokane"),
        ("Warsaw", "Poland", "Kraków"),
        ("Ankara", "Turkey", "Izmir"),
    ),
    "test": (
        ("Prague", "Czech Republic", "Brno"),
        ("Atlanta", "Georgia", "Savannah"),
        ("Dublin", "Ireland", "Cork"),
        ("Seoul", "South Korea", "Busan"),
        ("Portland", "Oregon", "Salem"),
        ("Stockholm", "Sweden", "Malmö"),
    ),
}
CITY_QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "train": ("In which city did it take place?", "which city was he born in", "What city is the company based in?"),
    "dev": ("in what city was the show filmed", "Which city hosted the event?"),
    "test": ("what city is the museum in", "In which town was the treaty signed?"),
}
COUNTRY_QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "train": ("In which country or state did it take place?", "which country or state was he born in"),
    "dev": ("what country or state was the show filmed in",),
    "test": ("Which state or country is the museum in?",),
}
