"""What the phone calls workouts of the gym: strength, stretching, dance."""

from __future__ import annotations

from collections.abc import Mapping

# By HealthKit's names. Languages as in hae.workout_words.
WORDS: Mapping[str, str] = {
    "traditional_strength_training": """
        Traditional Strength Training, Strength Training, Weight Training, Weightlifting, Strength;
        Traditionelles Krafttraining, Krafttraining, Klassisches Krafttraining; Musculation,
        Musculation traditionnelle, Entraînement de force traditionnel, Renforcement musculaire,
        Renforcement musculaire traditionnel; Entrenamiento de fuerza tradicional, Entrenamiento
        tradicional de fuerza, Entrenamiento de fuerza, Fuerza tradicional; Allenamento di forza
        tradizionale, Allenamento tradizionale per la forza, Potenziamento tradizionale,
        Allenamento per la forza; Treino de força tradicional, Treino tradicional de força,
        Treinamento de força tradicional, Treino de força, Musculação; Traditionele krachttraining,
        Krachttraining; Tradycyjny trening siłowy, Trening siłowy; Традиционная силовая тренировка,
        Силовая тренировка, Классическая силовая тренировка; Традиційне силове тренування, Силове
        тренування; Traditionell styrketräning, Styrketräning; Tradisjonell styrketrening,
        Styrketrening; Traditionel styrketræning, Styrketræning; Perinteinen voimaharjoittelu,
        Voimaharjoittelu, Perinteinen voimaharjoitus; Tradiční silový trénink, Silový trénink,
        Klasické posilování, Posilování; Geleneksel güç antrenmanı, Güç antrenmanı, Geleneksel
        kuvvet antrenmanı, Kuvvet antrenmanı; 従来の筋力トレーニング, 従来型筋力トレーニング,
        筋力トレーニング, 筋トレ, 伝統的筋力トレーニング; 전통적 근력 강화 운동, 근력 강화 운동,
        전통적인 근력 운동, 근력 운동; 传统力量训练, 力量训练, 傳統肌力訓練, 傳統力量訓練,
        傳統重量訓練, 肌力訓練, 重量訓練
    """,
    "functional_strength_training": """
        Functional Strength Training, Functional Training; Funktionales Krafttraining,
        Funktionelles Krafttraining, Funktionstraining, Funktionelles Training; Renforcement
        musculaire fonctionnel, Entraînement de force fonctionnel, Musculation fonctionnelle,
        Entraînement fonctionnel; Entrenamiento de fuerza funcional, Entrenamiento funcional de
        fuerza, Entrenamiento funcional; Allenamento di forza funzionale, Allenamento funzionale
        per la forza, Potenziamento funzionale, Allenamento funzionale; Treino de força funcional,
        Treinamento de força funcional, Treino funcional de força, Treino funcional; Functionele
        krachttraining, Functionele training; Funkcjonalny trening siłowy, Trening funkcjonalny;
        Функциональная силовая тренировка, Функциональная тренировка; Функціональне силове
        тренування, Функціональне тренування; Funktionell styrketräning, Funktionell träning;
        Funksjonell styrketrening, Funksjonell trening; Funktionel styrketræning, Funktionel
        træning; Toiminnallinen voimaharjoittelu, Toiminnallinen harjoittelu; Funkční silový
        trénink, Funkční trénink, Funkční posilování; Fonksiyonel güç antrenmanı, İşlevsel güç
        antrenmanı, Fonksiyonel antrenman; 機能的筋力トレーニング, 機能的筋トレ,
        ファンクショナルトレーニング; 기능적 근력 강화 운동, 기능성 근력 운동, 기능적 근력 운동;
        功能性力量训练, 功能性训练, 功能性肌力訓練, 功能性訓練, 功能性重量訓練
    """,
    "core_training": """
        Core Training, Core; Kerntraining, Core-Training, Rumpftraining; Gainage, Entraînement des
        abdominaux, Entraînement de base; Entrenamiento de core, Entrenamiento del core,
        Entrenamiento básico, Entrenamiento abdominal; Allenamento core, Allenamento del core,
        Allenamento di base; Treino de core, Treino do core, Treinamento de core, Treino abdominal;
        Coretraining, Rompstabiliteit, Kerntraining; Trening core, Trening mięśni głębokich,
        Trening mięśni korpusu; Тренировка кора, Тренировка мышц кора, Тренировка корпуса, Основная
        тренировка; Тренування кору, Тренування м'язів кору, Тренування корпусу; Bålträning,
        Coreträning, Core-träning; Kjernetrening, Kjernemuskulatur, Coretrening; Coretræning,
        Core-træning, Kernetræning; Keskivartaloharjoittelu, Keskivartalotreeni,
        Keskivartaloharjoitus; Trénink středu těla, Posílení středu těla, Core trénink; Karın ve
        sırt antrenmanı, Core antrenmanı, Merkez antrenmanı; コアトレーニング, 体幹トレーニング;
        코어 트레이닝, 코어 강화 운동, 코어 운동; 核心训练, 核心訓練, 核心肌群訓練
    """,
    "high_intensity_interval_training": """
        High Intensity Interval Training, HIIT, Interval Training; Hochintensives
        Intervalltraining, Hochintensitätsintervalltraining, Intervalltraining; Entraînement
        fractionné de haute intensité, Entraînement par intervalles à haute intensité, Fractionné
        de haute intensité, Entraînement fractionné, Intervalle à haute intensité; Entrenamiento en
        intervalos de alta intensidad, Entrenamiento por intervalos de alta intensidad,
        Entrenamiento a intervalos de alta intensidad, Intervalos de alta intensidad; Allenamento a
        intervalli ad alta intensità, Allenamento intervallato ad alta intensità, Intervalli ad
        alta intensità; Treino intervalado de alta intensidade, Treinamento intervalado de alta
        intensidade, Treino de intervalos de alta intensidade; Intervaltraining met hoge
        intensiteit, Hoge-intensiteitsintervaltraining, Intensieve intervaltraining,
        Intervaltraining; Trening interwałowy o wysokiej intensywności, Intensywny trening
        interwałowy, Interwały o wysokiej intensywności, Trening interwałowy; Высокоинтенсивная
        интервальная тренировка, Интервальная тренировка высокой интенсивности, ВИИТ, Интервальная
        тренировка; Високоінтенсивне інтервальне тренування, Інтервальне тренування високої
        інтенсивності, Інтервальне тренування; Högintensiv intervallträning, Intervallträning;
        Høyintensiv intervalltrening, Intervalltrening med høy intensitet, Intervalltrening;
        Højintensiv intervaltræning, Intervaltræning med høj intensitet, Intervaltræning; Korkean
        intensiteetin intervalliharjoittelu, Korkeatehoinen intervalliharjoittelu,
        Intervalliharjoittelu; Vysoce intenzivní intervalový trénink, Intervalový trénink s vysokou
        intenzitou, Intervalový trénink; Yüksek yoğunluklu aralıklı antrenman, Yüksek yoğunluklu
        interval antrenmanı, Aralıklı antrenman; 高強度インターバルトレーニング,
        インターバルトレーニング; 고강도 인터벌 트레이닝, 고강도 간격 운동, 인터벌 트레이닝;
        高强度间歇训练, 间歇训练, 高強度間歇訓練, 間歇訓練
    """,
    "cross_training": """
        Cross Training, Crosstraining, CrossFit; Cross-Training; Entraînement croisé, Cross
        training; Entrenamiento cruzado; Allenamento incrociato; Treino cruzado; Crosstraining;
        Trening przekrojowy, Trening krzyżowy; Кросс-тренинг, Кросс-тренировка, Перекрёстная
        тренировка; Крос-тренінг, Перехресне тренування; Crossträning; Krysstrening; Krydstræning,
        Crosstræning; Yhdistelmäharjoittelu; Křížový trénink, Cross trénink; Çapraz antrenman;
        クロストレーニング; 크로스 트레이닝; 交叉训练, 交叉訓練
    """,
    "mixed_cardio": """
        Mixed Cardio, Cardio; Gemischtes Cardio, Gemischtes Cardiotraining, Cardio gemischt; Cardio
        mixte; Cardio mixto; Cardio misto; Cardio misto, Cárdio misto; Gemengde cardio, Gemengd
        cardio; Cardio mieszane, Mieszane cardio; Смешанное кардио, Смешанная кардиотренировка;
        Змішане кардіо; Blandad kondition, Blandad cardio; Blandet kondisjon, Blandet cardio;
        Blandet konditionstræning; Sekakardio, Yhdistelmäkardio; Smíšené kardio; Karma kardiyo,
        Karışık kardiyo; ミックスカーディオ, ミックス有酸素, 混合カーディオ; 혼합 유산소 운동, 혼합
        유산소; 混合有氧, 混合有氧运动, 混合有氧運動
    """,
    "mixed_metabolic_cardio_training": """
        Mixed Metabolic Cardio Training; Gemischtes metabolisches Cardiotraining; Cardio
        métabolique mixte; Entrenamiento metabólico mixto
    """,
    "flexibility": """
        Flexibility, Stretching; Flexibilität, Beweglichkeit, Dehnen; Flexibilité, Souplesse,
        Étirements; Flexibilidad, Estiramientos; Flessibilità, Mobilità; Flexibilidade,
        Alongamento; Flexibiliteit, Lenigheid; Elastyczność, Rozciąganie, Gibkość; Гибкость,
        Растяжка; Гнучкість, Розтяжка; Rörlighet, Smidighet, Flexibilitet; Fleksibilitet,
        Bevegelighet, Smidighetstrening; Smidighed; Liikkuvuus, Venyttely, Joustavuus; Flexibilita,
        Protahování, Strečink; Esneklik, Esneme; 柔軟体操, 柔軟性, ストレッチ; 유연성, 유연성 운동,
        스트레칭; 柔韧性, 柔韧性训练, 拉伸, 柔軟度, 柔軟度訓練, 伸展
    """,
    "cooldown": """
        Cooldown, Cool Down; Abkühlen, Abwärmen, Cool-down; Récupération, Retour au calme;
        Enfriamiento, Vuelta a la calma; Defaticamento, Raffreddamento; Desaquecimento,
        Relaxamento, Resfriamento; Coolingdown, Afkoelen; Wyciszenie, Schładzanie, Ochłonięcie;
        Заминка; Заминка, Охолодження; Nedvarvning; Nedtrapping, Nedkjøling; Nedkøling, Afspænding;
        Jäähdyttely, Loppuverryttely; Zklidnění, Vychladnutí, Závěrečné protažení; Soğuma;
        クールダウン; 쿨다운, 정리 운동; 整理放松, 放松, 冷却, 緩和運動, 緩和, 收操
    """,
    "preparation_and_recovery": """
        Preparation and Recovery, Preparation & Recovery; Vorbereitung und Erholung, Vorbereitung &
        Erholung; Préparation et récupération; Preparación y recuperación; Preparazione e recupero;
        Preparação e recuperação; Voorbereiding en herstel; Przygotowanie i regeneracja; Подготовка
        и восстановление; Підготовка та відновлення; Förberedelse och återhämtning; Forberedelse og
        restitusjon; Forberedelse og restitution; Valmistautuminen ja palautuminen; Příprava a
        regenerace; Hazırlık ve toparlanma; 準備と回復; 준비 및 회복; 准备与恢复, 準備與恢復
    """,
    "mind_and_body": """
        Mind and Body, Mind & Body, Meditation; Körper und Geist, Geist und Körper, Geist & Körper;
        Corps et esprit, Esprit et corps; Mente y cuerpo, Cuerpo y mente; Mente e corpo, Corpo e
        mente; Lichaam en geest, Geest en lichaam; Umysł i ciało, Ciało i umysł; Разум и тело, Тело
        и разум, Дух и тело; Розум і тіло, Тіло й розум; Kropp och själ, Sinne och kropp; Kropp og
        sinn, Sinn og kropp; Krop og sind, Sind og krop; Keho ja mieli, Mieli ja keho; Mysl a tělo,
        Tělo a mysl; Zihin ve beden, Beden ve zihin; 心と体, マインドアンドボディ, 心身; 몸과 마음,
        마음과 몸, 심신; 身心, 身心锻炼, 身心運動
    """,
    "yoga": """
        Yoga; Joga; Йога; Jooga; Jóga; ヨガ; 요가; 瑜伽, 瑜珈
    """,
    "pilates": """
        Pilates; Пилатес; Пілатес; ピラティス; 필라테스; 普拉提, 皮拉提斯
    """,
    "tai_chi": """
        Tai Chi, Taiji; Tai-Chi; Taï-chi; Taichi; Тай-чи, Тайцзи; Тай-чі; Tchaj-ťi; 太極拳; 태극권;
        太极, 太极拳, 太極
    """,
    "barre": """
        Barre; Ballet Barre; Barre au sol; Barra; Sbarra; Барре; Балетный станок; バーエクササイズ,
        バレエバー; 바; 芭蕾杠, 芭蕾把杆, 芭蕾把桿
    """,
    "jump_rope": """
        Jump Rope, Jumping Rope, Skipping, Rope Jumping; Seilspringen; Corde à sauter, Saut à la
        corde; Saltar la cuerda, Saltar a la comba, Salto de cuerda, Comba; Salto con la corda,
        Salto della corda; Pular corda, Saltar à corda; Touwtjespringen; Skakanka, Skakanie na
        skakance; Скакалка, Прыжки со скакалкой, Прыжки на скакалке; Скакалка, Стрибки зі
        скакалкою, Стрибки на скакалці; Hopprep, Hoppa rep; Hoppetau, Tauhopping; Sjipning, Sjippe;
        Hyppynaru, Naruhyppely; Švihadlo, Skákání přes švihadlo; İp atlama; 縄跳び, なわとび;
        줄넘기; 跳绳, 跳繩
    """,
    "dance": """
        Dance, Dancing; Tanzen, Tanz; Danse; Baile, Danza; Ballo; Dança; Dansen, Dans; Taniec;
        Танцы, Танец; Танці, Танець; Dans; Dans, Dansing; Dans; Tanssi; Tanec; ダンス; 댄스, 춤;
        舞蹈, 跳舞
    """,
    "cardio_dance": """
        Cardio Dance; Cardio-Dance, Cardiotanz; Danse cardio, Cardio danse; Baile cardiovascular,
        Baile cardio; Cardio danza; Dança cardio, Dança aeróbica; Cardiodans; Taniec cardio;
        Кардиотанцы, Кардио-танец; Кардіотанці; Cardiodans, Konditionsdans; Kondisjonsdans;
        Kardiotanssi; Kardio tanec; Kardiyo dansı; カーディオダンス; 카디오 댄스, 유산소 댄스;
        有氧舞蹈, 有氧健身舞
    """,
    "social_dance": """
        Social Dance; Gesellschaftstanz; Danse de société, Danse sociale; Baile social; Ballo
        sociale, Balli sociali; Dança social, Dança de salão; Sociale dans, Stijldansen; Taniec
        towarzyski; Социальные танцы, Бальные танцы; Соціальні танці; Sällskapsdans; Selskapsdans;
        Selskabsdans; Seuratanssi; Společenský tanec; Sosyal dans; ソーシャルダンス, 社交ダンス;
        소셜 댄스, 사교 댄스; 社交舞, 交际舞
    """,
    "dance_inspired_training": """
        Dance Inspired Training; Tanzinspiriertes Training; Entraînement inspiré de la danse;
        Entrenamiento inspirado en el baile
    """,
    "fitness_gaming": """
        Fitness Gaming; Fitnessspiele, Fitness-Gaming; Jeux de fitness, Jeu vidéo de fitness;
        Juegos de fitness, Videojuegos de ejercicio; Giochi fitness; Jogos de fitness;
        Fitnessgames, Fitnessgaming; Gry fitness; Фитнес-игры; Фітнес-ігри; Fitnesspel;
        Treningsspill; Fitnessspil; Liikuntapelit, Kuntopelit; Fitness hry; Fitness oyunları,
        Fitness oyunu; フィットネスゲーム; 피트니스 게임; 健身游戏, 健身遊戲
    """,
}
"""Names by which the phone sends each of these workouts."""
