"""What the phone calls workouts that are no sport by name: on foot, on wheels, on stairs."""

from __future__ import annotations

from collections.abc import Mapping

# By HealthKit's names. Languages in the order of hae.words: English, German, French, Spanish,
# Italian, Portuguese, Dutch, Polish, Russian, Ukrainian, Swedish, Norwegian, Danish, Finnish,
# Czech, Turkish, Japanese, Korean, Chinese in both scripts. Where a workout was done is left out.
# Since iOS 26 the phone puts a run together from words of which "Run" means running a program.
WORDS: Mapping[str, str] = {
    "walking": """
        Walk, Walking, Nordic Walking, Power Walking; Gehen, Spaziergang, Spazieren,
        Spazierengehen, Walken; Marche, Marcher, Marche à pied, Promenade; Caminar, Caminata,
        Andar, Paseo; Camminata, Camminare, Passeggiata; Caminhada, Caminhar; Wandelen, Wandeling;
        Chód, Chodzenie, Spacer, Marsz; Ходьба, Прогулка; Хода, Прогулянка; Promenad, Gång, Gå;
        Gange, Gåtur, Spasertur; Gang, Vandring til fods; Kävely, Käveleminen; Chůze, Procházka;
        Yürüyüş, Yürüme; ウォーキング, 歩行, 散歩; 걷기, 보행, 산책; 步行, 走路, 健走, 散步
    """,
    "running": """
        Run, Running, Jog, Jogging, Treadmill, Treadmill Running, Trail Run, Trail Running; Lauf,
        Laufen, Joggen, Laufband, Ausführen; Course, Course à pied, Courir, Exécuter; Carrera,
        Correr, Ejecutar; Corsa, Correre, Esegui; Corrida, Executar; Hardlopen, Hardloop,
        Uitvoeren, Voer uit; Bieg, Bieganie, Uruchom; Бег, Пробежка, Выполнить, Запустить; Біг,
        Пробіжка, Виконати, Запустити; Löpning, Löprunda, Löp, Springa, Kör; Løping, Løpetur, Løpe,
        Kjør; Løb, Løbe, Løbetur; Juoksu, Juokseminen, Suorita; Běh, Běhání, Spustit; Koşu, Koşma,
        Çalıştır; ランニング, ジョギング, ラン, 実行; 달리기, 러닝, 조깅, 실행; 跑步, 运行, 執行,
        慢跑
    """,
    "hiking": """
        Hike, Hiking, Trekking; Wandern, Wanderung; Randonnée, Randonnée pédestre; Senderismo,
        Excursionismo; Escursionismo, Escursione; Trilha, Trilhas; Hiken, Trektocht; Wędrówka,
        Wędrówki, Turystyka piesza, Wycieczka piesza; Поход, Пеший туризм, Пеший поход, Хайкинг;
        Похід, Піший похід, Піший туризм; Vandring, Fotvandring; Fottur, Turgåing; Vandretur;
        Vaellus, Patikointi, Retkeily; Turistika, Pěší turistika; Doğa yürüyüşü; ハイキング, 登山;
        하이킹, 등산; 徒步, 远足, 健行, 遠足
    """,
    "cycling": """
        Cycle, Cycling, Bike, Biking, Bike Ride, Ride, Spinning; Radfahren, Radfahrt, Rad,
        Fahrradfahren, Radtour; Vélo, Cyclisme; Ciclismo, Bicicleta, Andar en bicicleta; Bici,
        Bicicletta; Andar de bicicleta; Fietsen, Fiets; Jazda na rowerze, Kolarstwo; Велосипед,
        Велоспорт, Велотренировка, Езда на велосипеде, Велопоездка; Велоспорт, Їзда на велосипеді,
        Велотренування; Cykling, Cykel, Cykla; Sykling, Sykkel, Sykkeltur; Cykeltur; Pyöräily;
        Cyklistika, Jízda na kole, Kolo; Bisiklet, Bisiklet sürme, Bisiklete binme; サイクリング,
        自転車, バイク; 사이클링, 자전거, 자전거 타기; 骑行, 骑车, 单车, 自行车, 騎行, 騎車, 騎乘,
        單車, 自行車, 腳踏車
    """,
    "hand_cycling": """
        Hand Cycling, Handcycling; Handbike, Handbiken; Vélo à main, Handcycle; Ciclismo de manos,
        Ciclismo manual; Ciclismo com as mãos; Handfietsen, Handbiken; Rower ręczny; Хендбайк,
        Хэндбайк; Ручний велосипед; Handcykling; Håndsykling; Håndcykling; Käsipyöräily;
        Handcyklistika; El bisikleti; ハンドサイクリング, ハンドサイクル; 핸드 사이클링; 手轮车,
        手摇车, 手搖車, 手輪車
    """,
    "wheelchair_walk_pace": """
        Wheelchair Walk Pace, Wheelchair Walk; Rollstuhl Gehtempo, Rollstuhl (Gehtempo); Fauteuil
        roulant allure de marche, Allure de marche en fauteuil roulant; Silla de ruedas a ritmo de
        caminata, Ritmo de caminata en silla de ruedas; Sedia a rotelle a passo di camminata, Passo
        camminata in carrozzina; Cadeira de rodas em ritmo de caminhada; Rolstoel wandeltempo;
        Wózek w tempie marszu; Кресло-коляска: темп ходьбы, Кресло-коляска в темпе ходьбы; Rullstol
        gångtempo; Rullestol gangtempo; Kørestol gangtempo; Pyörätuoli kävelyvauhti; Vozík tempo
        chůze; 車椅子ウォーキングペース, 車いすウォーキングペース; 휠체어 걷기 페이스;
        轮椅步行速度, 輪椅步行配速
    """,
    "wheelchair_run_pace": """
        Wheelchair Run Pace, Wheelchair Run; Rollstuhl Lauftempo, Rollstuhl (Lauftempo); Fauteuil
        roulant allure de course, Allure de course en fauteuil roulant; Silla de ruedas a ritmo de
        carrera, Ritmo de carrera en silla de ruedas; Sedia a rotelle a passo di corsa, Passo corsa
        in carrozzina; Cadeira de rodas em ritmo de corrida; Rolstoel hardlooptempo; Wózek w tempie
        biegu; Кресло-коляска: темп бега, Кресло-коляска в темпе бега; Rullstol löptempo; Rullestol
        løpetempo; Kørestol løbetempo; Pyörätuoli juoksuvauhti; Vozík tempo běhu;
        車椅子ランニングペース, 車いすランニングペース; 휠체어 달리기 페이스; 轮椅跑步速度,
        輪椅跑步配速
    """,
    "elliptical": """
        Elliptical, Elliptical Trainer; Crosstrainer, Ellipsentrainer, Ellipse; Elliptique, Vélo
        elliptique; Elíptica, Máquina elíptica; Ellittica, Ellittico; Elíptico; Crosstrainer;
        Orbitrek, Trenażer eliptyczny; Эллипс, Эллиптический тренажёр, Эллиптический тренажер;
        Еліптичний тренажер, Еліпс; Crosstrainer; Ellipsemaskin; Ellipsetræner, Crosstrainer;
        Crosstraineri, Ellipsilaite; Eliptický trenažér, Orbitrek; Eliptik, Eliptik bisiklet;
        エリプティカル, 楕円トレーナー, クロストレーナー; 일립티컬, 엘립티컬; 椭圆机, 橢圓機,
        橢圓訓練機
    """,
    "stair_climbing": """
        Stair Climbing, Stair Stepper, Stairstepper, Stairmaster; Treppensteigen, Stepper; Montée
        d'escaliers, Stepper, Simulateur d'escalier; Subir escaleras, Máquina escaladora; Salire le
        scale, Salita scale; Subir escadas, Simulador de escada; Traplopen, Trappenlopen,
        Trapklimmen; Wchodzenie po schodach; Подъём по лестнице, Подъем по лестнице, Степпер;
        Підйом сходами, Степер; Trappklättring, Trappmaskin, Trappsteg; Trappegang, Trappemaskin;
        Trappetræning, Trappemaskine; Porraskävely, Porraskone; Stoupání po schodech, Chůze do
        schodů; Merdiven çıkma, Merdiven tırmanma; 階段上り, ステアステッパー, ステアクライミング;
        계단 오르기, 스텝퍼; 爬楼梯, 踏步机, 爬樓梯, 樓梯踏步機
    """,
    "stairs": """
        Stairs; Treppen; Escaliers; Escaleras; Scale; Escadas; Trappen; Schody; Лестница, Лестницы;
        Сходи; Trappor; Trapper; Portaat; Merdiven, Merdivenler; 階段; 계단; 楼梯, 樓梯
    """,
    "step_training": """
        Step Training, Step Aerobics; Step-Training; Step, Entraînement de step, Entraînement step;
        Entrenamiento con step, Entrenamiento de steps; Allenamento step; Treino de step;
        Steptraining; Trening na stepie; Степ, Степ-тренировка, Степ-аэробика; Степ-тренування;
        Stepträning; Steptrening; Steptræning; Askelharjoittelu, Step-harjoittelu; Step trénink;
        Step antrenmanı; ステップトレーニング; 스텝 트레이닝; 踏板训练, 階梯訓練, 踏板訓練
    """,
    "swim_bike_run": """
        Swim Bike Run, Multisport, Triathlon; Schwimmen-Radfahren-Laufen; Natation-vélo-course;
        Multideporte, Triatlón; Multisporte, Triatlo; Triatlon; Мультиспорт, Триатлон; Мультиспорт,
        Тріатлон; Triathlon; Triatlon; Triatlon; Triathlon; Triatlon; Triatlon; マルチスポーツ,
        トライアスロン; 멀티스포츠, 철인 3종, 트라이애슬론; 多项运动, 铁人三项, 多項運動, 鐵人三項
    """,
    "transition": """
        Transition; Übergang, Wechsel; Transición; Transizione; Transição; Wissel, Overgang;
        Przejście, Strefa zmian; Транзит, Переход; Перехід; Växling; Skifte; Siirtymä; Přechod,
        Depo; Geçiş; トランジション; 전환, 트랜지션; 转换, 轉換
    """,
    "other": """
        Other, Other Workout, Workout; Sonstige, Sonstiges, Andere, Anderes Training; Autre,
        Autres; Otro, Otros, Otra; Altro; Outro, Outros, Outra; Overig, Anders, Overige; Inne,
        Inny; Другое, Другая, Прочее; Інше; Annat, Övrigt; Annet; Andet; Muu; Jiné, Ostatní; Diğer;
        その他; 기타; 其他, 其它
    """,
}
"""Names by which the phone sends each of these kinds of workouts."""
