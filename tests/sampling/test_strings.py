from random import Random

from rlve.sampling.strings import random_string


def test_the_second_letter_has_the_given_probability():
    assert random_string(Random(0), 5, 0.0) == "00000"
    assert random_string(Random(0), 5, 1.0, "ab") == "bbbbb"
    assert random_string(Random(0), 0, 0.5) == ""
    text = random_string(Random(0), 1000, 0.2, "jp")
    assert 150 < text.count("p") < 250
    assert text.count("j") == 1000 - text.count("p")
