"""Questions and answers in several languages, short as answers are."""

GERMAN = [
    ("Wie hoch ist der Berg?", "über 2000 Meter", "Er ist etwa 2000 Meter hoch."),
    ("Wann wurde die Stadt gegründet?", "im Jahr 1158", "nach dem Krieg, im Jahr 1158"),
    ("Wer schrieb die Oper?", "Mozart", "Sie wurde von Mozart geschrieben."),
    ("Ist das erlaubt?", "nicht erlaubt", "erlaubt"),
    ("Welche Farbe hat das Haus?", "es ist rot", "weiß und auch rot"),
    ("Wo liegt der See?", "zwischen zwei Bergen", "bei München"),
]
ENGLISH = [
    ("Who wrote Der Ring des Nibelungen?", "Richard Wagner", "It was written by Richard Wagner."),
    ("Where is the Université de Montréal?", "Montréal", "in the city of Montréal"),
    ("What is the capital of Bolivia?", "La Paz", "Nuestra Señora de La Paz"),
    ("Who painted Het meisje met de parel?", "Johannes Vermeer", "Jan Vermeer van Delft"),
    ("Which film won?", "La vita è bella", "Das Leben der Anderen"),
    ("Who sang Non, je ne regrette rien?", "Édith Piaf", "Piaf"),
    ("What is the motto?", "Liberté, égalité, fraternité", "liberty"),
    ("Where was he born?", "Rio de Janeiro", "São Paulo"),
    ("What does Пётр mean?", "rock", "stone (Πέτρος)"),
]
OTHERS = {
    "fr": [
        "Quand la guerre a-t-elle commencé ?",
        "en 1914, après l'attentat",
        "pour la paix dans le monde",
        "avec sa sœur et sans elle",
        "Où est-il né ?",
    ],
    "es": [
        "¿Cuándo empezó la guerra?",
        "en 1914, después del atentado",
        "por la paz en el mundo",
        "¿Quién escribió esta novela?",
        "su hermana es más alta, pero también es menor",
    ],
    "it": [
        "Quando è iniziata la guerra?",
        "nel 1914, dopo l'attentato",
        "per la pace nel mondo",
        "Chi ha scritto questa opera?",
        "anche sua sorella è più alta",
    ],
    "nl": [
        "Wanneer begon de oorlog?",
        "in 1914, na een aanslag",
        "voor vrede, ook tijdens de winter",
        "Wie schreef het boek?",
        "zij is niet meer naar huis gegaan",
    ],
    "pt": [
        "Quando começou a guerra?",
        "em 1914, depois de um atentado",
        "pela paz no mundo, não só hoje",
        "Quem escreveu uma obra destas?",
        "são mais altos, mas também são mais novos",
    ],
    "ja": ["第二次世界大戦はいつ終わりましたか", "1945年に終わりました", "昭和20年の夏です", "はい"],
    "ko": ["전쟁은 언제 시작되었습니까?", "천구백오십년에 시작되었습니다", "유월 이십오일", "네, 그렇습니다"],
    "zh": [
        "中国的首都是哪里",
        "北京是中国的首都",
        "长江是亚洲最长的河流",
        "上海是最大的城市之一",
        "他在一九四九年出生于北京",
    ],
    "ru": ["Когда началась война?", "в тысяча девятьсот сорок первом году", "Москва", "столица России"],
    "el": ["Πότε άρχισε ο πόλεμος;", "το χίλια εννιακόσια σαράντα", "στην Αθήνα"],
}
