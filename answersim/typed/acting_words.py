"""Words that act on a number: "it fell by 5 %" may be -5 %, and "the square of 3" is not 3."""

from __future__ import annotations

# The value may be a change: down or up from something else. It may mean its negative, or, for a percentage, the rest.
CHANGES = frozenset(
    "decrease decreased decreases decreasing decline declined declines declining fall fell falls fallen falling drop "
    "dropped drops dropping reduce reduced reduces reducing reduction loss losses lost lose loses losing down "
    "downward downwards less lower lowered fewer shrink shrank shrunk shrinks shrinking shrinkage cut cuts below "
    "under beneath short deficit minus negative behind deducted subtracted sank sunk sinking slump slumped plunge "
    "plunged plummeted contracted contraction shed dip dipped slid deflation debt debit owe owes owed overdrawn worse "
    "off increase increased increases increasing rise rose rises risen rising grew grown grows growth gain gained "
    "gains up more higher raise raised jump jumped surge surged climbed bigger larger greater longer faster deeper "
    "depth underwater gesunken sank sinkt sinken sinkend gefallen fiel fallen fällt rückgang negativ abnahme "
    "abgenommen verringert verringerte verringerung vermindert reduziert reduzierte reduzierung reduktion weniger "
    "niedriger geringer verlust verluste verloren verlor verliert unter unterhalb gekürzt kürzung geschrumpft "
    "schrumpfte einbruch eingebrochen senkung gesenkt senkte abfall abgefallen zurückgegangen zurück abwertung "
    "schulden gestiegen stieg steigt anstieg zunahme zugenommen wuchs gewachsen wachstum tiefer mehr höher erhöht "
    "erhöhte erhöhung baisse baissé bajado caída calo queda daling spadek".split()
)
# The value is an operand: what is meant is another number.
OPERATIONS = frozenset(
    "power powers squared square squares cubed cube cubes root roots factorial log logarithm ln exponent reciprocal "
    "inverse product sum difference quotient multiplied multiply multiplying divided divide divisor times twice "
    "thrice double doubled doubling triple tripled quadruple quadrupled half halved halving √ ∛ quadrat quadriert "
    "wurzel quadratwurzel kubikwurzel potenz hoch kehrwert fakultät logarithmus hälfte drittel viertel doppelte "
    "doppelten dreifache dreifachen vierfache verdoppelt verdreifacht halbiert halb geteilt dividiert multipliziert "
    "mal summe produkt differenz quotient zuzüglich abzüglich moitié mitad metà metade racine raíz radice raiz wortel "
    "pierwiastek doble doppio dobro carré cuadrado quadrato par threescore fourscore grand thou tsd modulo mod".split()
)
# A point in time is counted from another one: "5 years ago" is a year.
FROM_NOW = frozenset("ago later earlier hence früher später her zuvor danach".split())
