"""Words in borrowed letters are found; what people write in their own script is left in peace."""

from __future__ import annotations

import subprocess
import sys

import pytest

from penstock.core.text.confusable_letters import ALIKE, LETTERS, UNICODE
from penstock.core.text.homoglyphs import KEYWORDS, LIVING, alike, deceiving_words
from tools import confusables

BENIGN = {
    "Russian": "Его годовой отчёт готов: бег, горох, сор, рот, уха. Сухо и хорошо.",
    "Russian beside code": "x = 1  # сору мало, а его много\nprint(x)  # год и час",
    "Russian endings": "вызови APIшный метод через SQLом и сохрани в JSONе",
    "Ukrainian": "Це звичайний текст: її сіль, ґанок, об'єкт і рік.",
    "Bulgarian": "Това е обикновен текст: ъгъл, щъркел, сос, рис.",
    "Serbian": "Ово је обичан текст: љубав, његов, џеп, ухо.",
    "Greek": "Αυτό είναι κείμενο: ΟΧΙ, ΝΑΙ, το χρώμα, ένα και ΤΟ ΑΥΤΟ.",
    "Greek beside Latin": "ΟΧΙ (no), ΝΑΙ (yes): το API του Python",
    "Armenian": "Բարեւ աշխարհ, սա սովորական տեքստ է.",
    "Georgian": "გამარჯობა მსოფლიო, ეს ჩვეულებრივი ტექსტია და APIყ.",
    "Chinese": "使用Python编写的API，二〇二四年的JSON文件。",
    "Japanese": "ＡＰＩを使ってJSONファイルを読む。ＩＦ文とＯＫボタン。",
    "Korean": "API를 사용해서 JSON파일을 읽는다.",
    "Arabic": "استخدم واجهة API لقراءة ملف JSON رقم ۱۵۷",
    "Persian": "فایل JSON را با APIهای جدید بخوان",
    "Hebrew": "השתמש בAPI וJSON כדי לקרוא את הקובץ",
    "Hindi": "API से JSON फ़ाइल पढ़ें, संख्या १०",
    "Thai": "ใช้APIอ่านไฟล์JSON เลข ๑๐",
    "Vietnamese": "Đọc tệp JSON bằng API: người dùng, mật khẩu, đường dẫn.",
    "Turkish": "Kapı ışık İstanbul çığ öğrenci dosyayı okur.",
    "Icelandic": "Þetta er venjulegur texti með ð og æ.",
    "mathematics": "∀x∈ℝ: αx + βy ≤ ρgh, Δt = 5 μs, σ² = Σxᵢ, 𝑥 → ∞, kΩ, λx.x",
    "physics in code": "Δv = v0 - α * t; ρ = m / V  # kg/m³",
    "emoji": "feat: 🚀 deploy_✨_now 👩‍💻 ok ✅ 1️⃣",
    "Cherokee": "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ ᎠᏂᏴᏫᏯ",
    "Amharic": "ይህ API ነው እና ሰላም ለዓለም",
}
# Words of another script, as attackers write them: what is shown, and the script it is told by.
ATTACKS = [
    ("pаypal", "Cyrillic"),
    ("аdmin = True", "Cyrillic"),
    ("foгmat", "Cyrillic"),
    ("Зrd_party", "Cyrillic"),
    ("toкen", "Cyrillic"),
    ("import сору", "Cyrillic"),
    ("сору(x)  # это комментарий", "Cyrillic"),
    ("if а == 1:", "Cyrillic"),
    ("gοοgle.com", "Greek"),
    ("Αdmin", "Greek"),
    ("pαssword", "Greek"),
    ("tοken", "Greek"),
    ("νar(1)", "Greek"),
    ("υse(x)", "Greek"),
    ("օpen(path)", "Armenian"),
    ("սser", "Armenian"),
    ("Ꭺdmin", "Cherokee"),
    ("ꓑatch", "Lisu"),
    ("ⲟpen", "Coptic"),
    ("𐐬pen", "Deseret"),
    ("ｅval(x)", "full-width"),
    ("ｅｖａｌ(x)", "full-width"),
    ("𝐞𝐯𝐚𝐥(x)", "mathematical"),
    ("to\u212aen", "letter-like"),
    ("passw๐rd", "Thai"),
    ("g〇〇gle", "Han"),
    ("passw०rd", "Devanagari"),
    ("t೦ken", "Kannada"),
    ("𐊠dmin", "Carian"),
    ("ᗪelete", "Canadian Aboriginal"),
]


@pytest.mark.parametrize("language", BENIGN)
def test_what_people_write_in_their_own_script_is_left_in_peace(language: str) -> None:
    assert list(deceiving_words(BENIGN[language])) == []


@pytest.mark.parametrize(("text", "script"), ATTACKS)
def test_a_word_in_borrowed_letters_is_told_with_their_script(text: str, script: str) -> None:
    assert script in [word.script for word in deceiving_words(text)]


def test_every_look_alike_of_the_data_is_told_inside_a_latin_word() -> None:
    """The whole class: each letter of the table, put where the letter it looks like belongs."""
    quiet = []
    for script, letters in alike().items():
        for one, plain in letters.items():
            if not list(deceiving_words(f"pass{one}word")):
                quiet.append((script, one, plain))
    assert quiet == []


def test_keywords_spelt_in_one_other_script_are_told() -> None:
    told = 0
    for script, letters in alike().items():
        back: dict[str, str] = {}
        for one, plain in letters.items():
            back.setdefault(plain, one)
        for word in KEYWORDS:
            if script not in LIVING and len(word) > 1 and set(word) <= set(back):
                spoofed = "".join(back[letter] for letter in word)
                assert list(deceiving_words(f"{spoofed}(x)")), (script, word)
                told += 1
    assert told > 20


def test_the_data_is_sound() -> None:
    assert UNICODE
    assert ALIKE.keys() == LETTERS.keys()
    for letters, plain in ALIKE.values():
        assert len(letters) == len(plain)
        assert plain.isascii()
        assert not any(one.isascii() for one in letters)


def test_the_data_is_what_the_package_ships() -> None:
    folder = confusables.source()
    if folder is None:
        pytest.skip("confusable-homoglyphs is not installed")
    assert confusables.TARGET.read_text("utf-8") == confusables.module(folder)


def test_ascii_text_does_not_load_the_data() -> None:
    code = (
        "import sys; from penstock.core.text.deception import warnings; warnings('x = 1')\n"
        "assert 'penstock.core.text.confusable_letters' not in sys.modules\n"
        "warnings('caf\\u00e9 \\u0430'); "
        "assert 'penstock.core.text.confusable_letters' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
