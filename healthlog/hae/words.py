"""Words that the phone says in its owner's language: stages of sleep, fates of a dose.

The phone gives no code beside them. The tables hold what Apple's Health and the usual trackers are
known to say in each language; a word that isn't there stays as it was sent.
"""

from __future__ import annotations

from collections.abc import Mapping

from healthlog.hae.vocabulary import folded, turned

AWAKE, ASLEEP, IN_BED = "awake", "asleep", "in_bed"
CORE, DEEP, REM = "core", "deep", "rem"
STAGES = (DEEP, REM, CORE, AWAKE, ASLEEP, IN_BED)
"""Stages of sleep, the most specific first; `asleep` is sleep of which no more is known."""

TAKEN, SKIPPED, SNOOZED = "taken", "skipped", "snoozed"
NOT_INTERACTED, NOT_SENT = "not_interacted", "notification_not_sent"
NOT_LOGGED, UNSPECIFIED = "not_logged", "unspecified"
STATUSES = (TAKEN, SKIPPED, SNOOZED, NOT_INTERACTED, NOT_SENT, NOT_LOGGED, UNSPECIFIED)
"""What became of a dose."""

_APPLE = "hkcategoryvaluesleepanalysis"

# One line for each language or two: English, German, French, Spanish, Italian, Portuguese, Dutch,
# Polish, Russian, Ukrainian, Swedish, Norwegian, Danish, Finnish, Czech, Turkish, Japanese, Korean,
# Chinese in both scripts. Gender and case as they are met with.
_STAGE_WORDS: Mapping[str, str] = {
    AWAKE: """
        Awake, Wake; Wach, Wachphase; Éveillé, Éveillée, Éveillé(e), Éveil, Réveillé, Réveillée;
        Despierto, Despierta, Vigilia; Sveglio, Sveglia, Veglia; Acordado, Acordada, Desperto,
        Desperta; Wakker; Czuwanie, Przebudzenie, Obudzony, Nie śpi; Бодрствование, Без сна, Не
        сплю, Пробуждение; Неспання, Без сну, Пробудження, Не спить; Vaken, Vaket; Våken, Våkent;
        Vågen, Vågent; Hereillä, Valveilla; Vzhůru, Bdění, Bdělost, Bdělý; Uyanık; 覚醒, 覚醒中,
        目覚め; 깨어 있음, 깨어 있는 시간, 비수면, 각성; 清醒, 清醒时间, 醒着, 醒来; 清醒時間,
        醒著, 醒來
    """,
    ASLEEP: """
        Asleep, Asleep (Unspecified), Unspecified, Sleep, Sleeping; Schlaf, Schlafend, Geschlafen,
        Im Schlaf, Schläft, Nicht angegeben, Nicht spezifiziert, Unspezifiziert; Endormi,
        Endormie, Endormi(e), Sommeil, Non spécifié, Non précisé, Endormi (non spécifié); Dormido,
        Dormida, Durmiendo, Sueño, Sin especificar, No especificado; Addormentato, Addormentata,
        Nel sonno, Sonno, Dorme, Non specificato; Adormecido, Adormecida, Dormindo, A dormir,
        Sono, Não especificado; Slapend, In slaap, Slaap, Niet gespecificeerd, Niet opgegeven;
        Sen, Śpi, We śnie, Nieokreślony, Nieokreślone, Nie określono; Сон, Во сне, Спит, Сплю, Не
        указано, Не определено; Уві сні, Спить, Не вказано, Не визначено; Sover, Sömn,
        Ospecificerad, Ospecificerat, Ej angivet; Søvn, Uspesifisert, Ikke angitt; Uspecificeret,
        Ikke angivet; Unessa, Nukkumassa, Nukkuu, Uni, Määrittämätön, Ei määritetty; Spánek, Spí,
        Ve spánku, Neurčeno, Nespecifikováno; Uykuda, Uyuyor, Uyku, Belirtilmemiş, Belirtilmedi;
        睡眠, 睡眠中, 未指定, 指定なし, 不明; 수면, 수면 중, 잠듦, 미지정, 지정되지 않음; 睡着,
        入睡, 已入睡, 睡眠时长; 睡著, 睡眠時間
    """,
    IN_BED: """
        In Bed; Im Bett; Au lit; En la cama, En cama; A letto; Na cama; W łóżku; В кровати, В
        постели; У ліжку, В ліжку; I sängen, I säng; I sengen, I senga, I seng; Sängyssä,
        Vuoteessa; V posteli; Yatakta; ベッド, ベッド内, ベッド上, 就寝, 就寝中, 在床; 침대에
        있음, 침대, 취침, 취침 중, 잠자리; 卧床, 在床上, 躺在床上; 臥床, 躺床
    """,
    CORE: """
        Core, Core Sleep, Light, Light Sleep; Kern, Kernschlaf, Leicht, Leichtschlaf, Leichter
        Schlaf; Essentiel, Principal, Lent, Léger, Noyau, Sommeil essentiel, Sommeil principal,
        Sommeil lent, Sommeil léger, Sommeil de base; Esencial, Básico, Básica, Núcleo, Central,
        Ligero, Sueño esencial, Sueño básico, Sueño principal, Sueño ligero; Essenziale, Base,
        Principale, Leggero, Sonno essenziale, Sonno principale, Sonno leggero; Essencial, Leve,
        Sono essencial, Sono básico, Sono principal, Sono leve; Kernslaap, Licht, Lichte slaap;
        Podstawowy, Podstawowa, Główny, Płytki, Lekki, Sen podstawowy, Sen główny, Sen płytki, Sen
        lekki; Базовый, Базовая, Базовая фаза, Базовый сон, Основной, Основная фаза, Основной сон,
        Поверхностный, Поверхностный сон, Лёгкий, Легкий, Медленный; Базовий, Базова, Базова фаза,
        Базовий сон, Основний, Основний сон, Поверхневий, Неглибокий, Легкий сон; Kärna, Kärnsömn,
        Bas, Bassömn, Lätt, Lätt sömn; Kjerne, Kjernesøvn, Lett, Lett søvn; Kerne, Kernesøvn, Let,
        Let søvn; Perusuni, Ydin, Ydinuni, Kevyt, Kevyt uni; Základní, Základní spánek, Hlavní,
        Jádro, Lehký, Lehký spánek; Çekirdek, Çekirdek uyku, Temel, Temel uyku, Ana, Hafif, Hafif
        uyku; コア, コア睡眠, 浅い, 浅い睡眠; 코어, 코어 수면, 핵심, 핵심 수면, 얕은 수면, 기본
        수면; 核心, 核心睡眠, 浅睡, 浅睡眠, 浅度睡眠; 淺眠, 淺層睡眠
    """,
    DEEP: """
        Deep, Deep Sleep; Tief, Tiefschlaf, Tiefer Schlaf; Profond, Sommeil profond; Profundo,
        Profunda, Sueño profundo, Sono profundo; Profondo, Sonno profondo; Diep, Diepe slaap;
        Głęboki, Głęboka, Sen głęboki; Глубокий, Глубокая, Глубокая фаза, Глубокий сон; Глибокий,
        Глибока, Глибока фаза, Глибокий сон; Djup, Djupsömn, Djup sömn; Dyp, Dyp søvn; Dyb, Dyb
        søvn; Syvä, Syvä uni, Syväuni; Hluboký, Hluboký spánek; Derin, Derin uyku; 深い, 深い睡眠,
        深睡眠; 깊은, 깊은 수면; 深度, 深度睡眠, 深睡; 深層, 深層睡眠, 熟睡
    """,
    REM: """
        REM, REM Sleep; REM-Schlaf, REM-Phase; Paradoxal, Sommeil paradoxal, Sommeil REM; MOR,
        Sueño REM, Fase REM; Sonno REM; Sono REM; Remslaap; Sen REM, Faza REM; Быстрый, Быстрая,
        Быстрая фаза, Быстрый сон, Быстрый (REM), БДГ, Фаза быстрого сна, REM-сон; Швидкий,
        Швидка, Швидка фаза, Швидкий сон, ШРО; REM-sömn; REM-søvn; REM-uni; Spánek REM, REM
        spánek; REM uykusu; レム, レム睡眠, REM睡眠; 렘, 렘 수면, REM 수면; 快速动眼, 快速动眼期,
        快速动眼睡眠, 快速眼动, 快速眼动期, 快速眼动睡眠; 快速動眼, 快速動眼期, 快速動眼睡眠,
        快速眼動
    """,
}

_STATUS_WORDS: Mapping[str, str] = {
    TAKEN: """
        Taken; Genommen, Eingenommen; Pris, Prise; Tomado, Tomada; Preso, Presa, Assunto, Assunta;
        Ingenomen, Genomen; Przyjęto, Przyjęte, Przyjęty, Zażyto, Zażyte; Принято, Принят,
        Принята, Приём; Прийнято, Вжито; Tagen, Taget, Tagit; Tatt; Otettu; Užito, Vzato, Užitý;
        Alındı, Alınan; 服用済み, 服用, 服用した; 복용, 복용함, 복용 완료; 已服用, 已服; 已服藥
    """,
    SKIPPED: """
        Skipped; Übersprungen, Ausgelassen; Ignoré, Ignorée, Sauté, Sautée, Non pris, Non prise,
        Omis, Omise; Omitido, Omitida, Saltado, Saltada, No tomado, No tomada; Saltato, Saltata,
        Ignorato, Ignorata, Non preso, Non presa; Ignorado, Ignorada, Pulado, Pulada;
        Overgeslagen; Pominięto, Pominięte, Pominięty; Пропущено, Пропущен, Пропущена; Hoppades
        över, Överhoppad, Överhoppat; Hoppet over, Utelatt; Sprunget over; Ohitettu, Väliin
        jätetty, Jätetty väliin; Vynecháno, Přeskočeno, Vynechaný; Atlandı, Atlanan; スキップ,
        スキップ済み; 건너뜀, 건너뛰기; 已跳过, 跳过; 已跳過, 跳過, 略過, 已略過
    """,
    SNOOZED: """
        Snoozed; Zurückgestellt, Schlummern, Später erinnern; Reporté, Reportée, Rappelé plus
        tard; Pospuesto, Pospuesta, Aplazado, Aplazada; Posticipato, Posticipata, Rimandato,
        Rimandata; Adiado, Adiada; Uitgesteld, Gesnoozed; Odłożono, Odłożone, Drzemka; Отложено,
        Отложен; Відкладено; Snoozad, Snoozat, Uppskjuten; Utsatt, Slumret; Udsat, Udskudt;
        Torkutettu, Siirretty; Odloženo; Ertelendi, Ertelenen; スヌーズ, スヌーズ中; 미룸, 다시
        알림; 已推迟, 稍后提醒; 已延後, 稍後提醒
    """,
    NOT_INTERACTED: """
        Not Interacted; Nicht interagiert, Keine Interaktion; Aucune interaction, Sans
        interaction; Sin interacción, No interactuado; Nessuna interazione; Sem interação, Não
        interagido; Geen interactie; Brak interakcji; Нет взаимодействия, Без взаимодействия;
        Немає взаємодії, Без взаємодії; Ingen interaktion; Ingen interaksjon, Ingen samhandling;
        Ei vuorovaikutusta; Bez interakce, Žádná interakce; Etkileşim yok, Etkileşimde
        bulunulmadı; 操作なし, 未操作, 未対応; 상호 작용 없음; 未交互, 未互动, 无操作; 未互動,
        無操作
    """,
    NOT_SENT: """
        Notification Not Sent; Mitteilung nicht gesendet, Benachrichtigung nicht gesendet;
        Notification non envoyée; Notificación no enviada; Notifica non inviata; Notificação não
        enviada; Melding niet verstuurd, Melding niet verzonden; Nie wysłano powiadomienia,
        Powiadomienie niewysłane; Уведомление не отправлено; Сповіщення не надіслано; Notis
        skickades inte, Notisen skickades inte, Notis inte skickad; Varsling ikke sendt, Varsel
        ikke sendt; Meddelelse ikke sendt, Notifikation ikke sendt; Ilmoitusta ei lähetetty;
        Oznámení nebylo odesláno, Oznámení neodesláno; Bildirim gönderilmedi; 通知未送信; 알림이
        전송되지 않음, 알림 전송 안 됨; 未发送通知, 通知未发送; 未傳送通知, 通知未傳送
    """,
    NOT_LOGGED: """
        Not Logged; Nicht protokolliert, Nicht erfasst, Nicht aufgezeichnet; Non consigné, Non
        consignée, Non enregistré, Non enregistrée; No registrado, No registrada; Non registrato,
        Non registrata; Não registado, Não registada, Não registrado, Não registrada; Niet
        geregistreerd, Niet gelogd; Nie zarejestrowano, Nie zapisano; Не записано, Не
        зарегистрировано, Не отмечено; Не зареєстровано, Не занотовано; Inte loggad, Inte loggat,
        Ej loggad, Ej loggat, Inte registrerad; Ikke loggført, Ikke logget, Ikke registrert; Ikke
        registreret; Ei kirjattu, Kirjaamatta; Nezaznamenáno, Nezapsáno; Kaydedilmedi,
        Kaydedilmemiş; 未記録, 記録なし; 기록 안 됨, 기록되지 않음; 未记录; 未記錄
    """,
    UNSPECIFIED: """
        Unspecified; Nicht angegeben, Nicht spezifiziert, Unspezifiziert; Non spécifié, Non
        précisé; Sin especificar, No especificado; Non specificato; Não especificado; Niet
        gespecificeerd, Niet opgegeven; Nieokreślony, Nieokreślone, Nie określono; Не указано, Не
        определено; Не вказано, Не визначено; Ospecificerad, Ospecificerat, Ej angivet;
        Uspesifisert, Ikke angitt; Uspecificeret, Ikke angivet; Määrittämätön, Ei määritetty;
        Neurčeno, Nespecifikováno; Belirtilmemiş, Belirtilmedi; 未指定, 指定なし; 미지정, 지정되지
        않음
    """,
}


def _folded(word: str) -> str:
    return folded(word).removeprefix(_APPLE)


_HEALTHKIT = {"asleepunspecified": ASLEEP, "asleepcore": CORE, "asleepdeep": DEEP, "asleeprem": REM}
_STAGE_OF = {**turned(_STAGE_WORDS), **_HEALTHKIT}
_STATUS_OF = turned(_STATUS_WORDS)


def stage_of(word: str) -> str | None:
    """The stage of sleep that a word means, in whatever language; None where nobody knows it."""
    return _STAGE_OF.get(_folded(word))


def status_of(word: str) -> str | None:
    """What a word says of a dose, in whatever language; None where nobody knows it."""
    return _STATUS_OF.get(_folded(word))
