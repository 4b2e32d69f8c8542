"""Units, including words for things that are counted."""

import re

# Each name of a unit -> the name to compare. Unknown words are not units: "5 million".
UNITS = {
    name: names.split()[0]
    for names in (
        "degree degrees deg", "percent percentage pct",
        "mm millimeter millimeters millimetre millimetres",
        "cm centimeter centimeters centimetre centimetres",
        "m meter meters metre metres", "km kilometer kilometers kilometre kilometres",
        "in inch inches", "ft foot feet", "yd yard yards", "mi mile miles",
        "mg milligram milligrams", "g gram grams gm", "kg kilogram kilograms kilo kilos",
        "lb lbs pound pounds", "oz ounce ounces", "ton tons tonne tonnes",
        "ml milliliter milliliters millilitre millilitres mL",
        "l L liter liters litre litres", "gal gallon gallons",
        "s sec secs second seconds", "min mins minute minutes", "h hr hrs hour hours",
        "day days", "week weeks", "month months", "year years yr yrs",
        "mi/h mph", "km/h kph kmh",
        "dollar dollars USD usd", "cent cents", "euro euros", "rupee rupees",
        "rad radian radians", "unit units", "N newton newtons", "J joule joules",
        "W watt watts", "V volt volts", "A ampere amperes amp amps", "K kelvin",
        "Hz hertz", "Pa pascal pascals", "ohm ohms", "mol mole moles", "C celsius",
        "F fahrenheit",
        "way ways", "solution solutions", "point points", "digit digits", "square squares",
        "triangle triangles", "student students", "people person persons", "man men",
        "woman women", "child children", "boy boys", "girl girls", "apple apples",
        "ball balls", "book books", "card cards", "coin coins", "color colors colour colours",
        "game games", "time times", "step steps", "move moves", "pair pairs",
        "element elements", "integer integers", "number numbers", "value values",
        "sequence sequences", "path paths", "subset subsets", "permutation permutations",
        "arrangement arrangements", "marble marbles", "ticket tickets", "vertex vertices",
        "edge edges", "face faces", "side sides", "tile tiles", "team teams", "page pages",
        "revolution revolutions", "turn turns", "term terms", "word words", "root roots",
        "outcome outcomes", "item items", "cookie cookies", "car cars", "block blocks",
    )
    for name in names.split()
}  # fmt: skip
LETTER_UNITS = {name for name in UNITS if len(name) == 1}


def unit_of(words: str, power: str | None) -> str | None:
    """The unit that words like "square feet" name, in the form to compare: ft^2."""
    words = re.sub(r"\b(sq|cu)\. ?", r"\1 ", words).strip().rstrip(".").strip()
    if len(parts := re.split(r" per |/", words)) == 2:
        names = unit_of(parts[0], None), unit_of(parts[1], power)
        return None if None in names else "/".join(map(str, names))
    for prefix, exponent in (("square ", "2"), ("sq ", "2"), ("cubic ", "3"), ("cu ", "3")):
        if words.startswith(prefix):
            words, power = words[len(prefix) :], exponent
    inner = re.fullmatch(r"(.*?)\^?([23])", words)
    if inner and inner[1] in UNITS:
        words, power = inner[1], inner[2]
    words = re.sub(
        r"^(?:different|distinct|possible|positive|real) | (?:tall|long|wide|high|old)$", "", words
    )
    name = UNITS.get(words) or UNITS.get(words.lower() if len(words) > 2 else words)
    return None if name is None else name + (f"^{power}" if power else "")
