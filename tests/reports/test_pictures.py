"""Problems as pictures: every one that an environment declares, and each kind in detail."""

import re
from dataclasses import asdict
from xml.etree import ElementTree

import msgspec
import pytest

import rlve
from rlve.foundation.pictures import Bars, Graph, Grid, Intervals, Points
from rlve.reports.pictures import ACCENT, COLOURS, draw, has_picture

EVERY = [*rlve.environments(), *rlve.dialogues()]
PICTURED = [name for name in EVERY if has_picture(rlve.environment(name))]
SVG = "{http://www.w3.org/2000/svg}"
FIELDS = {
    "edges", "vertices", "parents", "values", "marked", "cells", "rows", "columns", "left",
    "right", "top", "bottom", "points", "x", "y", "intervals", "low", "high", "heights",
}  # fmt: skip


def parts_of(cls):
    return cls.picture if isinstance(cls.picture, tuple) else (cls.picture,)


def drawing(picture, answer=None, **fields):
    """What is drawn of a problem with these fields, which is declared like this."""
    made = msgspec.defstruct("Made", [(name, object) for name in fields])(**fields)
    type(made).picture = picture
    drawn = draw(made, answer)
    return None if drawn is None else ElementTree.fromstring(drawn)


def found(svg, tag, **attributes):
    return [
        each
        for each in svg.iter(f"{SVG}{tag}")
        if all(each.get(name.replace("_", "-")) == value for name, value in attributes.items())
    ]


def texts(svg, **attributes):
    return [each.text for each in found(svg, "text", **attributes)]


def test_many_environments_have_pictures():
    kinds = [{type(part) for part in parts_of(rlve.environment(name))} for name in PICTURED]
    assert sum(kind != {Bars} for kind in kinds) >= 150


@pytest.mark.parametrize("name", PICTURED)
def test_every_picture_is_drawn_from_fields_and_shows_the_answer(name):
    cls = rlve.environment(name)
    known = {field.name for field in msgspec.structs.fields(cls)}
    for part in parts_of(cls):
        replaced = {"parents": "edges", "x": "points", "low": "intervals"}
        given = {key: value for key, value in asdict(part).items() if value is not None}
        unused = {replaced[key] for key in given.keys() & replaced.keys()}
        unused |= {"rows", "columns"} if "cells" in given else set()
        named = {value for key, value in given.items() if key in FIELDS - unused}
        named |= {name for name, _ in given.get("signs", ())}
        assert {name for name in named if isinstance(name, str)} <= known
    differs = drawn = False
    for d in (0, 3):
        for seed in range(2 if d <= (cls.max_difficulty or d) else 0):
            problem = cls.generate(difficulty=d, seed=seed)
            plain, answered = draw(problem), draw(problem, problem.reference())
            assert (plain is None) is (answered is None)
            if plain is None or answered is None:
                continue
            ElementTree.fromstring(plain)
            ElementTree.fromstring(answered)
            assert ACCENT not in plain
            drawn, differs = True, differs or plain != answered
    assert drawn
    assert differs is any(part.answer is not None for part in parts_of(cls))


@pytest.mark.parametrize("name", PICTURED)
def test_a_picture_counts_as_its_prompt_does(name):
    cls = rlve.environment(name)
    prompt = cls.generate(difficulty=3, seed=1).prompt()
    for part in parts_of(cls):
        if isinstance(part, Graph) and (said := re.search(r"numbered from (\d+)", prompt)):
            assert part.first == int(said[1])
        if isinstance(part, Bars) and (said := re.search(rf"\b{part.heights}\[(\d+)\]=", prompt)):
            assert part.first == int(said[1])


@pytest.mark.parametrize(
    ("name", "secrets"),
    [
        ("Battleships", ["ships"]),
        ("DarkMaze", ["passages"]),
        ("Minefield", ["mines"]),
        ("RobotRules", ["meanings", "turn"]),
        ("SlidingTiles", ["solution"]),
        ("Sokoban", ["solution"]),
        ("TwentyQuestions", ["secret"]),
    ],
)
def test_a_picture_does_not_show_what_a_player_must_find_out(name, secrets):
    one, other = (rlve.environment(name).generate(difficulty=4, seed=seed) for seed in (1, 2))
    changed = {secret: getattr(other, secret) for secret in secrets}
    drawn = draw(msgspec.structs.replace(one, **changed))
    assert drawn is not None
    assert drawn == draw(one, one.reference())


def test_a_graph_shows_vertices_edges_labels_values_and_what_is_special():
    graph = Graph(first=1, directed=True, values="C", marked="special")
    svg = drawing(graph, N=3, edges=[(1, 2, 7), (2, 3, 9)], C=[10, 20, 30], special=[2])
    assert sorted(texts(svg)) == sorted(["1", "2", "3", "7", "9", "10", "20", "30"])
    assert len(found(svg, "line")) == len(found(svg, "polygon")) == 2  # an arrow for each edge
    assert len(found(svg, "circle", stroke_width="3")) == 1


@pytest.mark.parametrize(
    ("answer", "text", "lit"),
    [
        ("edges", "1 2", ({(1, 2)}, set())),
        ("edges", "2 1", ({(1, 2)}, set())),  # without a direction
        ("edges", "0 1 1 2", ({(0, 1), (1, 2)}, set())),
        ("path", "0 1 2", ({(0, 1), (1, 2)}, {0, 1, 2})),
        ("vertices", "2", (set(), {2})),
        ("vertices", "2 99 -5 word", (set(), {2})),
        (None, "0 1", (set(), set())),
    ],
)
def test_an_answer_lights_up_edges_or_vertices(answer, text, lit):
    edges = [(0, 1), (1, 2)]
    svg = drawing(Graph(answer=answer), text, N=3, edges=edges)
    lines = found(svg, "line")
    assert {edge for edge, line in zip(edges, lines, strict=True) if line.get("stroke") == ACCENT} \
        == lit[0]  # fmt: skip
    circles = found(svg, "circle")[1::2]
    assert {v for v, each in enumerate(circles) if each.get("fill") == ACCENT} == lit[1]


@pytest.mark.parametrize(
    ("answer", "text", "fills", "told"),
    [
        ("classes", "5 7 5", [COLOURS[0], COLOURS[1], COLOURS[0]], []),
        ("sets", "0 2\n1", [COLOURS[0], COLOURS[1], COLOURS[0]], []),
        ("order", "2 0 1", ["none"] * 3, ["2", "3", "1"]),
        ("values", "7 -3 0", ["none"] * 3, ["7", "-3", "0"]),
    ],
)
def test_an_answer_colours_vertices_or_stands_beside_them(answer, text, fills, told):
    svg = drawing(Graph(answer=answer), text, N=3, edges=[(0, 1), (1, 2)])
    assert [each.get("fill") for each in found(svg, "circle")[1::2]] == fills
    assert texts(svg, fill=ACCENT) == told


def test_paths_have_colours_of_their_own_and_edges_that_an_answer_adds_are_dashed():
    svg = drawing(Graph(answer="path"), "0 1\n1 2", N=3, edges=[(0, 1), (1, 2)])
    assert [line.get("stroke") for line in found(svg, "line")] == list(COLOURS[:2])
    svg = drawing(Graph(answer="edges"), "0 2", N=3, edges=[(0, 1), (1, 2)])
    [added] = found(svg, "line", stroke=ACCENT)
    assert added.get("stroke-dasharray")


def test_two_directions_stand_apart():
    svg = drawing(Graph(directed=True), N=2, edges=[(0, 1), (1, 0)])
    one, other = found(svg, "line")
    assert (one.get("y1"), one.get("x1")) != (other.get("y2"), other.get("x2"))


def test_an_edge_without_a_vertex_is_an_error():
    with pytest.raises(ValueError, match="an edge ends at 3 of 3 vertices"):
        drawing(Graph(), N=3, edges=[(0, 3)])
    assert len(found(drawing(Graph(vertices=None), edges=[(0, 3)]), "circle")) == 8


@pytest.mark.parametrize(
    ("graph", "fields"),
    [
        (Graph(parents="up"), {"N": 4, "up": [0, 0, 1]}),  # of each but the first
        (Graph(parents="up"), {"N": 4, "up": [None, 0, 0, 1]}),
        (Graph(parents="up", first=1), {"N": 4, "up": [(1, 5), (1, 6), (2, 7)]}),
        (Graph("rows"), {"N": 4, "rows": [[0, 1, 1, 0], [0, 0, 0, 1], [0] * 4, [0] * 4]}),
    ],
)
def test_edges_are_read_in_the_forms_that_fields_have(graph, fields):
    svg = drawing(graph, **fields)
    places = [(each.get("cx"), each.get("cy")) for each in found(svg, "circle")[::2]]
    starts, ends = (
        [places.index((e.get(f"x{n}"), e.get(f"y{n}"))) for e in found(svg, "line")] for n in (1, 2)
    )
    pairs = {frozenset(pair) for pair in zip(starts, ends, strict=True)}
    assert pairs == {frozenset(pair) for pair in ((0, 1), (0, 2), (1, 3))}


def test_a_tree_hangs_from_its_root_and_nothing_overlaps():
    svg = drawing(Graph(), N=6, edges=[(0, 1), (0, 2), (1, 3), (1, 4), (2, 5)])
    places = [(float(e.get("cx")), float(e.get("cy"))) for e in found(svg, "circle")[::2]]
    assert [y for _, y in places] == [34, 82, 82, 130, 130, 130]
    assert len(set(places)) == 6
    assert places[1][0] == (places[3][0] + places[4][0]) / 2


def test_vertices_of_any_graph_keep_apart():
    problem = rlve.environment("MinimumSpanningTree").generate(difficulty=6, seed=1)
    svg = ElementTree.fromstring(draw(problem))
    places = [(float(e.get("cx")), float(e.get("cy"))) for e in found(svg, "circle")[::2]]
    apart = [abs(complex(*a) - complex(*b)) for a in places for b in places if a is not b]
    assert min(apart) > 22  # the radii are 11


def test_cells_are_empty_filled_or_say_something():
    svg = drawing(Grid(left="rows", top="columns"), grid=["#.", "3."], rows=[4, 5], columns=[6, 7])
    assert sorted(texts(svg)) == ["3", "4", "5", "6", "7"]
    assert len(found(svg, "rect")) == 4
    assert len(found(svg, "rect", fill="currentColor")) == 1


@pytest.mark.parametrize(
    ("answer", "text", "changed"),
    [
        ("grid", "a b\nc d", {"texts": ["b", "c", "d"]}),  # "a" was there before
        ("grid", "ab\ncd", {"texts": ["b", "c", "d"]}),
        ("marks", ".*\n..", {"filled": 1}),
        ("cells", "0 1\n1 0", {"filled": 2}),
        ("columns", "1 0", {"filled": 2}),
        ("moves", "RD", {"lines": 2}),
    ],
)
def test_an_answer_is_drawn_into_a_grid(answer, text, changed):
    svg = drawing(Grid(answer=answer), text, grid=["a.", ".."])
    assert texts(svg, fill=ACCENT) == changed.get("texts", [])
    assert len(found(svg, "rect", fill=ACCENT)) == changed.get("filled", 0)
    assert len(found(svg, "line", stroke=ACCENT)) == changed.get("lines", 0)


def test_another_grid_stands_beside_the_question():
    svg = drawing(Grid(answer="beside"), "-1 0\n1 2", grid=["X1", ".."])
    assert texts(svg) == ["X", "1", "-1", "0", "1", "2"]
    assert len(found(svg, "g", color=ACCENT)) == 1


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ((1, 2), ".....#..."),  # a cell: (row, column)
        ([(0, 1), (2, 0)], ".#....#.."),
        ([1, 2], ".##......"),  # the columns of one row
        ([[1], [], [0, 2]], ".#....#.#"),  # of each row
    ],
)
def test_signs_are_put_into_cells(field, said):
    svg = drawing(Grid(None, columns=3, signs=(("there", "#"),)), N=3, there=field)
    fills = [each.get("fill") for each in found(svg, "rect")]
    assert fills == ["currentColor" if sign == "#" else "none" for sign in said]


def test_several_signs_can_be_in_a_cell_and_are_counted_as_the_problem_counts():
    grid = Grid(None, rows=1, columns="N", first=1, signs=(("start", "S"), ("places", "o")))
    assert texts(drawing(grid, N=3, start=(1, 2), places=[(1, 2), (1, 3)])) == ["So", "o"]


def test_cells_in_one_list_are_broken_into_rows():
    svg = drawing(Grid("tiles", columns="N", blank="0"), N=2, tiles=[3, 1, 0, 2])
    assert [(each.get("x"), each.get("y")) for each in found(svg, "text")] == [
        ("14.0", "18.0"),
        ("40.0", "18.0"),
        ("40.0", "44.0"),
    ]


def test_points_are_chosen_or_joined():
    svg = drawing(Points(answer="points"), "1", points=[(0, 0), (4, 5)])
    assert texts(svg) == ["0, 0", "4, 5"]
    assert [each.get("fill") for each in found(svg, "circle")] == ["currentColor", ACCENT]
    (low, high) = (float(each.get("cy")) for each in found(svg, "circle"))
    assert low > high  # y grows upwards
    svg = drawing(Points(None, "X", "Y", answer="polygon"), "0 1 2", X=[0, 1, 0], Y=[0, 0, 1])
    assert len(found(svg, "polygon")[0].get("points").split()) == 3


def test_segments_have_lines_and_groups_of_points_have_rows():
    svg = drawing(Points("segments"), segments=[(0, 0, 4, 5), (1, 1, 2, 0)])
    assert texts(svg) == ["0, 0", "4, 5", "1, 1", "2, 0"]
    line = found(svg, "line")[0]
    ends = [(line.get(f"x{n}"), line.get(f"y{n}")) for n in (1, 2)]
    assert ends == [(each.get("cx"), each.get("cy")) for each in found(svg, "circle")[:2]]
    svg = drawing(Points(), points=[[4, -1], [2]])
    assert texts(svg) == ["4", "-1", "2"]
    assert not found(svg, "line")
    first, second, third = (float(each.get("cy")) for each in found(svg, "circle"))
    assert first == second < third


def test_intervals_are_chosen_or_classed():
    svg = drawing(Intervals(first=1, answer="chosen"), "2", intervals=[(0, 10), (5, 10)])
    first, second = found(svg, "rect")
    assert (first.get("fill"), second.get("fill")) == ("currentColor", ACCENT)
    assert float(first.get("width")) > float(second.get("width"))
    assert texts(svg) == ["1", "0 10", "2", "5 10", "0", "10"]
    svg = drawing(Intervals(None, "L", "R", answer="classes"), "1\n2\n1", L=[0, 1, 2], R=[3, 4, 5])
    fills = [each.get("fill") for each in found(svg, "rect")]
    assert fills == [COLOURS[0], COLOURS[1], COLOURS[0]]


def test_bars_are_chosen_or_changed():
    svg = drawing(Bars(answer="positions"), "1", A=[3, -2])
    three, minus_two = found(svg, "rect")
    assert minus_two.get("fill") == ACCENT
    assert float(three.get("height")) == pytest.approx(1.5 * float(minus_two.get("height")), abs=1)
    svg = drawing(Bars(answer="heights"), "2 3", A=[3, 2])
    assert len(found(svg, "line", stroke=ACCENT)) == 2
    other = drawing(Bars(answer="heights"), "2", A=[3, 2])  # of another length
    assert not found(other, "line", stroke=ACCENT)


def test_several_pictures_stand_side_by_side():
    svg = drawing((Grid("A"), Grid("B")), A=["a"], B=["b"])
    assert texts(svg) == ["A", "a", "B", "b"]
    left, right = (each.get("transform") for each in found(svg, "g")[::2])
    assert left != right


def test_graphs_with_the_same_vertices_have_them_in_the_same_places():
    edges = {"one": [(0, 1), (1, 2), (2, 3), (3, 0)], "other": [(0, 2)]}
    svg = drawing((Graph("one"), Graph("other")), N=4, **edges)
    places = [(each.get("cx"), each.get("cy")) for each in found(svg, "circle")[::2]]
    assert places[:4] == places[4:]


def test_what_is_too_large_to_be_seen_is_not_drawn():
    assert drawing(Graph(), N=41, edges=[]) is None
    assert drawing(Grid(), grid=["." * 31] * 31) is None
    assert drawing(Bars(), A=[1] * 121) is None


def test_labels_of_strangers_are_cut_and_escaped():
    svg = drawing(Grid(), grid=[["<b>&", "a long word of theirs", "\x1b[31m"]])
    assert texts(svg)[:2] == ["<b>&", "a long …"]
