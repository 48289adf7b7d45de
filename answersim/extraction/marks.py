"""The words that mark an answer or a choice, in twelve languages, as data: one row per language and role."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple


class Marks(NamedTuple):
    """Words of one role in one language.

    Attributes:
        role: "answer": names an answer. "result": names one on the last lines. "option": names an option. "kind": may
            stand between an article and "answer". "last": a kind that outranks the others. "the": an article or a
            possessive before these. "is": links the name and the answer. "so": begins a conclusion. "choose": precedes
            a chosen letter. "right", "wrong": call a letter right or wrong. "not": denies what follows. "and", "or":
            join letters. "because": begins a reason. "revise": takes back what was said before. "if": a condition.
            "end": ends a sentence after an answer.
        lang: An ISO 639-1 code.
        words: The words, separated by "|". "_" in a word is a space.
    """

    role: str
    lang: str
    words: str


# German, French ... words are in lower case. Words of Chinese, Japanese and Korean may touch other words.
ROWS = (
    Marks("answer", "en", "answer|answers|ans"),
    Marks("answer", "de", "antwort|antworten"),
    Marks("answer", "fr", "réponse|réponses"),
    Marks("answer", "es", "respuesta|respuestas"),
    Marks("answer", "it", "risposta|risposte"),
    Marks("answer", "pt", "resposta|respostas|gabarito"),
    Marks("answer", "nl", "antwoord|antwoorden"),
    Marks("answer", "ru", "ответ|ответы|ответом"),
    Marks("answer", "zh", "答案|回答|答"),
    Marks("answer", "ja", "答え|答|正解|解答|回答"),
    Marks("answer", "ko", "정답|답|답변|대답"),
    Marks("answer", "ar", "الإجابة|الاجابة|إجابة|الجواب|جواب"),
    Marks("result", "en", "result|solution"),
    Marks("result", "de", "ergebnis|endergebnis|gesamtergebnis|lösung"),
    Marks("result", "fr", "résultat|solution"),
    Marks("result", "es", "resultado|solución"),
    Marks("result", "it", "risultato|soluzione"),
    Marks("result", "pt", "resultado|solução"),
    Marks("result", "nl", "resultaat|oplossing|uitkomst"),
    Marks("result", "ru", "результат|решение|итог|итого"),
    Marks("result", "zh", "结果|結果"),
    Marks("result", "ja", "結果"),
    Marks("result", "ko", "결과"),
    Marks("result", "ar", "النتيجة|الحل"),
    Marks("option", "en", "option|choice|letter|alternative|selection|pick"),
    Marks("option", "de", "option|auswahl|möglichkeit|buchstabe|alternative|wahl"),
    Marks("option", "fr", "option|proposition|choix|lettre"),
    Marks("option", "es", "opción|alternativa|letra|inciso|elección"),
    Marks("option", "it", "opzione|alternativa|lettera|scelta"),
    Marks("option", "pt", "opção|alternativa|letra|escolha"),
    Marks("option", "nl", "optie|keuze|letter|alternatief"),
    Marks("option", "ru", "вариант|вариантом|буква|выбор|пункт"),
    Marks("option", "zh", "选项|選項|选择|選擇|选|選"),
    Marks("option", "ja", "選択肢|選択"),
    Marks("option", "ko", "선택지|보기|선택|옵션"),
    Marks("option", "ar", "الخيار|خيار|الاختيار|الحرف|اختيار"),
    Marks("kind", "en", "correct|right|best|short|exact|full|complete|overall|proper|true|actual|most_likely|only"),
    Marks("kind", "de", "richtige|richtigen|korrekte|korrekten|beste|kurze|finales|richtiges|richtig|einzig"),
    Marks("kind", "fr", "bonne|correcte|exacte|juste|meilleure|bon|correct|exact|meilleur|vraie"),
    Marks("kind", "es", "correcta|correcto|exacta|mejor|verdadera|adecuada"),
    Marks("kind", "it", "corretta|corretto|giusta|giusto|esatta|migliore"),
    Marks("kind", "pt", "correta|correto|certa|certo|exata|melhor|correcta|verdadeira"),
    Marks("kind", "nl", "juiste|correcte|goede|beste|exacte"),
    Marks("kind", "ru", "правильный|верный|правильным|верным|точный|лучший|краткий|мой"),
    Marks("kind", "zh", "正确|正確|最佳|标准|標準|的"),
    Marks("kind", "ja", "正しい|正解の|最適な|最も適切な|の"),
    Marks("kind", "ko", "올바른|정확한|옳은|맞는|가장_적절한"),
    Marks("kind", "ar", "الصحيحة|الصحيح|صحيحة|الأفضل|الدقيقة"),
    Marks("last", "en", "final|ultimate"),
    Marks("last", "de", "endgültige|endgültiges|finale|abschließende"),
    Marks("last", "fr", "finale|définitive|final|définitif"),
    Marks("last", "es", "final|definitiva|definitivo"),
    Marks("last", "it", "finale|definitiva|definitivo"),
    Marks("last", "pt", "final|definitiva|definitivo"),
    Marks("last", "nl", "definitieve|uiteindelijke|finale"),
    Marks("last", "ru", "окончательный|итоговый|финальный"),
    Marks("last", "zh", "最终|最終|最后|最後"),
    Marks("last", "ja", "最終的な|最終|最終の"),
    Marks("last", "ko", "최종|최종적인|마지막"),
    Marks("last", "ar", "النهائية|النهائي|نهائية"),
    Marks("the", "en", "the|my|our|your|its"),
    Marks("the", "de", "die|das|der|meine|mein|unsere|den"),
    Marks("the", "fr", "la|le|l'|ma|mon|notre"),
    Marks("the", "es", "la|el|mi|nuestra"),
    Marks("the", "it", "la|il|l'|mia|lo"),
    Marks("the", "pt", "a|o|minha|nossa"),
    Marks("the", "nl", "het|de|mijn|ons"),
    Marks("the", "ru", "мой|наш"),
    Marks("the", "zh", "本题|本題|此题|该题|我的|题目|題目"),
    Marks("the", "ja", "私の|この問題の|問題の"),
    Marks("the", "ko", "제|나의|이_문제의|문제의"),
    Marks("the", "ar", "هذه"),
    Marks("is", "en", "is|are|was|were|would_be|should_be|must_be|will_be|has_to_be|seems_to_be|appears_to_be|'s|’s"),
    Marks("is", "de", "ist|sind|lautet|beträgt|wäre|war|muss"),
    Marks("is", "fr", "est|sont|serait|était|doit_être"),
    Marks("is", "es", "es|son|sería|era|debe_ser"),
    Marks("is", "it", "è|sono|sarebbe|era|deve_essere"),
    Marks("is", "pt", "é|são|seria|era|deve_ser"),
    Marks("is", "nl", "is|zijn|luidt|was|moet"),
    Marks("is", "ru", "это|является|будет|есть|был"),
    Marks("is", "zh", "应该是|應該是|应该为|应为|應為|应是|就是|是|为|為|选|選|应选"),
    Marks("is", "ja", "は|が|こそ"),
    Marks("is", "ko", "은|는|이|가"),
    Marks("is", "ar", "هي|هو|هى|تكون"),
    Marks(
        "so",
        "en",
        "so|thus|therefore|hence|then|in_conclusion|consequently|accordingly|finally|overall|ultimately|in_summary"
        "|in_short|to_conclude|conclusion|that_leaves|which_leaves|leaving|leaves|this_leaves",
    ),
    Marks("so", "de", "also|somit|daher|deshalb|folglich|demnach|damit|schließlich|insgesamt|bleibt"),
    Marks("so", "fr", "donc|ainsi|par_conséquent|en_conclusion|finalement|alors|il_reste"),
    Marks("so", "es", "entonces|por_lo_tanto|por_tanto|así_que|así|en_conclusión|luego|por_ende|queda"),
    Marks("so", "it", "quindi|dunque|pertanto|perciò|in_conclusione|allora|resta"),
    Marks("so", "pt", "portanto|logo|assim|então|por_isso|em_conclusão|resta"),
    Marks("so", "nl", "dus|daarom|derhalve|concluderend|kortom|bijgevolg|blijft"),
    Marks("so", "ru", "следовательно|поэтому|итак|таким_образом|значит|остаётся|остается|в_итоге"),
    Marks("so", "zh", "因此|所以|故|综上|綜上|综上所述|综上，|于是|從而|从而|那么"),
    Marks("so", "ja", "したがって|従って|よって|ゆえに|だから|つまり|以上より|それで"),
    Marks("so", "ko", "따라서|그러므로|그래서|즉|결론적으로|그러니까"),
    Marks("so", "ar", "إذن|إذًا|لذلك|وبالتالي|بالتالي|لذا|ومن_ثم|إذاً"),
    Marks(
        "choose",
        "en",
        "choose|chose|pick|picked|select|selected|go_with|going_with|went_with|vote_for|opt_for|settle_on|say|guess"
        "|mark|marked|answer_with|respond_with|choosing|selecting|picking|lean_toward|lean_towards|think|believe",
    ),
    Marks("choose", "de", "wähle|wählen|nehme|nehmen|entscheide_mich_für|würde_sagen|tippe_auf|sage|kreuze"),
    Marks("choose", "fr", "choisis|choisirais|sélectionne|opte_pour|prends|dirais|retiens"),
    Marks("choose", "es", "elijo|escojo|selecciono|elegiría|opto_por|marco|diría|me_quedo_con"),
    Marks("choose", "it", "scelgo|seleziono|sceglierei|opto_per|direi|prendo"),
    Marks("choose", "pt", "escolho|seleciono|escolheria|opto_por|marco|diria|fico_com|assinalo"),
    Marks("choose", "nl", "kies|kiezen|kies_voor|kiezen_voor|selecteer|ga_voor|neem|zou_zeggen|zeg"),
    Marks("choose", "ru", "выбираю|выбрал|выбрала|выбираем|выберу|выбрать|выберем|отвечаю"),
    Marks("choose", "zh", "选择|選擇|选|選|应选|故选|选取|挑选|我选|选了"),
    Marks("choose", "ja", "選ぶのは|選んだのは"),
    Marks("choose", "ko", "선택은|고른_것은"),
    Marks("choose", "ar", "أختار|اخترت|سأختار|نختار|اختار|أرجح"),
    Marks(
        "right",
        "en",
        "correct|right|the_correct|the_right|the_best|the_answer|my_answer|our_answer|the_one|my_choice|my_pick|true"
        "|the_only|the_most|best|the_choice|the_proper",
    ),
    Marks("right", "de", "richtig|korrekt|die_richtige|die_korrekte|die_antwort|die_beste|zutreffend|meine_antwort"),
    Marks("right", "fr", "correcte|correct|la_bonne|juste|exacte|la_réponse|la_meilleure|le_bon|vraie|bonne"),
    Marks("right", "es", "correcta|correcto|la_correcta|la_respuesta|la_mejor|cierta|verdadera|la_opción"),
    Marks("right", "it", "corretta|corretto|giusta|quella_corretta|quella_giusta|la_risposta|esatta|la_migliore|vera"),
    Marks("right", "pt", "correta|correto|certa|a_correta|a_resposta|a_melhor|verdadeira|a_certa|a_alternativa"),
    Marks("right", "nl", "juist|correct|goed|het_juiste|het_antwoord|het_beste|het_goede|de_juiste"),
    Marks("right", "ru", "верно|верный|верен|правильно|правильный|правильная|верная|верна|правилен"),
    Marks("right", "zh", "正确|正確|对|對|答案|符合|最佳|正解"),
    Marks("right", "ja", "正しい|正解|答え|適切|最も適切|該当|正答"),
    Marks("right", "ko", "정답|맞|옳|올바|답|정확"),
    Marks("right", "ar", "صحيحة|صحيح|الصحيحة|الصحيح|هي_الإجابة|هو_الجواب|الإجابة|الجواب|الأفضل"),
    Marks(
        "wrong",
        "en",
        "wrong|incorrect|false|not|out|untrue|impossible|a_distractor|the_wrong|the_incorrect|eliminated|ruled_out"
        "|excluded|invalid|the_only_incorrect|the_only_wrong|the_worst|unlikely|irrelevant",
    ),
    Marks("wrong", "de", "falsch|nicht|inkorrekt|ausgeschlossen|unmöglich|die_falsche"),
    Marks("wrong", "fr", "fausse|faux|incorrecte|incorrect|mauvaise|exclue|pas"),
    Marks("wrong", "es", "falsa|falso|incorrecta|incorrecto|descartada|errónea"),
    Marks("wrong", "it", "falsa|falso|sbagliata|sbagliato|errata|scorretta|esclusa"),
    Marks("wrong", "pt", "falsa|falso|incorreta|errada|errado|incorreto|descartada"),
    Marks("wrong", "nl", "fout|onjuist|verkeerd|niet|incorrect|uitgesloten"),
    Marks("wrong", "ru", "неверно|неверный|неправильно|неправильный|ложно|не|исключён|исключен"),
    Marks("wrong", "zh", "错误|錯誤|不正确|不正確|错|不对|不符|不是|排除"),
    Marks("wrong", "ja", "間違い|誤り|正しくない|不正解|不適切|違|ではない|ではありません|じゃない"),
    Marks("wrong", "ko", "틀|오답|아니|아닙|잘못|부정확"),
    Marks("wrong", "ar", "خاطئة|خطأ|ليست|ليس|غير_صحيحة|غير"),
    Marks(
        "not",
        "en",
        "not|n't|n’t|never|nor|neither|except|exclude|excludes|excluding|excluded|rule_out|rules_out|ruling_out"
        "|ruled_out|eliminate|eliminates|eliminating|eliminated|reject|discard|unlike|rather_than|instead_of|without"
        "|besides|wrong|incorrect|false|between|either|avoid|but_not",
    ),
    Marks("not", "de", "nicht|kein|keine|außer|weder|noch|ohne|statt|falsch|ausgenommen|weder_die|schließt"),
    Marks("not", "fr", "pas|non|sauf|ni|sans|excepté|hormis|élimine|exclut|n'est_pas"),
    Marks("not", "es", "no|excepto|salvo|ni|sin|menos|descarto|descartamos|no_es"),
    Marks("not", "it", "non|tranne|eccetto|né|senza|salvo|escludo|non_è"),
    Marks("not", "pt", "não|exceto|salvo|nem|sem|menos|descarto|não_é"),
    Marks("not", "nl", "niet|geen|behalve|noch|zonder|in_plaats_van"),
    Marks("not", "ru", "не|кроме|ни|без|нет|исключаем|исключая|вместо"),
    Marks("not", "zh", "不是|不选|不選|非|除了|排除|并非|而不是|不为"),
    Marks("not", "ja", "以外"),
    Marks("not", "ko", "제외|말고"),
    Marks("not", "ar", "ليس|ليست|لا|غير|ما_عدا|باستثناء|سوى|ليس_الخيار"),
    Marks("and", "en", "and|as_well_as|plus"),
    Marks("and", "de", "und|sowie"),
    Marks("and", "fr", "et"),
    Marks("and", "es", "y|e"),
    Marks("and", "it", "e|ed"),
    Marks("and", "pt", "e"),
    Marks("and", "nl", "en"),
    Marks("and", "ru", "и"),
    Marks("and", "zh", "和|与|與|及|、"),
    Marks("and", "ja", "と|及び|および|、"),
    Marks("and", "ko", "와|과|및|그리고"),
    Marks("and", "ar", "و|و_"),
    Marks("or", "en", "or|versus|vs"),
    Marks("or", "de", "oder"),
    Marks("or", "fr", "ou"),
    Marks("or", "es", "o|u"),
    Marks("or", "it", "o|oppure"),
    Marks("or", "pt", "ou"),
    Marks("or", "nl", "of"),
    Marks("or", "ru", "или|либо"),
    Marks("or", "zh", "或|或者|还是|還是"),
    Marks("or", "ja", "または|か|もしくは|あるいは"),
    Marks("or", "ko", "또는|혹은|이나|나"),
    Marks("or", "ar", "أو|او|أم"),
    Marks("because", "en", "because|since|which_is_why|as_it|as_the|as_they|as_this|given_that|due_to|for_the_reason"),
    Marks("because", "de", "weil|denn|da_es|da_die|da_der|da_das|aufgrund|wegen"),
    Marks("because", "fr", "car|parce_que|puisque|puisqu'|parce_qu'|étant_donné"),
    Marks("because", "es", "porque|ya_que|puesto_que|dado_que|pues|debido_a"),
    Marks("because", "it", "perché|poiché|dato_che|in_quanto|siccome"),
    Marks("because", "pt", "porque|pois|já_que|visto_que|uma_vez_que|dado_que"),
    Marks("because", "nl", "omdat|want|aangezien|doordat"),
    Marks("because", "ru", "потому_что|так_как|поскольку|ибо|ведь"),
    Marks("because", "zh", "因为|因為|由于|由於|理由"),
    Marks("because", "ja", "なぜなら|理由"),
    Marks("because", "ko", "왜냐하면|때문|이유"),
    Marks("because", "ar", "لأن|لأنه|لأنها|بسبب|حيث_إن|حيث_أن|نظرا"),
    Marks(
        "revise",
        "en",
        "no|wait|actually|scratch_that|on_second_thought|on_second_thoughts|on_reflection|correction|i_meant|i_mean"
        "|or_rather|let_me_correct|let_me_reconsider|let_me_redo|let_me_recheck|let_me_recalculate|my_mistake|sorry"
        "|oops|hold_on|that_is_wrong|that's_wrong|that_was_wrong|that_is_incorrect|rechecking|after_checking|in_fact",
    ),
    Marks("revise", "de", "nein|halt|moment|warte|korrektur|besser_gesagt|eigentlich|ich_meine|ich_meinte|stopp"),
    Marks("revise", "fr", "non|attends|attendez|correction|en_fait|je_voulais_dire|plutôt|pardon"),
    Marks("revise", "es", "no|espera|corrección|en_realidad|mejor_dicho|quise_decir|perdón|de_hecho"),
    Marks("revise", "it", "no|aspetta|correzione|in_realtà|anzi|volevo_dire|scusa"),
    Marks("revise", "pt", "não|espera|espere|correção|na_verdade|aliás|quis_dizer|desculpe"),
    Marks("revise", "nl", "nee|wacht|correctie|eigenlijk|ik_bedoel|sorry|bij_nader_inzien"),
    Marks("revise", "ru", "нет|стоп|подождите|исправление|точнее|вернее|на_самом_деле|поправка|извините"),
    Marks("revise", "zh", "不对|不對|等等|更正|纠正|实际上|實際上|抱歉|应更正|不，"),
    Marks("revise", "ja", "いや|いいえ|待って|訂正|実は|やはり|失礼"),
    Marks("revise", "ko", "아니|잠깐|정정|사실|다시"),
    Marks("revise", "ar", "لا|انتظر|تصحيح|في_الواقع|عفوا|بل"),
    Marks("if", "en", "if|unless|whether|suppose|supposing|assume|assuming|had|were|when_asked|when_you|in_case"),
    Marks("if", "de", "wenn|falls|ob|angenommen|sofern"),
    Marks("if", "fr", "si|supposons|au_cas_où"),
    Marks("if", "es", "si|suponiendo|supongamos"),
    Marks("if", "it", "se|supponiamo|qualora"),
    Marks("if", "pt", "se|caso|supondo|suponha"),
    Marks("if", "nl", "als|indien|tenzij|mits"),
    Marks("if", "ru", "если|допустим|предположим"),
    Marks("if", "zh", "如果|假如|若|假设"),
    Marks("if", "ja", "もし|仮に"),
    Marks("if", "ko", "만약|만일"),
    Marks("if", "ar", "إذا|لو|إن_كان"),
    Marks("end", "ja", "です|でした|でしょう|である|だ|になります|となります|だと思います|だと考えます"),
    Marks("end", "ko", "입니다|이다|이에요|예요|에요|이라고 생각합니다|라고 생각합니다|이죠|네요|임"),
    Marks("end", "zh", "选项|選項"),
)
TOUCHING = ("zh", "ja", "ko")  # words of these languages may touch other words
_NO_LETTER = r"(?<![^\W_])(?<!-)", r"(?![^\W_])"


def words(role: str) -> dict[str, tuple[str, ...]]:
    """Return the words of a role by language, with spaces.

    >>> words("answer")["de"]
    ('antwort', 'antworten')
    """
    return {row.lang: tuple(row.words.replace("_", " ").split("|")) for row in ROWS if row.role == role}


@cache
def languages(word: str, *roles: str) -> tuple[str, ...]:
    """Return the languages in which this word has one of these roles.

    >>> languages("option", "answer", "option"), languages("Antwort", "answer")
    (('en', 'de', 'fr'), ('de',))
    """
    rows = (row for row in ROWS if row.role in roles and word.lower() in row.words.replace("_", " ").split("|"))
    return tuple(dict.fromkeys(row.lang for row in rows))


@cache
def alternation(roles: tuple[str, ...], only: str = "") -> str:
    """Return a regular expression of all words of these roles, the longest first, or of ``only`` one language.

    A word in an alphabet ends and begins where no letter touches it. A space stands for up to three spaces. Without a
    word, the expression matches nothing.
    """
    touching, separate = set[str](), set[str]()
    for role in roles:
        for lang, listed in words(role).items():
            if only in ("", lang):
                (touching if lang in TOUCHING else separate).update(listed)
    before, after = _NO_LETTER
    short = {word for word in separate if word.startswith(("'", "’", "n't", "n’t"))}
    elided = {word for word in separate if word.endswith("'")}
    plain = separate - short - elided
    parts = (
        f"{before}(?:{_joined(plain)}){after}" if plain else "",
        f"{before}(?:{_joined(elided)})" if elided else "",
        f"(?:{_joined(short)}){after}" if short else "",
        _joined(touching),
    )
    return f"(?:{'|'.join(part for part in parts if part) or '(?!)'})"


def _joined(alternatives: set[str]) -> str:
    ordered = sorted(alternatives, key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace("'", "['’]").replace(r"\ ", "[ \t]{1,3}") for word in ordered)


@cache
def pattern(expression: str, lang: str = "") -> re.Pattern[str]:
    """Compile an expression in which ``<role>`` or ``<role,role>`` stands for the words of roles, in any case.

    ``lang``: the only language whose words count; "" for all.

    >>> bool(pattern("<the> <kind,last> <answer>").fullmatch("La bonne réponse"))
    True
    """

    def filled(match: re.Match[str]) -> str:
        return alternation(tuple(match[1].split(",")), lang)

    return re.compile(re.sub(r"<([a-z]+(?:,[a-z]+)*)>", filled, expression), re.IGNORECASE)
