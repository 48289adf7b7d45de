"""How good systems are: verdicts on their answers, with intervals over questions."""
