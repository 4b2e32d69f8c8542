import itertools
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rlve.curricula import AdaptiveCurriculum, StaticCurriculum
from rlve.errors import GenerationError, UserError
from rlve.pool import Pool
from rlve.registry import environment, registered
from rlve.stream import Stream

# Workers import environments by name, along the path of this process.
from support.misbehaving import WAYS, Fickle, Misbehaving

NAMES = ["Sorting", "Fickle"]


@pytest.fixture(autouse=True, scope="module")
def known():
    with registered(Fickle), registered(Misbehaving):
        yield


@pytest.fixture(scope="module")
def pools():
    with Pool(1, deadline=60) as one, Pool(2, deadline=60) as two:
        yield {0: None, 1: one, 2: two}


def adaptive():
    return AdaptiveCurriculum(NAMES, tau_num=1)


def raise_difficulty(curriculum, name):
    curriculum.observe_group(name, curriculum.bounds(name)[1], [True], [1.0])
    assert curriculum.step()


# What the trainer does between two calls: nothing, mastering an environment, looking ahead, or
# saving everything and going on in another process.
ACTIONS = st.sampled_from(["", "Sorting", "Fickle", "look ahead", "resume"])


@given(
    plan=st.lists(st.tuples(st.integers(0, 12), ACTIONS), min_size=1, max_size=8),
    workers=st.sampled_from([0, 1, 2]),
    ahead=st.sampled_from([0, 1, 7, 40]),
    one_by_one=st.booleans(),
)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_nothing_but_seed_position_and_curriculum_matters(
    pools,
    plan,
    workers,
    ahead,
    one_by_one,
):
    plain = Stream(adaptive(), seed=5, max_prompt_length=180)
    other = Stream(adaptive(), seed=5, max_prompt_length=180, pool=pools[workers], ahead=ahead)
    for count, action in plan:
        expected = plain.take(count)
        items = list(itertools.islice(other, count)) if one_by_one else other.take(count)
        assert items == expected
        assert other.state_dict() == plain.state_dict()
        if action in NAMES:
            raise_difficulty(plain.curriculum, action)
            raise_difficulty(other.curriculum, action)
        elif action == "look ahead":
            other.look_ahead()
        elif action == "resume":
            state = json.loads(json.dumps(other.state_dict()))
            other = Stream(
                adaptive(), seed=99, max_prompt_length=180, pool=pools[workers], ahead=ahead
            )
            other.load_state_dict(state)


def test_an_item_says_how_to_make_it_again():
    items, others = (
        Stream(StaticCurriculum(["Sorting"], 0, 3), seed=seed).take(50) for seed in (0, 1)
    )
    assert [item.position for item in items] == list(range(50))
    assert {item.difficulty for item in items} == {0, 1, 2, 3}
    assert len({item.seed for item in (*items, *others)}) == 100
    for item in items:
        again = environment(item.name).generate(difficulty=item.difficulty, seed=item.seed)
        assert item.problem == again


def test_problems_follow_the_curriculum_at_once(pools):
    curriculum = AdaptiveCurriculum(["Sorting"], tau_num=1, window=1)
    stream = Stream(curriculum, seed=0, pool=pools[2], ahead=100)
    for difficulty in range(5):
        assert {item.difficulty for item in stream.take(10)} == {difficulty}
        raise_difficulty(curriculum, "Sorting")


def test_only_the_draws_that_changed_are_generated_anew(pools):
    pool = pools[1]
    assert pool is not None
    asked: list[str] = []

    curriculum = AdaptiveCurriculum(["Sorting", "Misbehaving"], tau_num=1, window=1)
    stream = Stream(curriculum, seed=0, pool=pool, ahead=50)
    stream.look_ahead()
    generate = pool.generate
    with pytest.MonkeyPatch.context() as patch:

        def watched(requests):  # pyright: ignore
            listed = list(requests)
            asked.extend(request.environment.__name__ for request in listed)
            return generate(listed)

        patch.setattr(pool, "generate", watched)
        stream.take(10)
        assert asked == []
        raise_difficulty(curriculum, "Sorting")
        items = stream.take(10)
        assert asked == ["Sorting"] * sum(item.name == "Sorting" for item in items)
        asked.clear()
        stream.take(10)
        assert asked == []  # the bets have been renewed


def test_what_cannot_be_generated_is_redrawn_and_counted(caplog):
    stream = Stream(StaticCurriculum(["Fickle"], 0, 0), seed=1)
    items = stream.take(40)
    failed = stream.redrawn["Fickle"]["error"]
    assert failed > 5
    assert len(items) == 40
    state = stream.state_dict()
    assert state["redrawn"] == {"Fickle": {"error": failed}}
    [message] = caplog.messages  # only the first, the others are counted
    assert "GenerationError: it does not feel like it" in message


@pytest.mark.parametrize(
    ("how", "kind"), [("loop", "deadline"), ("kill", "crash"), ("grow", "memory")]
)
def test_what_takes_a_worker_down_is_redrawn_and_counted(how, kind):
    with Pool(1, deadline=0.4 if how == "loop" else 60, memory=256 * 2**20) as pool:
        d = WAYS.index(how)
        curriculum = _Scripted([("Sorting", 1), ("Misbehaving", d), ("Sorting", 2), ("Sorting", 3)])
        stream = Stream(curriculum, seed=0, pool=pool, ahead=0)
        assert [item.difficulty for item in stream.take(3)] == [1, 3, 2]
        assert stream.redrawn == {"Misbehaving": {kind: 1}}


class _Scripted(StaticCurriculum):
    """Draws what it is told to, in this order."""

    def __init__(self, draws):
        super().__init__(["Sorting"], 0, 0)
        self.draws = iter(draws)

    def draw(self, rng):
        return next(self.draws)


def test_prompts_that_are_too_long_are_redrawn_and_counted():
    curriculum = StaticCurriculum(["Sorting"], 0, 12)
    free = Stream(curriculum, seed=0).take(60)
    lengths = sorted(len(item.problem.prompt()) for item in free)
    limit = lengths[30]
    stream = Stream(curriculum, seed=0, max_prompt_length=limit)
    items = stream.take(60)
    assert max(len(item.problem.prompt()) for item in items) <= limit
    kept = [item for item in free if len(item.problem.prompt()) <= limit]
    assert [item for item in items if item in free] == kept
    assert stream.redrawn["Sorting"]["too long"] >= 60 - len(kept)

    words = Stream(curriculum, seed=0, max_prompt_length=45, length=lambda text: len(text.split()))
    assert max(len(item.problem.prompt().split()) for item in words.take(30)) <= 45
    assert words.redrawn["Sorting"]["too long"] > 0


def test_an_interrupted_call_leaves_everything_as_it_was():
    stream = Stream(StaticCurriculum(["Sorting"], 0, 12), seed=3, max_prompt_length=222)
    stream.take(10)
    before = stream.state_dict()
    interrupted = iter([len] * 700)

    def length(text):
        return next(interrupted)(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream, "_length", length)
        with pytest.raises(StopIteration):
            stream.take(1000)
    assert stream.state_dict() == before


def test_if_it_cannot_look_ahead_the_call_leaves_everything_as_it_was(pools, monkeypatch):
    pool = pools[1]
    assert pool is not None
    stream = Stream(adaptive(), seed=3, pool=pool, ahead=4)
    expected = Stream(adaptive(), seed=3).take(12)
    assert stream.take(2) == expected[:2]
    before = stream.state_dict()

    def prepare(requests):
        raise UserError("the pool is closed")

    with monkeypatch.context() as patch:
        patch.setattr(pool, "prepare", prepare)
        with pytest.raises(UserError, match="the pool is closed"):
            stream.take(10)
    assert stream.state_dict() == before
    assert stream.take(10) == expected[2:]


def test_when_no_draw_gives_a_problem_there_is_a_clear_error():
    stream = Stream(StaticCurriculum(["Sorting"], 4, 4), seed=0, max_prompt_length=10)
    with pytest.raises(
        GenerationError,
        match=r"^100 draws in a row gave no problem, the last: Sorting at difficulty 4 with seed "
        r"\d+, too long: its prompt has length \d+, more than 10; raise the prompt limit or the "
        r"deadline, or lower the difficulties$",
    ):
        stream.take(1)
    assert stream.position == 0
    assert stream.redrawn == {}
    with pytest.raises(GenerationError, match="it does not feel like it"):
        Stream(StaticCurriculum(["Fickle"], 1, 1), seed=0).take(3)


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"seed": 0, "position": "3", "redrawn": {}, "curriculum": {}},
        {"seed": 0, "position": 3, "redrawn": {}, "curriculum": {}},
        {"seed": 0, "position": -1, "redrawn": {}, "curriculum": {}},
    ],
)
def test_a_broken_state_is_refused(broken):
    stream = Stream(adaptive(), seed=0)
    before = stream.state_dict()
    with pytest.raises(UserError, match="not the state of"):
        stream.load_state_dict(broken)
    assert stream.state_dict() == before


def test_impossible_settings():
    with pytest.raises(UserError, match="max_prompt_length must be at least 1, not 0"):
        Stream(adaptive(), seed=0, max_prompt_length=0)
    with pytest.raises(UserError, match="ahead must be at least 0, not -1"):
        Stream(adaptive(), seed=0, ahead=-1)
    with pytest.raises(UserError, match="at least 0, not -1"):
        Stream(adaptive(), seed=0).take(-1)
    assert Stream(adaptive(), seed=0).take(0) == []
