"""Letters of other scripts that look like an ASCII letter or digit, by script.

Made by `tools/confusables.py` from the data of Unicode 15.1 (UTS #39 `confusables.txt` and
`Scripts.txt`) in confusable-homoglyphs 3.3.1; do not edit. The data is © Unicode, Inc., used
under the Unicode License v3 (https://www.unicode.org/license.txt).
Always true: the two texts of `ALIKE` are equally long; each letter looks like its counterpart.
"""

UNICODE = "15.1"

# fmt: off
ALIKE = {
    "Ahom": (
        "\U00011706\U0001170a\U0001170e\U0001170f",
        "vwww"
    ),
    "Arabic": (
        "\u06f1\u06f5\u06f7",
        "loV"
    ),
    "Armenian": (
        "\u0584\u0581\u0570\u0578\u057c\u0585\u0563\u0566\u057d\u0561\u0555\u054f\u054d",
        "fghnnoqquwOSU"
    ),
    "Bamum": (
        "\ua6df\ua6ef",
        "V2"
    ),
    "Bengali": (
        "\u09e6\u09ea\u09ed",
        "O89"
    ),
    "Canadian Aboriginal": (
        "\u1472\u15af\u146f\u1541\u157d\u166e\u15c5\u15f7\u15de\u15ea\u15b4\u157c\u148d\u14aa"
        "\u15f0\u146d\u1587\u144c\u142f\u166d\u14bf",
        "bbdxxxABDDFHJLMPRUVX2"
    ),
    "Carian": (
        "\U000102a0\U000102a1\U000102a2\U000102a5\U000102cf\U000102b0\U000102ab\U000102b1"
        "\U000102b4\U000102b2",
        "ABCFHMOTXY"
    ),
    "Cherokee": (
        "\u13cf\uabaf\u13e7\u13c2\u13a5\uab75\uab81\uabaa\uaba9\uab83\uab93\u13aa\u13f4\u13df"
        "\u13a0\u13ac\u13c0\u13f3\u13bb\u13ab\u13e6\u13de\u13b7\u13e2\u13a1\u13d2\u13d5\u13da"
        "\u13a2\u13d9\u13b3\u13d4\u13a9\u13bd\u13c3\u13ce\u13ee",
        "bcdhiirsvwzABCDEGGHJKLMPRRSSTVWWYYZ46"
    ),
    "Coptic": (
        "\u2ca5\u2c92\u2c9f\u2ca3\u2c85\u2ca4\u2c8e\u2c94\u2cd0\u2c98\u2c9a\u2c9e\u2ca2\u2ca6"
        "\u2cac\u2ca8\u03e8\u2ccc\u2cd2\u2cca",
        "cloprCHKLMNOPTXY2369"
    ),
    "Cyrillic": (
        "\u0430\u042c\u0441\u0501\u0435\u04bd\u04bb\u0456\u04cf\ua647\u0458\u0406\u04c0\u043e"
        "\u0440\u051b\u0433\u0455\u0475\u0461\u051d\u0445\u0443\u04af\u0410\u0412\u0421\u0415"
        "\u050c\u041d\u0408\u041a\u041c\u041e\u0420\u0405\u0422\u0474\u051c\u0425\u0423\u04ae"
        "\ua644\u0417\u04e0\u0431",
        "abcdeehiiijllopqrsvwwxyyABCEGHJKMOPSTVWXYY2336"
    ),
    "Deseret": (
        "\U0001043d\U0001042c\U00010448\U00010415\U0001041b\U00010404\U00010420",
        "cosCLOS"
    ),
    "Devanagari": (
        "\u0966",
        "o"
    ),
    "Elbasan": (
        "\U0001051c\U00010525\U00010518\U00010526\U00010513\U00010516\U0001051d\U00010527",
        "CFKLNOVX"
    ),
    "Ethiopic": (
        "\u12d0\u1200",
        "OU"
    ),
    "Georgian": (
        "\u10ff\u10e7",
        "oy"
    ),
    "Greek": (
        "\u03b1\u03f2\u037a\u03b9\u1fbe\u03f3\u0399\u03bf\u03c3\u03c1\u03f1\u1d26\u03c5\u03bd"
        "\u03b3\u0391\u0392\u03f9\u0395\u03dc\U0001d213\u0397\u037f\u039a\U0001d22a\u039c"
        "\u03fa\u039d\u039f\u03a1\U0001d216\u03a4\U0001d20d\u03a7\u03a5\u03d2\u0396\U0001d206"
        "\U0001d212",
        "aciiijlooppruvyABCEFFHJKLMMNOPRTVXYYZ37"
    ),
    "Gujarati": (
        "\u0ae6",
        "o"
    ),
    "Gurmukhi": (
        "\u0a66\u0a6a\u0a67",
        "o89"
    ),
    "Han": (
        "\u3007",
        "O"
    ),
    "Kannada": (
        "\u0c82\u0ce6",
        "oo"
    ),
    "Lao": (
        "\u0ed0",
        "o"
    ),
    "Lisu": (
        "\ua4d2\ua4f2\ua4ee\ua4d0\ua4da\ua4d3\ua4f0\ua4dd\ua4d6\ua4e7\ua4d9\ua4d7\ua4e1\ua4df"
        "\ua4e0\ua4f3\ua4d1\ua4e3\ua4e2\ua4d4\ua4f4\ua4e6\ua4ea\ua4eb\ua4ec\ua4dc",
        "dlABCDEFGHJKLMNOPRSTUVWXYZ"
    ),
    "Lycian": (
        "\U0001028a\U00010282\U00010286\U00010287\U00010292\U00010295\U00010296\U00010297"
        "\U00010290",
        "lBEFOPSTX"
    ),
    "Malayalam": (
        "\u0d02\u0d20\u0d66\u0d6d",
        "ooo9"
    ),
    "Miao": (
        "\U00016f28\U00016f40\U00016f16\U00016f35\U00016f3a\U00016f0a\U00016f42\U00016f08"
        "\U00016f43\U00016f3b",
        "lALRSTUVY3"
    ),
    "Myanmar": (
        "\u101d\u1040",
        "oo"
    ),
    "Old Italic": (
        "\U00010309\U00010320\U00010301\U00010302\U00010311\U00010315\U00010317\U00010322"
        "\U0001031a",
        "llBCMTXX8"
    ),
    "Oriya": (
        "\u0b20\u0b66\u0b03\u0b68",
        "OO89"
    ),
    "Osage": (
        "\U000104ea\U000104f6\U000104c2\U000104b4\U000104ce\U000104d2",
        "ouORU7"
    ),
    "Runic": (
        "\u16c1\u16d5\u16d6\u16b7",
        "lKMX"
    ),
    "Sinhala": (
        "\u0d82",
        "o"
    ),
    "Tamil": (
        "\u0be6",
        "o"
    ),
    "Telugu": (
        "\u0c02\u0c66",
        "oo"
    ),
    "Thai": (
        "\u0e50",
        "o"
    ),
    "Tifinagh": (
        "\u2d4f\u2d39\u2d54\u2d55\u2d38\u2d5d",
        "lEOQVX"
    ),
    "Tirhuta": (
        "\U000114d0",
        "O"
    ),
    "Warang Citi": (
        "\U000118c3\U000118c8\U000118d7\U000118c1\U000118d8\U000118c0\U000118dc\U000118c4"
        "\U000118e9\U000118f2\U000118a6\U000118ae\U000118a2\U000118c2\U000118a3\U000118b2"
        "\U000118b5\U000118e0\U000118bc\U000118b8\U000118a0\U000118e6\U000118ef\U000118ec"
        "\U000118a4\U000118a9\U000118e5\U000118ca\U000118af\U000118bb\U000118d5\U000118c6"
        "\U000118ac\U000118cc\U000118d6",
        "ioosuvyzCCEEFFLLOOTUVWWXYZZ34567999"
    ),
}
# All letters of these scripts, as ranges of a character class.
LETTERS = {
    "Ahom": (
        "\U00011700-\U00011746"
    ),
    "Arabic": (
        "\u0600-\u0604\u0606-\u060b\u060d-\u061a\u061c-\u061e\u0620-\u063f\u0641-\u064a\u0656"
        "-\u066f\u0671-\u06dc\u06de-\u06ff\u0750-\u077f\u0870-\u08e1\u08e3-\u08ff\ufb50-"
        "\ufd3d\ufd40-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\U00010e60-\U00010e7e\U00010efd-"
        "\U00010eff\U0001ee00-\U0001eebb\U0001eef0-\U0001eef1"
    ),
    "Armenian": (
        "\u0531-\u058f\ufb13-\ufb17"
    ),
    "Bamum": (
        "\ua6a0-\ua6f7\U00016800-\U00016a38"
    ),
    "Bengali": (
        "\u0980-\u09fe"
    ),
    "Canadian Aboriginal": (
        "\u1400-\u167f\u18b0-\u18f5\U00011ab0-\U00011abf"
    ),
    "Carian": (
        "\U000102a0-\U000102d0"
    ),
    "Cherokee": (
        "\u13a0-\u13fd\uab70-\uabbf"
    ),
    "Coptic": (
        "\u03e2-\u03ef\u2c80-\u2cff"
    ),
    "Cyrillic": (
        "\u0400-\u0484\u0487-\u052f\u1c80-\u1c88\u1d2b-\u1d2b\u1d78-\u1d78\u2de0-\u2dff\ua640"
        "-\ua69f\ufe2e-\ufe2f\U0001e030-\U0001e06d\U0001e08f-\U0001e08f"
    ),
    "Deseret": (
        "\U00010400-\U0001044f"
    ),
    "Devanagari": (
        "\u0900-\u0950\u0955-\u0963\u0966-\u097f\ua8e0-\ua8ff\U00011b00-\U00011b09"
    ),
    "Elbasan": (
        "\U00010500-\U00010527"
    ),
    "Ethiopic": (
        "\u1200-\u1399\u2d80-\u2dde\uab01-\uab2e\U0001e7e0-\U0001e7fe"
    ),
    "Georgian": (
        "\u10a0-\u10fa\u10fc-\u10ff\u1c90-\u1cbf\u2d00-\u2d2d"
    ),
    "Greek": (
        "\u0370-\u0373\u0375-\u037d\u037f-\u0384\u0386-\u0386\u0388-\u03e1\u03f0-\u03ff\u1d26"
        "-\u1d2a\u1d5d-\u1d61\u1d66-\u1d6a\u1dbf-\u1dbf\u1f00-\u1ffe\u2126-\u2126\uab65-"
        "\uab65\U00010140-\U0001018e\U000101a0-\U000101a0\U0001d200-\U0001d245"
    ),
    "Gujarati": (
        "\u0a81-\u0aff"
    ),
    "Gurmukhi": (
        "\u0a01-\u0a76"
    ),
    "Han": (
        "\u2e80-\u2fd5\u3005-\u3005\u3007-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00"
        "-\u9fff\uf900-\ufad9\U00016fe2-\U00016fe3\U00016ff0-\U00016ff1\U00020000-\U0002a6df"
        "\U0002a700-\U0002ee5d\U0002f800-\U0002fa1d\U00030000-\U000323af"
    ),
    "Kannada": (
        "\u0c80-\u0cf3"
    ),
    "Lao": (
        "\u0e81-\u0edf"
    ),
    "Lisu": (
        "\ua4d0-\ua4ff\U00011fb0-\U00011fb0"
    ),
    "Lycian": (
        "\U00010280-\U0001029c"
    ),
    "Malayalam": (
        "\u0d00-\u0d7f"
    ),
    "Miao": (
        "\U00016f00-\U00016f9f"
    ),
    "Myanmar": (
        "\u1000-\u109f\ua9e0-\ua9fe\uaa60-\uaa7f"
    ),
    "Old Italic": (
        "\U00010300-\U0001032f"
    ),
    "Oriya": (
        "\u0b01-\u0b77"
    ),
    "Osage": (
        "\U000104b0-\U000104fb"
    ),
    "Runic": (
        "\u16a0-\u16ea\u16ee-\u16f8"
    ),
    "Sinhala": (
        "\u0d81-\u0df4\U000111e1-\U000111f4"
    ),
    "Tamil": (
        "\u0b82-\u0bfa\U00011fc0-\U00011fff"
    ),
    "Telugu": (
        "\u0c00-\u0c7f"
    ),
    "Thai": (
        "\u0e01-\u0e3a\u0e40-\u0e5b"
    ),
    "Tifinagh": (
        "\u2d30-\u2d7f"
    ),
    "Tirhuta": (
        "\U00011480-\U000114d9"
    ),
    "Warang Citi": (
        "\U000118a0-\U000118ff"
    ),
}
