"""Which kind of workout the phone means, in whatever language it says so."""

from __future__ import annotations

from collections.abc import Iterator

from healthlog.hae import gym_words, sport_words, workout_words
from healthlog.hae.vocabulary import folded, listed, turned

_HEALTHKIT = "hkworkoutactivitytype"

# Where it was done stands before the name or behind it: `Outdoor Run`, `Natation en piscine`.
_PLACES = """
    Indoor, Indoors; Innenräume, Innen, Drinnen, Halle, In der Halle; Intérieur, En intérieur, En
    salle, À l'intérieur; Interior, Interiores, En interior, En interiores, Bajo techo, Bajo
    cubierto; Interno, Al chiuso, Al coperto; Em ambiente interno, Ambiente interno, Em recinto
    fechado, Em interior; Binnen, Binnenshuis; Wewnątrz, W pomieszczeniu, W pomieszczeniach, Pod
    dachem, W hali; В помещении, Внутри, В зале; У приміщенні, В приміщенні, Всередині, У залі;
    Inomhus, Inne; Innendørs; Indendørs, Inde; Sisällä, Sisätiloissa, Sisätila, Sisätilat; Uvnitř,
    Vnitřní, V interiéru, Interiér; İç mekan, İç mekanda, Kapalı alan, Kapalı alanda, Salon; 屋内,
    室内, インドア; 실내; 室內,

    Outdoor, Outdoors; Draußen, Im Freien, Außen, Außenbereich; Extérieur, En extérieur, En plein
    air, Plein air, À l'extérieur; Exterior, Exteriores, Al aire libre, Aire libre, En exterior, En
    exteriores; Esterno, All'aperto, All'esterno; Ao ar livre, Ar livre, Em ambiente externo,
    Externo, Externa; Buiten, Buitenshuis; Na zewnątrz, Na dworze, Na świeżym powietrzu, Plener, W
    plenerze; На улице, На открытом воздухе, На свежем воздухе, Снаружи; Надворі, На вулиці, Просто
    неба, На свіжому повітрі; Utomhus, Ute; Utendørs; Udendørs, Ude, Udenfor; Ulkona, Ulko,
    Ulkotilat, Ulkoilma; Venku, Venkovní, V exteriéru, Exteriér; Açık hava, Açık havada, Açık alan,
    Açık alanda, Dış mekan, Dış mekanda; 屋外, 野外, アウトドア; 실외, 야외; 户外, 室外, 戶外,

    Pool; Schwimmbad, Becken, Im Becken, Hallenbad, Schwimmbecken; Piscine, En piscine; Piscina, En
    piscina, Alberca, En alberca; In piscina, Vasca, In vasca; Em piscina, Na piscina; Zwembad, In
    het zwembad, In zwembad; Basen, W basenie, Na basenie; Бассейн, В бассейне; Басейн, У басейні,
    В басейні; Bassäng, I bassäng; Basseng, I basseng; Bassin, I bassin, Svømmehal, I svømmehal;
    Allas, Altaassa, Uima-allas, Uima-altaassa; Bazén, V bazénu; Havuz, Havuzda; プール, プールで;
    수영장, 수영장에서; 泳池, 泳池内, 游泳池,

    Open Water; Freiwasser, Im Freiwasser, Offenes Wasser; Eau libre, En eau libre, Eaux libres;
    Aguas abiertas, En aguas abiertas; Acque libere, In acque libere, Acqua aperta; Águas abertas,
    Em águas abertas; In open water; Otwarta woda, Woda otwarta, Wody otwarte, Na wodach otwartych,
    W wodach otwartych; Открытая вода, На открытой воде, В открытой воде, В открытом водоёме, В
    открытом водоеме; Відкрита вода, На відкритій воді, У відкритій воді; Öppet vatten, I öppet
    vatten; Åpent vann, I åpent vann; Åbent vand, I åbent vand; Avovesi, Avovedessä; Otevřená voda,
    Na otevřené vodě, V otevřené vodě; Açık su, Açık suda; オープンウォーター; 개방 수역, 오픈
    워터; 开放水域, 公开水域, 開放水域
"""

_WORDS = {**workout_words.WORDS, **gym_words.WORDS, **sport_words.WORDS}
_TYPE_OF = {**{folded(name): name for name in _WORDS}, **turned(_WORDS)}
_PLACE_WORDS = tuple(sorted({*listed(_PLACES)}))

TYPES = tuple(sorted(_WORDS))
"""The kinds of workouts, by HealthKit's names."""


def type_of(name: str) -> str | None:
    """The kind of workout that a name means, one of TYPES, wherever it was done: `Outdoor Run`,
    `Laufen, drinnen`, `HKWorkoutActivityTypeRunning`. None where nobody knows it."""
    word = folded(name).removeprefix(_HEALTHKIT)
    found = (_TYPE_OF.get(one) for one in (word, *_without_place(word)))
    return next((one for one in found if one is not None), None)


def _without_place(word: str) -> Iterator[str]:
    """What is left of a folded name where it begins or ends with the name of a place."""
    for place in _PLACE_WORDS:
        if word.startswith(place):
            yield word[len(place) :]
        if word.endswith(place):
            yield word[: -len(place)]
