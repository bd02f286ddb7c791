"""Names of languages: what Whisper calls them, which code each has (ISO 639-1, where there is one).

The list is that of Whisper's tokenizer; servers answer with either.
"""

from __future__ import annotations

import re

_NAMES = """
af afrikaans, am amharic, ar arabic, as assamese, az azerbaijani, ba bashkir, be belarusian,
bg bulgarian, bn bengali, bo tibetan, br breton, bs bosnian, ca catalan, cs czech, cy welsh,
da danish, de german, el greek, en english, es spanish, et estonian, eu basque, fa persian,
fi finnish, fo faroese, fr french, gl galician, gu gujarati, ha hausa, haw hawaiian, he hebrew,
hi hindi, hr croatian, ht haitian creole, hu hungarian, hy armenian, id indonesian, is icelandic,
it italian, ja japanese, jw javanese, ka georgian, kk kazakh, km khmer, kn kannada, ko korean,
la latin, lb luxembourgish, ln lingala, lo lao, lt lithuanian, lv latvian, mg malagasy, mi maori,
mk macedonian, ml malayalam, mn mongolian, mr marathi, ms malay, mt maltese, my myanmar, ne nepali,
nl dutch, nn nynorsk, no norwegian, oc occitan, pa punjabi, pl polish, ps pashto, pt portuguese,
ro romanian, ru russian, sa sanskrit, sd sindhi, si sinhala, sk slovak, sl slovenian, sn shona,
so somali, sq albanian, sr serbian, su sundanese, sv swedish, sw swahili, ta tamil, te telugu,
tg tajik, th thai, tk turkmen, tl tagalog, tr turkish, tt tatar, uk ukrainian, ur urdu, uz uzbek,
vi vietnamese, yi yiddish, yo yoruba, yue cantonese, zh chinese
"""
_CODE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")

CODES = {
    name.partition(" ")[2]: name.partition(" ")[0] for name in " ".join(_NAMES.split()).split(", ")
}
"""Code by name."""


def code_of(said: object) -> str | None:
    """The code of a language called by its name or its code; None for what is neither."""
    if not isinstance(said, str):
        return None
    plain = said.strip()
    code = CODES.get(plain.lower())
    return code if code is not None else plain if _CODE.fullmatch(plain) else None


def plain_code(language: str) -> str:
    """`ru` for `ru-RU`."""
    return language.partition("-")[0].lower()
