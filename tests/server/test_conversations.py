"""Dialogues as the studio shows them: turns that were wasted are marked."""

import rlve
from rlve.dialogue import conversation
from rlve.server.studio.folders import Folders
from rlve.server.studio.pages import Links
from rlve.server.studio.problems import replay_output
from rlve.server.studio.rollouts import RolloutFilter
from rlve.server.studio.views import Pages, Studio
from support.studio_folders import make_run

SAID = ["<answer>1 99</answer>", "I pass", "<answer>1 1</answer>"]


def test_a_turn_is_wasted_by_a_move_that_is_not_allowed(pool, tmp_path):
    talk = replay_output((rlve.environment("PlayNim")(heaps=[5, 6]), conversation(SAID)))
    assert [turn.allowed for turn in talk.turns] == [False, True, True]
    assert [turn.readable for turn in talk.turns] == [True, False, True]
    assert (talk.refused, talk.unreadable) == (1, 1)
    folder = make_run(tmp_path / "run", ("PlayNim",), steps=1, text=conversation(SAID))
    text = Pages(Studio(Folders([folder]), pool), Links()).group("run", 0, RolloutFilter())
    assert (
        '<p class="note">The move is not allowed: the turn is wasted.</p><pre class="wrong">'
        in text
    )
    assert "; 1 could not be read; 1 not allowed." in text
