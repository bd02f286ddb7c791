"""What the phone calls sports: in water, on snow, with a ball, hand to hand."""

from __future__ import annotations

from collections.abc import Mapping

# By HealthKit's names. Languages as in hae.workout_words.
WORDS: Mapping[str, str] = {
    # In water, on water
    "swimming": """
        Swim, Swimming; Schwimmen; Natation, Nage, Nager; Natación, Nadar; Nuoto, Nuotare; Natação;
        Zwemmen; Pływanie; Плавание; Плавання; Simning, Simma, Sim; Svømming, Svøm; Svømning,
        Svømme; Uinti; Plavání; Yüzme; スイミング, 水泳, スイム; 수영; 游泳
    """,
    "rowing": """
        Rowing, Row; Rudern, Rudergerät; Aviron, Rameur, Rame; Remo; Canottaggio, Vogatore; Remo,
        Remada; Roeien, Roeimachine; Wioślarstwo, Wioślarz, Wiosłowanie; Гребля, Гребной тренажёр,
        Гребной тренажер; Веслування, Гребля; Rodd, Roddmaskin; Roing, Romaskin; Roning, Romaskine;
        Soutu, Soutulaite; Veslování, Veslařský trenažér; Kürek, Kürek çekme; ローイング,
        ボート漕ぎ; 로잉, 노 젓기, 조정; 划船, 划船机, 划船機
    """,
    "paddle_sports": """
        Paddling, Paddle Sports, Kayaking, Canoeing, Stand Up Paddling; Paddeln, Paddelsport,
        Kajak, Kajakfahren; Pagaie, Sports de pagaie, Canoë-kayak; Remo con pala, Deportes de remo,
        Piragüismo; Pagaia, Sport di pagaia, Canoa; Canoagem, Remo em pé; Peddelen, Peddelsport;
        Wiosłowanie pagajem, Sporty wioślarskie, Kajakarstwo; Гребля на байдарке, Гребной спорт,
        Гребля на каяке; Веслування на байдарці; Paddling, Paddelsport; Padling, Padlesport;
        Padling, Kajakroning; Melonta; Pádlování; Kano; パドルスポーツ, パドリング; 패들 스포츠,
        패들링; 桨类运动, 皮划艇, 划槳運動
    """,
    "sailing": """
        Sailing; Segeln; Voile; Vela, Navegación a vela; Navigazione a vela; Velejar; Zeilen;
        Żeglarstwo, Żeglowanie; Парусный спорт, Хождение под парусом; Вітрильний спорт; Segling;
        Seiling; Sejlads, Sejlsport; Purjehdus; Jachting, Plachtění; Yelken; セーリング; 항해,
        세일링, 요트; 帆船, 帆船运动, 帆船運動
    """,
    "surfing_sports": """
        Surfing, Surfing Sports; Surfen, Surfsport; Surf, Sports de surf; Surf, Deportes de surf;
        Surf, Sport da surf; Surfe, Esportes de surfe; Surfsporten; Surfowanie, Sporty surfingowe;
        Сёрфинг, Серфинг; Серфінг; Surfning; Surfesport; Surfing; Surffaus, Lainelautailu;
        Surfování; Sörf; サーフィン; 서핑; 冲浪, 冲浪运动, 衝浪, 衝浪運動
    """,
    "water_fitness": """
        Water Fitness, Aqua Fitness; Wasserfitness, Aquafitness, Aqua-Fitness; Aquagym, Fitness
        aquatique; Fitness acuático, Ejercicio acuático; Fitness in acqua, Acquafitness; Fitness
        aquático, Hidroginástica; Aquafitness, Waterfitness; Fitness w wodzie, Aerobik wodny;
        Аквафитнес, Аквааэробика; Аквафітнес, Аквааеробіка; Vattenfitness, Vattengympa;
        Vanntrening; Vandfitness, Vandgymnastik; Vesijumppa, Vesiliikunta; Cvičení ve vodě; Su
        fitness'ı, Su egzersizi; 水中フィットネス, アクアフィットネス; 수중 피트니스, 아쿠아
        피트니스; 水中健身, 水中健身操
    """,
    "water_polo": """
        Water Polo; Wasserball; Water-polo; Waterpolo; Pallanuoto; Polo aquático; Waterpolo; Piłka
        wodna; Водное поло; Водне поло; Vattenpolo; Vannpolo; Vandpolo; Vesipallo; Vodní pólo; Su
        topu; 水球; 수구; 水球
    """,
    "water_sports": """
        Water Sports; Wassersport; Sports nautiques; Deportes acuáticos; Sport acquatici; Esportes
        aquáticos, Desportos aquáticos; Watersport, Watersporten; Sporty wodne; Водный спорт,
        Водные виды спорта; Водні види спорту; Vattensport, Vattensporter; Vannsport; Vandsport;
        Vesiurheilu; Vodní sporty; Su sporları; ウォータースポーツ; 수상 스포츠; 水上运动, 水上運動
    """,
    "underwater_diving": """
        Underwater Diving, Diving, Scuba Diving; Tauchen, Unterwassertauchen; Plongée, Plongée
        sous-marine; Buceo, Submarinismo; Immersione, Immersioni, Immersioni subacquee, Subacquea;
        Mergulho, Mergulho subaquático; Duiken, Onderwaterduiken; Nurkowanie; Дайвинг, Подводное
        плавание; Дайвінг, Підводне плавання; Dykning; Dykking; Dykning, Undervandsdykning;
        Sukellus; Potápění; Dalış, Su altı dalışı; ダイビング, 水中ダイビング; 다이빙, 수중 다이빙;
        潜水, 潛水
    """,
    # On snow, on ice
    "cross_country_skiing": """
        Cross Country Skiing; Skilanglauf, Langlauf; Ski de fond; Esquí de fondo; Sci di fondo;
        Esqui cross-country, Esqui de fundo; Langlaufen, Langlauf; Narciarstwo biegowe, Biegi
        narciarskie; Беговые лыжи, Лыжные гонки; Бігові лижі, Лижні перегони; Längdskidåkning;
        Langrenn; Langrend; Murtomaahiihto, Maastohiihto; Běh na lyžích, Běžecké lyžování; Kros
        kayağı, Kayaklı koşu; クロスカントリースキー; 크로스컨트리 스키; 越野滑雪
    """,
    "downhill_skiing": """
        Downhill Skiing, Skiing, Alpine Skiing; Ski Alpin, Abfahrtsski, Skifahren, Abfahrtslauf;
        Ski alpin, Ski de descente; Esquí alpino, Esquí de descenso; Sci alpino, Discesa libera,
        Sci; Esqui alpino, Esqui downhill, Esqui; Alpineskiën, Skiën, Afdaling; Narciarstwo
        zjazdowe, Narciarstwo alpejskie; Горные лыжи, Горнолыжный спорт; Гірські лижі,
        Гірськолижний спорт; Utförsåkning, Alpin skidåkning; Alpint, Utforkjøring, Alpin
        skikjøring; Alpint skiløb; Laskettelu, Alppihiihto; Sjezdové lyžování, Sjezd; Alp disiplini
        kayağı, İniş kayağı; ダウンヒルスキー, アルペンスキー, スキー滑降; 알파인 스키, 다운힐
        스키, 활강 스키; 高山滑雪, 滑降滑雪, 下坡滑雪
    """,
    "snowboarding": """
        Snowboarding, Snowboard; Snowboarden, Snowboardfahren; Snowboard, Planche à neige;
        Snowboard; Snowboard; Snowboard; Snowboarden; Snowboarding; Сноубординг, Сноуборд;
        Сноубординг, Сноуборд; Snowboardåkning; Snowboardkjøring; Snowboarding; Lumilautailu;
        Snowboarding; スノーボード; 스노보드, 스노보딩, 스노우보드; 单板滑雪, 單板滑雪, 滑雪板
    """,
    "snow_sports": """
        Snow Sports; Schneesport, Schneesportarten; Sports de neige, Sports d'hiver; Deportes de
        nieve; Sport sulla neve; Esportes de neve, Desportos de neve; Sneeuwsport, Sneeuwsporten;
        Sporty śnieżne; Снежные виды спорта, Зимние виды спорта; Зимові види спорту; Snösport,
        Snösporter; Snøsport; Snesport; Lumiurheilu; Sněžné sporty, Zimní sporty; Kar sporları;
        スノースポーツ, ウィンタースポーツ; 스노 스포츠, 눈 스포츠; 雪上运动, 雪上運動
    """,
    "skating_sports": """
        Skating, Skating Sports, Ice Skating, Inline Skating; Eislaufen, Skaten,
        Schlittschuhlaufen, Inlineskaten; Patinage, Patin; Patinaje; Pattinaggio; Patinação,
        Patinagem; Schaatsen; Łyżwiarstwo, Jazda na łyżwach; Катание на коньках, Коньки, Коньковые
        виды спорта; Ковзани, Катання на ковзанах; Skridskoåkning, Skridskor; Skøyter, Skøyting;
        Skøjteløb; Luistelu; Bruslení; Paten; スケート; 스케이팅, 스케이트; 滑冰, 溜冰
    """,
    "curling": """
        Curling; Кёрлинг, Керлинг; Керлінг; Körling; カーリング; 컬링; 冰壶, 冰壺
    """,
    # With a ball
    "soccer": """
        Soccer, Football; Fußball; Football; Fútbol; Calcio; Futebol; Voetbal, Voetballen; Piłka
        nożna; Футбол; Футбол; Fotboll; Fotball; Fodbold; Jalkapallo; Fotbal; Futbol; サッカー;
        축구; 足球
    """,
    "american_football": """
        American Football; Football américain; Fútbol americano; Football americano; Futebol
        americano; Futbol amerykański; Американский футбол; Американський футбол; Amerikansk
        fotboll; Amerikansk fotball; Amerikansk fodbold; Amerikkalainen jalkapallo; Americký
        fotbal; Amerikan futbolu; アメリカンフットボール, アメフト; 미식축구; 美式足球, 美式橄榄球,
        美式橄欖球
    """,
    "australian_football": """
        Australian Football, Australian Rules Football; Football australien; Fútbol australiano;
        Football australiano; Futebol australiano; Australisch voetbal; Futbol australijski;
        Австралийский футбол; Австралійський футбол; Australisk fotboll; Australsk fotball;
        Australsk fodbold; Australialainen jalkapallo; Australský fotbal; Avustralya futbolu;
        オーストラリアンフットボール; 호주식 풋볼; 澳式足球, 澳洲式足球
    """,
    "rugby": """
        Rugby; Регби; Регбі; Ragby; Ragbi; ラグビー; 럭비; 橄榄球, 英式橄榄球, 橄欖球
    """,
    "basketball": """
        Basketball; Basket, Basket-ball; Baloncesto, Básquetbol; Pallacanestro; Basquete,
        Basquetebol; Basketbal; Koszykówka; Баскетбол; Basketboll; Koripallo; Basketbal; Basketbol;
        バスケットボール, バスケ; 농구; 篮球, 籃球
    """,
    "volleyball": """
        Volleyball; Volley-ball, Volley; Voleibol, Vóleibol; Pallavolo; Vôlei; Volleybal;
        Siatkówka; Волейбол; Волейбол; Volleyboll; Lentopallo; Volejbal; Voleybol; バレーボール;
        배구; 排球
    """,
    "handball": """
        Handball; Balonmano; Pallamano; Handebol, Andebol; Handbal; Piłka ręczna; Гандбол; Гандбол;
        Handboll; Håndball; Håndbold; Käsipallo; Házená; Hentbol; ハンドボール; 핸드볼; 手球
    """,
    "baseball": """
        Baseball; Béisbol; Beisebol, Basebol; Honkbal; Бейсбол; Baseboll; Pesäpallo; Beyzbol; 野球;
        야구; 棒球
    """,
    "softball": """
        Softball; Sóftbol, Softbol; Softbal; Софтбол; Softboll; Softbol; ソフトボール; 소프트볼;
        垒球, 壘球
    """,
    "cricket": """
        Cricket; Críquet; Críquete; Krykiet; Крикет; Kriket; クリケット; 크리켓; 板球
    """,
    "hockey": """
        Hockey, Ice Hockey, Field Hockey; Eishockey; Hóquei; Hokej; Хоккей; Хокей; Ishockey;
        Ishockey; Ishockey; Jääkiekko; Lední hokej; Hokey; ホッケー; 하키; 曲棍球, 冰球
    """,
    "lacrosse": """
        Lacrosse; Crosse; Лакросс; Лакрос; Haavipallo; Lakros; ラクロス; 라크로스; 长曲棍球, 袋棍球
    """,
    "tennis": """
        Tennis; Tenis; Tênis, Ténis; Теннис; Теніс; テニス; 테니스; 网球, 網球
    """,
    "table_tennis": """
        Table Tennis, Ping Pong; Tischtennis; Tennis de table; Tenis de mesa; Ping-pong, Tennis
        tavolo, Tennistavolo; Tênis de mesa, Ténis de mesa; Tafeltennis; Tenis stołowy; Настольный
        теннис; Настільний теніс; Bordtennis; Bordtennis; Bordtennis; Pöytätennis; Stolní tenis;
        Masa tenisi; 卓球; 탁구; 乒乓球, 桌球
    """,
    "badminton": """
        Badminton; Federball; Bádminton; Badminton; Бадминтон; Бадмінтон; Sulkapallo; バドミントン;
        배드민턴; 羽毛球
    """,
    "squash": """
        Squash; Сквош; スカッシュ; 스쿼시; 壁球
    """,
    "racquetball": """
        Racquetball; Racketball; Ráquetbol; Raquetebol; Ракетбол; Ракетбол; Raketbol;
        ラケットボール; 라켓볼; 短拍壁球, 墙网球, 牆網球
    """,
    "pickleball": """
        Pickleball; Пиклбол; Піклбол; ピックルボール; 피클볼; 匹克球
    """,
    "golf": """
        Golf; Гольф; Golfe; ゴルフ; 골프; 高尔夫, 高尔夫球, 高爾夫, 高爾夫球
    """,
    "bowling": """
        Bowling; Kegeln; Bolos; Boliche, Bólingue; Kręgle; Боулинг; Боулінг; Keilailu; Bovling;
        ボウリング; 볼링; 保龄球, 保齡球
    """,
    "disc_sports": """
        Disc Sports, Frisbee, Disc Golf; Scheibensport, Discsport; Sports de disque, Disque;
        Deportes de disco, Deportes con disco; Sport con il disco, Sport con disco; Esportes com
        disco, Desportos de disco; Frisbeesport, Discsporten; Sporty z dyskiem; Диск-спорт, Фрисби;
        Диск-спорт, Фрізбі; Discsport, Discsporter; Diskosport, Frisbeesport; Frisbeegolf,
        Frisbeelajit; Diskové sporty; Disk sporları; ディスクスポーツ; 디스크 스포츠; 飞盘,
        飞盘运动, 飛盤, 飛盤運動
    """,
    # Hand to hand
    "boxing": """
        Boxing; Boxen; Boxe; Boxeo; Pugilato; Boksen; Boks; Бокс; Boxning; Boksing; Boksning;
        Nyrkkeily; Box; Boks; ボクシング; 복싱, 권투; 拳击, 拳擊
    """,
    "kickboxing": """
        Kickboxing; Kickboxen; Kick-boxing, Boxe pieds-poings; Kickboxing; Kickboks, Kickboksen;
        Кикбоксинг; Кікбоксинг; Kickboxning; Kickboksing; Kickboksning; Potkunyrkkeily; Kickbox;
        Kickboks, Kick boks; キックボクシング; 킥복싱; 自由搏击, 踢拳, 跆拳搏擊, 踢拳擊
    """,
    "martial_arts": """
        Martial Arts; Kampfsport, Kampfkunst; Arts martiaux; Artes marciales; Arti marziali; Artes
        marciais; Vechtsport, Vechtsporten, Krijgskunst; Sztuki walki; Боевые искусства,
        Единоборства; Бойові мистецтва, Єдиноборства; Kampsport; Kampsport; Kampsport, Kampkunst;
        Kamppailulajit; Bojová umění, Bojové sporty; Dövüş sanatları; 格闘技, 武道; 무술; 武术,
        武術
    """,
    "wrestling": """
        Wrestling; Ringen; Lutte; Lucha; Lotta, Lotta libera; Luta livre, Luta; Worstelen; Zapasy;
        Борьба; Боротьба; Brottning; Bryting; Brydning; Paini; Zápas, Zápasení; Güreş; レスリング;
        레슬링; 摔跤, 角力
    """,
    "fencing": """
        Fencing; Fechten; Escrime; Esgrima; Scherma; Schermen; Szermierka; Фехтование; Фехтування;
        Fäktning; Fekting; Fægtning; Miekkailu; Šerm; Eskrim; フェンシング; 펜싱; 击剑, 擊劍
    """,
    # All others
    "archery": """
        Archery; Bogenschießen; Tir à l'arc; Tiro con arco; Tiro con l'arco; Arco e flecha, Tiro
        com arco; Boogschieten; Łucznictwo; Стрельба из лука; Стрільба з лука; Bågskytte;
        Bueskyting; Bueskydning; Jousiammunta; Lukostřelba; Okçuluk; アーチェリー; 양궁; 射箭
    """,
    "climbing": """
        Climbing, Rock Climbing, Bouldering; Klettern, Bouldern; Escalade; Escalada; Arrampicata;
        Klimmen; Wspinaczka; Скалолазание, Лазание; Скелелазіння; Klättring; Klatring; Klatring;
        Kiipeily; Lezení, Horolezectví; Tırmanış; クライミング, 登攀; 클라이밍, 암벽 등반; 攀岩,
        攀登
    """,
    "equestrian_sports": """
        Equestrian Sports, Horse Riding, Equestrian; Reiten, Reitsport, Pferdesport; Équitation,
        Sports équestres; Equitación, Deportes ecuestres, Hípica; Equitazione, Sport equestri;
        Equitação, Hipismo, Esportes equestres; Paardrijden, Paardensport, Ruitersport;
        Jeździectwo; Конный спорт, Верховая езда; Кінний спорт, Верхова їзда; Ridsport, Ridning;
        Ridesport, Ridning; Ridesport, Ridning; Ratsastus; Jezdectví, Jízda na koni; Binicilik;
        乗馬, 馬術; 승마; 马术, 骑马, 馬術, 騎馬
    """,
    "fishing": """
        Fishing; Angeln, Fischen; Pêche; Pesca; Pesca; Pesca; Vissen; Wędkarstwo, Wędkowanie;
        Рыбалка, Рыбная ловля; Риболовля, Рибальство; Fiske; Fiske; Fiskeri, Fiskning; Kalastus;
        Rybaření, Rybolov; Balıkçılık, Balık tutma; 釣り, 魚釣り; 낚시; 钓鱼, 釣魚
    """,
    "hunting": """
        Hunting; Jagen, Jagd; Chasse; Caza; Caccia; Caça; Jacht; Polowanie, Myślistwo; Охота;
        Полювання; Jakt; Jakt; Jagt; Metsästys; Lov, Myslivost; Avcılık; ハンティング, 狩猟; 사냥;
        狩猎, 打猎, 狩獵, 打獵
    """,
    "gymnastics": """
        Gymnastics; Turnen, Gymnastik; Gymnastique; Gimnasia; Ginnastica; Ginástica; Gymnastiek;
        Gimnastyka; Гимнастика; Гімнастика; Gymnastik; Gymnastikk, Turn; Gymnastik; Voimistelu;
        Gymnastika; Jimnastik; 体操; 체조; 体操, 體操
    """,
    "track_and_field": """
        Track and Field, Track & Field; Leichtathletik; Athlétisme; Atletismo; Atletica, Atletica
        leggera; Atletismo; Atletiek; Lekkoatletyka; Лёгкая атлетика, Легкая атлетика; Легка
        атлетика; Friidrott; Friidrett; Atletik; Yleisurheilu; Atletika, Lehká atletika; Atletizm;
        陸上競技; 육상, 육상 경기; 田径, 田徑
    """,
    "play": """
        Play; Spielen, Spiel; Jeu, Jouer; Jugar, Juego; Gioco, Giocare; Brincar, Brincadeira;
        Spelen, Spel; Zabawa; Игра, Игры; Гра, Ігри; Lek, Leka; Lek; Leg; Leikki, Leikkiminen; Hra,
        Hraní; Oyun; 遊び, プレイ; 놀이; 玩耍, 遊戲, 游戏
    """,
}
"""Names by which the phone sends each of these sports."""
