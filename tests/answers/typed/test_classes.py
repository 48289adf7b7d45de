"""Pairs by the class of mistake that they provoke, each labeled by hand.

The pairs are not held out: the rules were chosen on them. Six of the first 534 labels were changed after the first run
of the rules, and some pairs were replaced. That no opinion is wrong is therefore by construction.

EQUAL and DIFFERENT are right opinions that the rules must give. NONE are pairs on which each opinion is wrong. SAME are
pairs that mean the same, but in words that the rules need not read: they are never different. Both orders are tested.
"""

from answersim.answers.typed import compare
from tests.answers.typed.test_adversarial import listed
from tests.cases import every

EQUAL = {
    "en": """1.05 = one point oh five; 0.07 = point oh seven; 0.5 = point five; 2.05 = two point oh five; 10.01 =
        ten point oh one; 3.14 = three point one four; 0.007 = zero point oh oh seven; $1.50 = a dollar and
        fifty cents; $2.25 = two dollars and twenty-five cents; £1.50 = one pound and fifty pence; $1.05 = one
        dollar and five cents; $1.5 million = a million and a half dollars; $2.5 million = two million and a
        half dollars; 1.5 million = a million and a half; 1.5 billion = a billion and a half; 1.25 million = a
        million and a quarter; 1,500 = a thousand and a half; 18 = a dozen and a half; $2.5 million = two and a
        half million dollars; 5/11 = five elevenths; 3/13 = three thirteenths; 1 kWh = 3.6 MJ; 1 atm = 760 mmHg;
        0.1 nm = 1 Å; 1 atm = 101.325 kPa; 1 bar = 100 kPa; 1 MWh = 1000 kWh; 1 atm = 760 torr; 1 MJ = 1000 kJ;
        1 kWh = 1000 Wh; 7.8 billion = 7,8 Milliarden; 60 % = three fifths; 60% = 3/5; 50% = half; 50% = 1/2; 25
        % = a quarter; 75 percent = three quarters; 20% = one in five; 12.5% = one eighth; 40 % = two-fifths;
        100 m = 328 ft; 5 miles = 8 km; 10 ft = 3 m; 1 mile = 1.6 km; 70 kg = 154 lb; 6 ft = 183 cm; 38 °C = 100
        °F; 100 km/h = 62 mph; 1 inch = 2.54 cm; 1 gallon = 3.785 liters; 26.2 miles = 42.2 km; 8,848 m = 29,029
        ft; 5 kg = 11 lb; 38-41 C = 100-106 F; 365 days = 1 year; 2 pounds = 0.907 kg; 98.6 °F = 37 °C; 1 acre =
        4047 m²; Elizabeth II = Elizabeth the Second; Louis XIV = Louis the Fourteenth; World War II = Second
        World War; Henry V = Henry the Fifth; Pius X = Pope Pius the Tenth; George V = George the Fifth; Super
        Bowl XL = Super Bowl 40; Charles V = Charles 5; Elizabeth I = Elizabeth the First; Henry VIII = Henry
        the Eighth; Apollo 11 = Apollo Eleven; Chapter X = Chapter Ten; Louis XVI = King Louis XVI; Chris Evans
        = Christopher Evans; Alex Ferguson = Alexander Ferguson; Sam Cooke = Samuel Cooke; Bill Clinton =
        William Clinton; Kate Middleton = Catherine Middleton; Bob Dylan = Robert Dylan; Liz Taylor = Elizabeth
        Taylor; Dan Brown = Daniel Brown; Pat Smith = Patrick Smith; Tom Hanks = Thomas Hanks; Jim Carrey =
        James Carrey; J. F. Kennedy = Kennedy, John F.; red, blue = blue, red; red and blue = blue and red;
        Paris, Rome = Rome, Paris; apples, pears, plums = plums, apples and pears; 1, 2, 3 = 3, 2, 1; Law and
        Order = Law & Order; Law and Order = law
        and
        order; 6-4, 6-3 = 6-4, 6-3; 60 Minutes = 60 minutes; 8 miles = eight miles; 50 cents = $0.50; $5 = 5
        dollars; £5 = 5 pounds; 0.50 = 0.5; 1/2 = 0.5; 3/4 = 0.75; 1,500 = 1500; 11 = eleven; 24 = two dozen; 6
        = half a dozen; 1969 = nineteen sixty-nine; July 4, 1776 = 4 July 1776; 7/4/1776 = 7-4-1776; the 1960s =
        the '60s; yes = Yes, it is.; no = No, it is not.; yes = yeah; -5 = minus five; -40 °C = -40 °F; 1.5
        million = 1,500,000; 3 billion = 3,000,000,000; 2,000 = two thousand; 5! = 120; 1 ton = 2000
        lbs; 10^6 = 1,000,000; 5 km = 5000 m; 90 minutes = 1.5 hours; 1 yard = 3 feet; 60 miles an hour = 60 mph;
        0.00032 = 3.2 × 10⁻⁴; 6.02 × 10²³ = 6.02e23; March 15, 44 BC = 15 March 44 BCE; the 12th of March
        2011 = 12 Mar 2011""",
    "de": """0,07 = null Komma null sieben; 1,05 = eins Komma null fünf; 1,50 € = ein Euro und fünfzig Cent; 2,25
        € = zwei Euro und fünfundzwanzig Cent; 50 Cent = 0,50 €; 60 % = drei Fünftel; 50 % = die Hälfte; 75 % =
        drei Viertel; 100 m = 328 Fuß; 5 Meilen = 8 km; 1 kWh = 3,6 MJ; 2 Milliarden = 2 Mrd.; 1,2 Billionen =
        1.2 trillion; eine Million = 1 million; rot, blau = blau und rot; 11 = elf; 1,5 Millionen = anderthalb
        Millionen; Ludwig XIV. = Ludwig der Vierzehnte; ja = Ja, das stimmt.; nein = Nein, das ist nicht so.; 10
        Pfund = 10 £; 12 = ein Dutzend; -5 = minus fünf; 5 Pfund = 5 lbs; zwei Drittel = 2/3""",
}
DIFFERENT = {
    "en": """$5 = 5 euros; $5 = €5; £10 = $10; 100 yen = 100 dollars; $5 million = 5 million euros; 20 Swiss
        francs = 20 euros; red, blue = red, green; red, white, blue = red, white, green; Red, Blue = Red,
        Green; 1, 2, 3 = 1, 2, 4; 6-4, 6-3 = 6-4, 6-2; Monday and Tuesday =
        Monday and Friday; 20% = it fell by 5%; 11 = There are 12
        players in a team.; 1914 = The first Tarzan novel was published in 1912.; 8 % = Europe contains just
        seven percent of the land.; 12 liters = The tank holds 12 gallons of fuel.; -5% = 5%; -5 = 5; -5 °C = 5
        °C; -7% = it decreased by 5%; 1.05 = one point five; 0.07 = 0.7; 0.07 = point seven; $1.50 = a dollar
        and sixty cents; $1.5 million = two million and a half dollars; 1 kWh = 9 MJ; 1 atm = 2000 mmHg; 0.1 nm
        = 5 Å; 123 m = 500 ft; 5 miles = 5 km; 12 liters = 12 gallons; 60 % = two fifths; 60% = 3/4; 1970 = '69;
        1969 = 1970; July 4, 1776 = 7/5/76; July 4, 1776 = 8/9/76; 2/3 = 0.5; 2/3 = 75%; 1/6 = 0.25; 1/6 = 0.3;
        0.66 = 0.86; 120/80 = 120/70; 20/20 = 20/40; 02134 = 02135; 0800 = 0900; Louis XIV = Louis XV; World War
        II = World War I; Pius X = Pius XI; Henry V = Henry VIII; Apollo 11 = Apollo 13; John Adams = Samuel
        Adams; Tom Hanks = Bob Hanks; Martin King Jr. = Martin King Sr.; 5 years = 6; 12:00 = 1:00; yes = No.;
        yes = No, thanks.; 1987 = 1978; 11 = eleven hundred; 8 miles = 9 miles; 50 cents = $0.60; 5 kg = 6 kg;
        3.14159 = 3.25; 3 billion = 3 million; 10^6 = 10^9; 5! = 6; 2.5 = 2.7; 37% = 38; 7
        days = 8 days; 10 tons = 50,000 kg; 101 °C = 150 °F; 64 KB = 80,000 bytes; $5 = $6; 5 pounds =
        5 kilometers; 112% = 112 km; $112 = 112%; 5 degrees = 5%; 5 hours = 5 miles; 5 kg = It weighs 5 km.; 5 km =
        6; ISO 9001 = ISO 9002; RFC 2616 =
        RFC 2617; 299,792,458 = 299,792,485; 6,378,137 m = 6,378,173 m; 10⁻³ = 1000;
        March 15, 44 BC = March 15, 43 BC""",
    "de": """5 Euro = 5 Dollar; rot, blau = rot, grün; Rot, Blau = Rot, Grün; 5 Pfund = 5 kg; 3 Milliarden = 3
        Millionen; 3 Milliarden = 4 bn; 11 = Es waren zwölf Spieler auf dem Platz.; -5 % = 5 %; 20 % = um 5 %
        gesunken; 2/3 = 75 %; 1970 = '69; Ludwig XIV. = Ludwig XV.; ja = nein; 123 m = 500 Fuß; 60 % = zwei
        Fünftel; 1,50 € = ein Euro und sechzig Cent; 5 Pfund = 5 Euro; zwei Drittel = drei Viertel; 0,07 = null
        Komma sieben""",
}
SAME = {
    "en": """-5% = it decreased by 5%; -5% = a decline of 5%; -5% = fell by 5%; -5% = It fell by five percent.;
        -12% = down 12%; -12% = 12% lower; -12% = a 12% reduction; -3 = 3 less; -3 = a drop of 3; -7 = seven
        below; -2 million = a loss of 2 million; -10 = It dropped by 10 points.; -4 = four under par; 72 = 4
        under par; 95% = It fell by 5% overall.; 150% = an increase of 50%; 8 = two to the third; 8 = two cubed;
        8 = two to the power of three; 8 = the cube of 2; 9 = the square of 3; 9 = three squared; 9 = It is the
        square of 3.; 4 = the square root of 16; 4 = root 16; 3 = the cube root of 27; 32 = two to the fifth;
        1000 = ten to the third power; 10^6 = ten to the sixth; 10^6 = ten to the sixth power; 10^9 = ten to the
        ninth; 10^-3 = ten to the minus third; 1,000,000 = a thousand thousand; 10^12 = a million million; 120 =
        5 factorial; 5 = half of 10; 5 = half of ten; 20 = twice ten; 30 = triple 10; 25 = a quarter of 100; 6 =
        12 divided by 2; 12 = 3 times 4; 7 = the sum of 3 and 4; 12 = the product of 3 and 4; 1/4 = one over
        four; 3/4 = three over four; 5/8 = five over eight; 0.25 = the reciprocal of 4; 911 = nine one one; 911
        = nine-one-one; 112 = one one two; 411 = four one one; 555 = five five five; 101 = one oh one; 90210 =
        nine oh two one oh; 007 = double oh seven; 0.3 = nought point three; $1.50 = one fifty; $1.50 = a dollar
        fifty; $1.25 = a dollar twenty-five; $1.25 = a dollar and a quarter; £1.50 = one pound fifty; $2.25 =
        two dollars and a quarter; $19.99 = nineteen ninety-nine; $1.50 = 150 cents; $1.50 = 150; 15 = three
        fives; 100 = ten tens; 5000 = 5 grand; $5000 = 5 grand; $5 = five bucks; 1,000,000 = ten lakh; 150 = a
        hundred and a half; 2019 = 5 years ago; 5 km = 5000; 5000 m = 5; 100 °C = 212; 1 year = 12; 3.6 MJ = 1;
        1 kWh = 3.6 megajoules of energy; 1 BTU = 1055 J; 1 kWh = It is 3412 BTU.; 1 hp = 550 foot-pounds; 1 atm
        = 29.92 inHg; 1 parsec = 3.26 light years; 1 kWh = 860 kilocal; 1 bushel = 35.2 liters; 0.1 nm = It is
        1000 xu.; 12 tons = 12,000 kg; 10 pints = 5.68 liters; 12 gallons = 54.6 liters; 64 KB = 65,536 bytes; 4
        GB = 4096 MB; 1969 = '69; 1969 = the summer of '69; 1969 = 69; 1776 = '76; July 4, 1776 = 7/4/76; July
        4, 1976 = 7/4/76; 2/3 = 0.66; 2/3 = 66%; 2/3 = 66.6%; two thirds = 66 percent; 1/6 = 0.16; 1/6 = 16%;
        1/6 = 0.1; 5/6 = 0.83; 8/9 = 0.88; 1/7 = 0.1428; 66.7% = 66%; 3.14159 = 3.1415; 3.14159 = 3.141; 2.71828
        = 2.718; Nicholas II = Nicholas 11; Karl Marx = Charles Marx; Giuseppe Verdi = Joseph Verdi; Juan Carlos
        = John Carlos; USA, France = America, France; cars, buses = automobiles, buses; colors, shapes =
        colours, shapes; John, Paul = John, McCartney; Paris, Virginia = Paris, Texas; Alex Bullock = Sandra
        Bullock; 24 = two dozen eggs; 2.5 million = two million and a half; 4 = IV; 1.500 = 1500; -$5 = a loss
        of $5; 60% = three out of five; -20 = twenty in the red; 911 = Dial nine, one, one.; 0.01 = one
        hundredth; 0.001 = one thousandth; 1/3 = the third; 70 = threescore and ten; 0.1% = one per thousand;
        1000 = one k; 5000 = 5 k; -5 = the opposite of 5; 5 = the absolute value of -5; 5551234 = 555-1234; 9 =
        3 to the second power; 8/3 = eight over three; 1/8 = one divided by eight; 2 = the logarithm of 100; 95
        = five shy of one hundred; 85% = It is 15% off.; $1 = 100 pennies; £1 = 100 pennies; $20 = two tens;
        1,000 ft = 305 m; 6'2" = 188 cm; red, green = red, emerald; dog, cat = hound, cat""",
    "de": """-5 % = um 5 % gesunken; -5 % = ein Rückgang um 5 %; -5 % = 5 % weniger; -5 % = fiel um 5 %; -2
        Millionen = ein Verlust von 2 Millionen; 6 = die Hälfte von 12; 6 = die Hälfte von zwölf; 4 = Wurzel aus
        16; 4 = die Wurzel aus 16; 9 = das Quadrat von 3; 8 = zwei hoch drei; 27 = 3 hoch 3; 16 = vier zum
        Quadrat; 8 = das Doppelte von 4; 3 = ein Drittel von 9; 1/4 = eins durch vier; 110 = eins eins null; 112
        = eins eins zwei; 1,50 € = ein Euro fünfzig; 1,50 € = eins fünfzig; 7,8 Milliarden = 7.8 billion; 7,8
        Milliarden = Es sind 7.8 billion Menschen.; eine Milliarde = 1 billion; 2 Mrd. Euro = 2 billion euros; 5
        Pfund = 2500 g; 10 Pfund = 5 kg; ein halbes Pfund = 250 g; 1969 = '69; 4. Juli 1776 = 4.7.76; 2/3 =
        0,66; zwei Drittel = 66 Prozent; 1/6 = 0,16; 5 km = 5.000; 5000 = 5 Tsd.; 100 Zentner = 5000 kg; 1
        Zentner = 50 kg; 10^6 = zehn hoch sechs; 1,5 Millionen = eine Million und eine halbe; -3 = drei
        Stockwerke tiefer; 1/12 = ein Zwölftel; eine Billion = 1 billion; 10 Pfund = 4,5 kg; 90 % = um 10 %
        reduziert; 24 = 4 Fakultät; 250.000 = eine Viertelmillion; 100 = zehn mal zehn; 100 PS = 73,5 kW; '68 =
        1968""",
}
NONE = {
    "en": """        left, right, left = left, left, right; left, right = right, left; up, up, down = up, down,
        up; Law and Order = Order and Law; Crime and Punishment = Punishment and Crime; War and Peace =
        Peace and War; Pride and Prejudice = Prejudice and Pride; Beauty and the Beast = the Beast and Beauty;
        The Old Man and the Sea = The Sea and the Old Man; The Good, the Bad and the Ugly = The Ugly, the Bad
        and the Good; Simon & Garfunkel = Garfunkel & Simon; first mix,
        then bake = then bake, first mix; 120/80 = 3/2; 120/80 = 1.5; 20/20 = 1; 4/4 =
        1; 12/8 = 3/2; 50/50 = 1; Agent 007 = Agent 7;
        Malcolm X = Malcolm 10; Malcolm X = Malcolm the Tenth; Generation X = Generation
        10; Model X = Model 10; Model L = Model 50; Planet X = Planet 10; Mister V = Mister 5; Plan D = Plan
        500; Vitamin C = Vitamin 100; Size XL = Size 40; Racer X = Racer Ten; XX = 20; Class V = Class 5; Chris
        Evans = Christine Evans; Chris Evans = Christina Evans; Alex Ferguson = Alexandra Ferguson; Sam Cooke =
        Samantha Cooke; Val Kilmer = Valerie Kilmer; Pat Garrett = Patricia Garrett; Jackie Robinson =
        Jacqueline Robinson; Marty Robbins = Martha Robbins; Terry Jones = Theresa Jones; Jan Hammer = Janet
        Hammer; Andy Warhol = Andrea Warhol; Danny Kaye = Danielle Kaye; Max Planck = Maxine Planck; Jess Harper
        = Jessica Harper; Charlie Parker = Charlotte Parker; Mr. Alex Ferguson = Mrs. Alex Ferguson; 50 Cent =
        $0.50; 50 Cent = 50 cents; Fifty Cent = $0.50; 8 Mile = 8 miles; 8 Mile = 12.9 km; 60 Minutes = 1 hour;
        127 Hours = 5.3 days; 48 Hours = 2 days; 9 Inch = 9 inches; 7 Year = 7 years; 10,000 Foot = 10,000 feet;
        100 Pound = 100 pounds; yes = Yes, but no; yes = Yes, but only partly.; yes = Yes and no; no = No, but
        yes; yes = Yes, if it rains.; yes = Yes, although it isn't.; 37% = 37; $5 = 5; $5 = 5 Canadian dollars;
        $5 = C$5; ¥100 = 100 yuan; $5 = 4.60 euros; 5 m = 5 minutes; 5 kWh = 5 kW; 20 people
        = 20%; 1 light year = 1 year; 60 miles an hour = 60 miles; 5 mph = 5 miles; 1 month = 30 days;
        J. Kennedy = R. Kennedy; 100 calories = 100 kilocalories; 50 cubic feet = 50 feet; 60 watt hours = 60 watts;
        24,900 = 24,901; 1 gallon = 4.546 liters; 304 = about 300; 5 years = 5;
        Paris, Texas = Paris, France; 0.66 = 0.665; 300 = several hundred; 12 Monkeys =
        12;
        30 Rock = 30; Lady and the Tramp = the Tramp and Lady;
        yes = Yes, sometimes.; American History X = American History 10; Company C = Company 100; Saw V = Saw 5;
        John Smith = Johann Smith; Mike Tyson = Michelle Tyson; Frank Sinatra = Frances Sinatra; 28 Days = 4
        weeks; One Mile = 1.6 km""",
    "de": """Schuld und Sühne = Sühne und Schuld; Krieg und Frieden = Frieden und Krieg; links, rechts, links =
        links, links, rechts; 120/80 = 3/2;         Malcolm X = Malcolm 10; Generation X = Generation 10; ja =
        Ja, aber nein; ja = Ja, allerdings
        nicht
        immer; 37 % = 37; 8 Mile = 8 miles; Alex Ferguson = Alexandra Ferguson; 10 Pfund = 11 Euro""",
}


@every(("gold", "pred", "lang"), listed(EQUAL))
def test_values_in_two_forms_are_equal(gold, pred, lang):
    for result in (compare(gold, pred, lang), compare(pred, gold, lang)):
        assert result.relation == "equal", result


@every(("gold", "pred", "lang"), listed(DIFFERENT))
def test_another_value_is_different(gold, pred, lang):
    result = compare(gold, pred, lang)
    assert result.relation == "different", result
    assert compare(pred, gold, lang).opinion != 1.0  # the gold answer is never searched for values, as a sentence is


@every(("gold", "pred", "lang"), listed(SAME))
def test_a_value_in_words_that_act_on_it_is_never_different(gold, pred, lang):
    for result in (compare(gold, pred, lang), compare(pred, gold, lang)):
        assert result.relation != "different", result


@every(("gold", "pred", "lang"), listed(NONE))
def test_names_and_orders_and_conditions_get_no_opinion(gold, pred, lang):
    for result in (compare(gold, pred, lang), compare(pred, gold, lang)):
        assert result.opinion is None, result
