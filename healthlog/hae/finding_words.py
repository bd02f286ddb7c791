"""Words for what was found: a rhythm of the heart, how bad a symptom is, how heavy a bleeding."""

from __future__ import annotations

from collections.abc import Mapping

from healthlog.hae.vocabulary import folded, turned

_APPLE = "hkcategoryvalue"

# Languages as in hae.words.
_RHYTHM_WORDS: Mapping[str, str] = {
    "sinus_rhythm": """
        Sinus Rhythm; Sinusrhythmus; Rythme sinusal; Ritmo sinusal; Ritmo sinusale; Sinusritme;
        Rytm zatokowy; Синусовый ритм; Синусовий ритм; Sinusrytm; Sinusrytme; Sinusrytmi; Sinusový
        rytmus; Sinüs ritmi; 洞調律, 正常洞調律; 동성 리듬, 동리듬; 窦性心律; 竇性心律
    """,
    "atrial_fibrillation": """
        Atrial Fibrillation, AFib; Vorhofflimmern; Fibrillation auriculaire, Fibrillation atriale;
        Fibrilación auricular; Fibrillazione atriale; Fibrilação atrial, Fibrilhação auricular;
        Atriumfibrilleren, Boezemfibrilleren; Migotanie przedsionków; Мерцательная аритмия,
        Фибрилляция предсердий; Фібриляція передсердь, Миготлива аритмія; Förmaksflimmer;
        Atrieflimmer, Atrieflimren; Atrieflimren; Eteisvärinä; Fibrilace síní; Atriyal fibrilasyon;
        心房細動; 심방세동; 房颤, 心房颤动; 心房顫動, 心房纖維顫動
    """,
    "high_heart_rate": """
        High Heart Rate, Inconclusive High Heart Rate; Hohe Herzfrequenz; Fréquence cardiaque
        élevée; Frecuencia cardiaca alta, Frecuencia cardíaca alta; Frequenza cardiaca alta,
        Frequenza cardiaca elevata; Frequência cardíaca alta, Frequência cardíaca elevada; Hoge
        hartslag; Wysokie tętno; Высокий пульс, Повышенный пульс, Высокая частота сердцебиения;
        Високий пульс, Висока частота серцебиття; Hög puls, Hög hjärtfrekvens; Høy puls, Høy
        hjertefrekvens; Høj puls, Høj hjertefrekvens; Korkea syke; Vysoký tep, Vysoká tepová
        frekvence; Yüksek kalp hızı, Yüksek nabız; 高心拍数; 높은 심박수, 심박수 높음; 心率过高,
        高心率; 心率過高, 高心率
    """,
    "low_heart_rate": """
        Low Heart Rate, Inconclusive Low Heart Rate; Niedrige Herzfrequenz; Fréquence cardiaque
        basse, Fréquence cardiaque faible; Frecuencia cardiaca baja, Frecuencia cardíaca baja;
        Frequenza cardiaca bassa; Frequência cardíaca baixa; Lage hartslag; Niskie tętno; Низкий
        пульс, Низкая частота сердцебиения; Низький пульс, Низька частота серцебиття; Låg puls, Låg
        hjärtfrekvens; Lav puls, Lav hjertefrekvens; Matala syke, Alhainen syke; Nízký tep, Nízká
        tepová frekvence; Düşük kalp hızı, Düşük nabız; 低心拍数; 낮은 심박수, 심박수 낮음;
        心率过低, 低心率; 心率過低
    """,
    "poor_recording": """
        Poor Recording, Poor Reading, Inconclusive Poor Reading; Schlechte Aufzeichnung, Schlechte
        Aufnahme; Mauvais enregistrement, Enregistrement de mauvaise qualité; Registro deficiente,
        Mala grabación, Grabación deficiente; Registrazione scadente, Registrazione insufficiente;
        Registro ruim, Registo fraco, Gravação ruim; Slechte registratie, Slechte opname; Słaby
        zapis, Niska jakość zapisu; Плохая запись, Запись низкого качества; Поганий запис,
        Неякісний запис; Dålig registrering, Dålig inspelning; Dårlig opptak, Dårlig måling; Dårlig
        registrering, Dårlig optagelse; Huono tallenne, Huono mittaus; Špatný záznam, Nekvalitní
        záznam; Yetersiz kayıt, Kötü kayıt; 判定不能（記録不良）, 記録不良; 불량 기록, 기록 불량;
        记录质量差, 记录不佳; 記錄不良, 記錄品質不佳
    """,
    "inconclusive": """
        Inconclusive, Inconclusive Other, Unrecognized; Nicht eindeutig, Uneindeutig, Kein
        eindeutiges Ergebnis; Non concluant, Peu concluant; No concluyente, Inconcluso,
        Inconcluyente; Inconcludente, Non conclusivo; Inconclusivo; Geen uitsluitsel, Niet
        eenduidig, Onduidelijk; Niejednoznaczny, Niejednoznaczne, Nierozstrzygający;
        Неопределённый, Неопределенный, Неопределённый результат, Неоднозначный результат;
        Невизначений, Невизначений результат; Ej entydigt, Inte entydigt, Ofullständigt; Ikke
        entydig, Usikkert; Ikke entydigt, Resultatløs; Epäselvä, Ei ratkaiseva; Neprůkazné,
        Neprůkazný; Sonuçsuz, Belirsiz; 判定不能, 決定不能; 판단 불가, 결론 없음, 불확실; 不确定,
        无法确定, 结果不明确; 不確定, 無法判定, 結果不明確
    """,
}

_SEVERITY_WORDS: Mapping[str, str] = {
    "not_present": """
        Not Present; Nicht vorhanden; Absent, Absente, Non présent, Pas présent; No presente,
        Ausente; Assente, Non presente; Ausente, Não presente; Niet aanwezig, Afwezig; Nie
        występuje, Brak, Nieobecny; Отсутствует, Отсутствуют, Нет; Відсутній, Відсутнє, Немає;
        Finns inte, Ingen, Inga; Ikke til stede, Ikke til stede; Ikke til stede, Ikke
        tilstedeværende; Ei esiinny, Ei ole; Nepřítomno, Nevyskytuje se; Yok, Mevcut değil; なし,
        症状なし; 없음; 无, 没有; 無, 沒有
    """,
    "mild": """
        Mild, Severity Mild; Leicht, Mild, Schwach; Léger, Légère, Faible; Leve, Ligero, Ligera;
        Lieve, Leggero, Leggera; Leve, Ligeiro, Ligeira; Licht, Mild; Łagodny, Łagodne, Lekki,
        Lekkie; Лёгкая, Легкая, Лёгкий, Легкий, Слабая, Слабый; Легкий, Легка, Слабкий; Lindrig,
        Lindrigt, Mild; Mild; Mild, Let; Lievä; Mírný, Mírná, Mírné; Hafif; 軽度, 軽い; 가벼움,
        경미함, 약함; 轻度, 轻微; 輕度, 輕微
    """,
    "moderate": """
        Moderate, Severity Moderate; Mäßig, Mittel, Moderat, Mittelschwer; Modéré, Modérée, Moyen;
        Moderado, Moderada; Moderato, Moderata; Matig, Gemiddeld; Umiarkowany, Umiarkowane;
        Умеренная, Умеренный, Средняя, Средний; Помірний, Помірна, Середній; Måttlig, Måttligt;
        Moderat; Moderat, Middel; Kohtalainen, Keskivaikea; Střední, Středně silný; Orta; 中等度,
        中程度; 보통, 중간, 중간 정도; 中度, 中等; 中度
    """,
    "severe": """
        Severe, Severity Severe; Schwer, Stark; Sévère, Grave, Intense; Grave, Severo, Severa,
        Intenso, Intensa; Grave, Forte; Grave, Severo, Severa, Intenso; Ernstig, Hevig; Ciężki,
        Ciężkie, Silny, Silne, Poważny; Тяжёлая, Тяжелая, Тяжёлый, Тяжелый, Сильная, Сильный;
        Тяжкий, Сильний, Важкий; Svår, Svårt, Allvarlig; Alvorlig, Sterk; Svær, Alvorlig, Kraftig;
        Vaikea, Vakava; Silný, Silná, Závažný, Závažná, Závažné; Şiddetli, Ağır; 重度, 重い; 심함,
        심각함; 重度, 严重; 嚴重
    """,
    "present": """
        Present, Presence Present; Vorhanden; Présent, Présente; Presente; Aanwezig; Występuje,
        Obecny, Obecne; Присутствует, Есть, Да; Присутній, Присутнє, Наявний, Є; Finns, Närvarande;
        Til stede, Tilstede; Esiintyy, On; Přítomno, Přítomný, Vyskytuje se; Var, Mevcut; あり,
        症状あり; 있음; 有, 存在; 有
    """,
    "unspecified": """
        Unspecified, Severity Unspecified; Nicht angegeben, Nicht spezifiziert, Unspezifiziert; Non
        spécifié, Non spécifiée, Non précisé; Sin especificar, No especificado; Non specificato;
        Não especificado; Niet gespecificeerd, Niet opgegeven; Nieokreślony, Nieokreślone; Не
        указано, Не определено; Не вказано, Не визначено; Ospecificerad, Ospecificerat, Ej angivet;
        Uspesifisert, Ikke angitt; Uspecificeret, Ikke angivet; Määrittämätön, Ei määritetty;
        Neurčeno, Nespecifikováno; Belirtilmemiş, Belirtilmedi; 未指定, 指定なし; 미지정, 지정되지
        않음
    """,
}

# Without a word for what isn't specified: contraceptives and others of the section have it, too.
_FLOW_WORDS: Mapping[str, str] = {
    "none": """
        None, No Flow, Vaginal Bleeding None; Keine, Kein Fluss; Aucun, Aucune, Aucun flux;
        Ninguno, Ninguna, Sin flujo; Nessuno, Nessun flusso; Nenhum, Nenhuma; Geen; Brak; Нет,
        Отсутствуют; Немає; Ingen, Inget; Ingen; Ei lainkaan, Ei vuotoa; Žádné, Žádný; Yok; なし;
        없음; 无, 無
    """,
    "light": """
        Light, Vaginal Bleeding Light; Leicht, Schwach; Léger, Légère, Faible; Ligero, Ligera,
        Leve, Escaso; Leggero, Lieve, Scarso; Leve, Ligeiro, Fraco; Licht; Lekkie, Lekki, Skąpe;
        Слабые, Слабая, Скудные, Лёгкие, Легкие; Слабкі, Незначні; Lätt, Sparsam; Lett, Liten; Let,
        Svag; Niukka, Vähäinen; Slabé, Slabá, Lehké; Hafif, Az; 少ない, 少量, 軽い; 가벼움, 적음,
        소량; 少量, 轻微; 輕量
    """,
    "medium": """
        Medium, Moderate, Vaginal Bleeding Medium; Mittel; Moyen, Moyenne, Modéré; Medio, Media,
        Moderado, Moderada, Normal; Medio, Moderato; Médio, Média; Gemiddeld, Normaal; Średnie,
        Średni, Umiarkowane; Средние, Умеренные, Средняя; Середні, Помірні; Medel, Måttlig, Normal;
        Middels, Moderat; Mellem, Middel; Kohtalainen, Keskimääräinen; Střední; Orta; 普通, 中程度;
        중간, 보통; 中等, 中量, 适中; 適中
    """,
    "heavy": """
        Heavy, Vaginal Bleeding Heavy; Stark, Schwer; Abondant, Abondante, Important; Abundante,
        Intenso; Abbondante, Forte; Intenso, Forte; Zwaar, Hevig; Obfite, Obfity, Silne; Обильные,
        Сильные, Обильная; Рясні, Сильні; Riklig, Kraftig; Kraftig, Stor; Kraftig, Stærk; Runsas;
        Silné, Silná; Yoğun, Fazla; 多い, 多量; 많음, 다량; 大量, 较多; 較多
    """,
}

_RHYTHM_OF, _SEVERITY_OF, _FLOW_OF = map(turned, (_RHYTHM_WORDS, _SEVERITY_WORDS, _FLOW_WORDS))


def rhythm_of(word: str) -> str | None:
    """What an electrocardiogram shows, in whatever language; None where nobody knows the word."""
    return _RHYTHM_OF.get(folded(word))


def severity_of(word: str) -> str | None:
    """How bad a symptom is, in whatever language; None where nobody knows the word."""
    return _SEVERITY_OF.get(folded(word).removeprefix(_APPLE))


def flow_of(word: str) -> str | None:
    """How heavy a bleeding is, in whatever language; None where nobody knows the word."""
    return _FLOW_OF.get(folded(word).removeprefix(_APPLE))
