"""Names of people as values: order, initials, nicknames, titles and suffixes."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import ClassVar

from answersim.typed.comparison import Relation, different, equal, near, no_opinion
from answersim.typed.person_name import FULL_NAMES, SHORT_NAMES, SUFFIXES, TITLES, PersonName, person_name, plain

kind = "person name"
LONGEST_NAME = 60  # characters
_AROUND = " \t\r\n.,;:!?\"'"
# Given names that are rarely anything else. With the nicknames they show that a text may be a name of a person.
_GIVEN = frozenset(
    """aaron adam adele adolf agatha agnes ahmed alan alberto alejandro alice alison allen amanda amelia amy andrea
    andreas angela anita anna anne annie antonio arnold arthur audrey barack beatrice ben bernd betty bill billy bob
    bobby brad brian bruce bruno calvin carl carlos carol caroline carrie chris christian claire clara clark claude
    claudia colin craig dan danny david dean dennis diana diane dieter don doris dwight elena ellen elton elvis emily
    emma eric erich erik ernest ernst eva evelyn fidel florian franz fred friedrich fritz gary geoffrey george gerhard
    gert giovanni giuseppe glenn gordon graham greg guy hans harry harvey heather heinrich helen helmut henri henry
    herman hermann horst howard hugh hugo ian igor indira ingrid irene isabella ivan jack jan jane janet jason jean jeff
    jens jeremy jerry jessica jim jimmy joan joanne joe johann johannes johnny jorge jose josef joyce juan julia julian
    julie julius jürgen justin karen karl kate katharina kathy keith kelly kenneth kevin klaus kurt larry laura leo leon
    liam linda lisa lorenzo louis louise lucas lucy ludwig luis luke lyndon manfred marco marcus maria marie mario mark
    markus martha mary matthias maurice max mia michel michelle miguel mike mohamed mohammed monika nancy napoleon neil
    nelson nick nicolas nikita nina noah noel norman olaf olga oliver olivia oscar otto pablo paul paula pedro peter
    phil philippe pierre priscilla rachel ralph ray rene ricardo rita robin rodney roger roland roman ronald rosa ross
    roy rudolf russell ruth ryan sabine sally sandra sara sarah scott sean sergei shirley sigmund silvia simon sofia
    sophia sophie stefan stella stephanie steve susanne sylvia tim tina tobias tom tommy tony ulrich uwe vera vladimir
    volker walt wendy werner wilhelm wolfgang yoko yuri yves""".split()
)
_PLACES = frozenset("virginia victoria florence charlotte austin will art guy dean ray frank chuck rob dot max".split())
KNOWN_GIVEN = (_GIVEN | frozenset(SHORT_NAMES) | frozenset(FULL_NAMES)) - _PLACES
_FIRST = KNOWN_GIVEN | TITLES
_NO_NAME = frozenset(
    "north south east west new old great saint st mount lake river street city island university college school church "
    "company league team football club bank united national international first second world war".split()
)
_MOST_WORDS = 6
# Short forms of names of both sexes. They are not equal to the names of women: Val Kilmer is no Valerie.
_EITHER = frozenset(
    "alex chris sam val pat jackie jess jan sandy terry marty drew fran nat max lou charlie andy dan danny mike mick "
    "nick nicky rob bobby ed eddie frank fred freddie jerry gerry ben phil steve stevie ted teddy tony vic joe joey "
    "jo gabe gene ray ron ronnie mel leo harry bernie robin matt stu kit al alf art lee les ash will bill billy".split()
)
_OF_WOMEN = frozenset(
    "alexandra alexandria alexis alice alison andrea angela antonia ashley bernadette brenda caroline charlotte "
    "chrissie christina christine christa crystal danielle davina edith edna edwina eugenia eugenie eleonora frances "
    "francesca frederica gabrielle geraldine geraldina harriet jacqueline jane janet janice jean jessica joan joanna "
    "joanne josephine julie leonora lesley leslie louise louisa martha martina marta matilda maxine melanie melissa "
    "melinda michelle nancy natalie nathalie natasha nicole nicola nora pamela patricia patty patsy philippa rachel "
    "raquel roberta ronalda rosemary samantha sandra sally sandrine stephanie susan teresa theresa theodora tina "
    "valerie veronica victoria vicky wilhelmina wilma billie bobbie katherine catherine kathleen".split()
)
# Forms of one name in several languages: they may be the same person.
_FORMS = [
    frozenset(names.split())
    for names in (
        "john johann johannes hans juan giovanni jan ivan jean ian sean joao; charles karl carl carlos carlo karel; "
        "joseph josef giuseppe jose yusuf; james jacob jakob jacques jaime diego giacomo; george georg jorge georges "
        "giorgio juri yuri; william wilhelm guillermo willem guillaume liam; henry heinrich henri enrique hendrik "
        "enrico; peter pedro pierre pietro petr pyotr; paul pablo paolo pavel; louis ludwig luis luigi lewis; "
        "frederick friedrich fritz federico; francis franz francisco francesco francois; michael miguel michel "
        "mikhail michele; anthony antonio anton antoine; elizabeth elisabeth isabella isabel elisabetta; mary maria "
        "marie miriam molly polly; catherine katharina katherine caterina ekaterina; helen helena elena ellen; "
        "stephen stefan steven esteban etienne; nicholas nicolas nikolai nikolaus; alexander alejandro alexandre; "
        "andrew andreas andrei andre; matthew matthias mateo; lawrence lorenzo laurent; philip philippe felipe; "
        "rudolf rudolph rodolfo; mohamed mohammed muhammad; eric erik erich; sarah sara sally; anna anne ann annie "
        "nancy hannah; margaret margarita marguerite; eugene evgeny eugen; edward eduard ned eduardo; robert roberto "
        "rupert; christopher christoph cristobal; theodore fyodor teodoro; basil vasily; gregory grigori; dennis "
        "denis; simon simeon; susan susanne suzanne; julia julie giulia; martin martino; jerome hieronymus; walter "
        "walther; hugh hugo ugo"
    ).split(";")
]
_MEN, _WOMEN = frozenset(("mr", "sir")), frozenset(("mrs", "ms", "miss", "dame"))


@dataclass(frozen=True)
class Person:
    """The name of a person. See ``PersonName``. ``given`` is empty if there is a title and a last name only."""

    name: PersonName

    kind: ClassVar[str] = kind

    def __str__(self) -> str:
        parts = (self.name.title, *self.name.given, self.name.last, self.name.suffix)
        return " ".join(part for part in parts if part)


def read_person(text: str) -> Person | None:
    """Return the name if the text shows that it is one of a person: a title, an initial, an inversion, a given name.

    >>> str(read_person("Kennedy, John F.")), read_person("North Korea"), str(read_person("President Lincoln"))
    ('John F. Kennedy', None, 'President Lincoln')
    """
    words = text.split()
    if not 2 <= len(words) <= _MOST_WORDS or not text[0].isupper():
        return None
    if len(words) == 2 and plain(words[0]) in TITLES and words[1][0].isupper() and words[1].isalpha():
        return Person(PersonName(words[0], (), words[1], ""))
    marked = "," in text or "." in text or any(len(word) == 1 for word in words)
    if not marked and _bare(words[0]) not in _FIRST and words[-1].casefold() not in SUFFIXES:
        return None  # nothing shows that it is a name of a person
    if any(not word[0].isalpha() and word[0] not in "\"'(" for word in words):
        return None
    name = person_name(text)
    if name is None:
        return None
    given = _given(name)
    if any(plain(word) in _NO_NAME for word in (*name.given, name.last)) or not name.last[0].isalpha():
        return None
    if not name.last.split()[-1][0].isupper():
        return None
    shown = bool(name.title) or any(len(part) == 1 for part in given) or bool(given and given[0] in KNOWN_GIVEN)
    if "," in text and not shown and not name.suffix:
        return None  # Paris, France
    return Person(name) if shown or name.suffix else None


def _given(name: PersonName) -> list[str]:
    """Return the parts of all given names: "J.F." is j and f."""
    parts = (part for word in name.given for part in word.replace("-", ".").split("."))
    return [bare for part in parts if (bare := _bare(part))]


def _bare(word: str) -> str:
    """Return the word in lower case without diacritics and punctuation."""
    if not word.isascii():
        word = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    return "".join(c for c in word.casefold() if c.isalnum())


def compare_people(gold: Person, pred: Person) -> Relation | None:
    """Compare two names of people; None if their last names differ, because a person may have two of them.

    Equal: the last names are the same, and each given name is the same, an initial of the other or its nickname.
    Compatible: one name has fewer given names. Different: the same last name, and first names that are both known and
    unrelated; or another suffix, such as Jr. and Sr.
    """
    one, other = gold.name, pred.name
    if _bare(one.last) != _bare(other.last):
        return None
    suffixes = {_suffix(name.suffix) for name in (one, other) if name.suffix}
    if len(suffixes) > 1:
        return different(f"{other.suffix} is not {one.suffix}", kind)
    titles = [plain(name.title) for name in (one, other)]
    if any(title in _MEN for title in titles) and any(title in _WOMEN for title in titles):
        return no_opinion(f"{other.title} and {one.title} are two titles", kind)
    names = [_given(one), _given(other)]
    if not names[0] or not names[1]:
        return near(f"the last name is the same, and one has no given name: {pred}, {gold}", kind)
    related = [_related(a, b) for a, b in zip(*names, strict=False)]
    if any(_may_be(a, b) for a, b in zip(*names, strict=False)):
        return no_opinion(f"{pred} and {gold} may be one person, with a short name or in another language", kind)
    if all(related):
        if len(names[0]) == len(names[1]) and bool(one.suffix) == bool(other.suffix):
            return equal(f"{pred} is {gold}: same last name, and given names that fit", kind)
        return near(f"{pred} and {gold} agree, and one is less complete", kind)
    if not related[0] and any(_related(a, b) for a in names[0] for b in names[1]):
        return no_opinion(f"{pred} and {gold} share a given name in another place", kind)
    if not related[0] and all(part[0] in KNOWN_GIVEN for part in names) and names[0][0][0] != names[1][0][0]:
        return different(f"the given name {names[1][0].title()} is not {names[0][0].title()}", kind)
    return no_opinion(f"it is not sure that {pred} and {gold} are two people", kind)


def compare_as_people(gold: str, pred: str, shown: tuple[bool, bool]) -> Relation | None:
    """Compare two answers as names of people if one of them shows that it is one; None if that makes no sense.

    One shows it by itself, or because it is inverted and the other is not ("Adams, Abigail"). The other may be any
    name, or the last name alone. Without evidence on both sides, the names cannot be different. ``shown``: whether each
    answer shows by itself that it is a name of a person.

    >>> compare_as_people("Xaver Huber", "Huber, Xaver", (False, False)).relation
    'equal'
    """
    texts = [text.strip(_AROUND) for text in (gold, pred)]
    if not any(shown) and ("," in texts[0]) == ("," in texts[1]):
        return None
    names = [person_name(text) or _last_name(text, any(shown)) for text in texts]
    if names[0] is None or names[1] is None:
        return None
    result = compare_people(Person(names[0]), Person(names[1]))
    return result if result is not None and result.relation in ("equal", "near") else None


def _last_name(text: str, allowed: bool) -> PersonName | None:
    return PersonName("", (), text, "") if allowed and text.isalpha() else None


def _related(one: str, other: str) -> bool:
    """Return whether two given names may be the same: equal, an initial, a nickname, or nicknames of one name."""
    if one == other or (1 in (len(one), len(other)) and one[0] == other[0]):
        return True
    full = [{word, *(name.casefold() for name in FULL_NAMES.get(word, ()))} for word in (one, other)]
    return bool(full[0] & full[1])


def _may_be(one: str, other: str) -> bool:
    """Return whether two given names may or may not be one: Chris and Christine, John and Johann."""
    for short, full in ((one, other), (other, one)):
        if short in _EITHER and full in _OF_WOMEN and (short[0] == full[0] or _related(short, full)):
            return True
    return one != other and any(one in names and other in names for names in _FORMS)


def _suffix(suffix: str) -> str:
    return {"junior": "jr", "senior": "sr"}.get(plain(suffix), plain(suffix))
