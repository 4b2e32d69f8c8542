import math
from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rlve.models.packs import (
    MULTIPLE,
    SHARED_TOKENS,
    PackedRow,
    can_share,
    fill,
    micro_batches,
    pack,
    pack_flat,
    share,
)
from support.families import WINDOW, tiny, tiny_model

CPU = torch.device("cpu")


def test_each_output_sees_the_prompt_and_itself():
    row = PackedRow([1, 2], [[3, 4, 5], [6], [7, 8]])
    packed = pack([row], CPU, torch.float32)
    assert len(row) == 5  # the last token of each output predicts nothing
    assert packed.inputs["input_ids"][0, :5].tolist() == [1, 2, 3, 4, 7]
    assert packed.inputs["position_ids"][0, :5].tolist() == [0, 1, 2, 3, 2]
    mask = packed.inputs["attention_mask"]
    assert mask.shape == (1, 1, MULTIPLE, MULTIPLE)
    assert (mask[0, 0, :5, :5] == 0).tolist() == [
        [True, False, False, False, False],
        [True, True, False, False, False],
        [True, True, True, False, False],
        [True, True, True, True, False],
        [True, True, False, False, True],
    ]
    assert packed.tokens.tolist() == [3, 4, 5, 6, 7, 8]
    assert packed.sources.tolist() == [1, 2, 3, 1, 1, 4]
    replied = pack([replace(row, given=[[(1, 2)], [], []])], CPU, torch.float32)
    assert replied.inputs["input_ids"].equal(packed.inputs["input_ids"])  # it is read
    assert replied.tokens.tolist() == [3, 5, 6, 7, 8]  # and not scored
    assert replied.sources.tolist() == [1, 3, 1, 1, 4]
    with pytest.raises(ValueError, match="each of the outputs"):
        replace(row, given=[[(1, 2)]])


def test_padding_sees_something_and_is_seen_by_nothing():
    rows = [PackedRow([1, 2], [[3, 4], [5, 6]]), PackedRow([1], [[2, 3, 4], [5]])]
    mask = pack(rows, CPU, torch.float32).inputs["attention_mask"][:, 0]
    assert (mask == 0).any(dim=-1).all()  # a softmax over nothing is no number
    for i, row in enumerate(rows):
        assert torch.isinf(mask[i, : len(row), len(row) :]).all()


def test_without_padding_spans_say_what_each_output_sees():
    rows = [PackedRow([1, 2], [[3, 4, 5], [6], [7, 8]]), PackedRow([9], [[10, 11]])]
    packed = pack_flat(rows, CPU)
    assert packed.inputs["input_ids"].tolist() == [[1, 2, 3, 4, 7, 9, 10]]
    assert packed.inputs["position_ids"].tolist() == [[0, 1, 2, 3, 2, 0, 1]]
    spans = packed.inputs["rlve_spans"]
    assert spans.query_ends.tolist() == [0, 2, 4, 5, 6, 7]
    ends = spans.key_ends.tolist()
    seen = [spans.keys[a:b].tolist() for a, b in pairwise(ends)]
    assert seen == [[0, 1], [0, 1, 2, 3], [0, 1, 4], [5], [5, 6]]
    assert (spans.most_queries, spans.most_keys) == (2, 4)
    assert packed.tokens.tolist() == [3, 4, 5, 6, 7, 8, 10, 11]
    assert packed.sources.tolist() == [1, 2, 3, 1, 1, 4, 5, 6]


@given(lengths=st.lists(st.integers(1, 40), max_size=30), budget=st.integers(1, 60))
def test_passes_without_padding_are_filled_up_to_the_budget(lengths, budget):
    parts = fill(lengths, budget)
    assert sorted(i for part in parts for i in part) == list(range(len(lengths)))
    totals = [sum(lengths[i] for i in part) for part in parts]
    assert all(total <= budget or len(part) == 1 for total, part in zip(totals, parts, strict=True))
    # No two passes would fit into one.
    assert all(a + b > budget for i, a in enumerate(totals) for b in totals[:i])


def test_plain_rows_need_no_mask():
    packed = pack([PackedRow([1, 2], [[3]]), PackedRow([4], [[5, 6, 7]])], CPU, torch.float32)
    assert set(packed.inputs) == {"input_ids"}
    assert packed.inputs["input_ids"].tolist() == [[1, 2, 0], [4, 5, 6]]
    assert packed.tokens.tolist() == [3, 5, 6, 7]
    assert packed.sources.tolist() == [1, 3, 4, 5]


@pytest.mark.parametrize(("prompt", "outputs"), [([], [[1]]), ([1], [[2], []])])
def test_nothing_can_be_predicted_from_nothing(prompt, outputs):
    with pytest.raises(ValueError, match="at least one token"):
        PackedRow(prompt, outputs)


@given(prompt=st.integers(1, 5000), outputs=st.lists(st.integers(1, 3000), min_size=1, max_size=20))
def test_every_output_has_one_row_and_sharing_pays(prompt, outputs):
    rows = share(prompt, outputs)
    assert sorted(i for row in rows for i in row) == list(range(len(outputs)))
    for row in rows:
        if len(row) > 1:
            own = sum(outputs[i] for i in row)
            assert own <= SHARED_TOKENS
            assert 2 * (prompt + own) <= prompt * len(row) + own


def test_short_answers_to_a_long_prompt_share_a_row_and_long_ones_do_not():
    assert share(300, [64] * 16) == [list(range(16))]
    assert share(300, [64] * 16 + [24_576]) == [list(range(16)), [16]]
    assert share(300, [24_576] * 3) == [[0], [1], [2]]
    assert share(4096, [200] * 20) == [list(range(10)), list(range(10, 20))]
    assert share(60, [60, 60]) == [[0], [1]]


@given(
    st.lists(
        st.tuples(st.integers(1, 9), st.lists(st.integers(1, 9), min_size=1, max_size=4)),
        min_size=1,
        max_size=12,
    )
)
def test_micro_batches_keep_to_the_budget_and_shared_rows_to_themselves(shapes):
    rows = [PackedRow([1] * prompt, [[1] * n for n in outputs]) for prompt, outputs in shapes]
    batches = micro_batches(rows, 24, overhead=5)
    assert sorted(i for batch in batches for i in batch) == list(range(len(rows)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(len(rows[i]) for i in batch) <= 24
        assert len({rows[i].shared for i in batch}) == 1


@given(st.lists(st.integers(1, 90), min_size=1, max_size=7), st.integers(0, 200))
def test_no_other_cut_of_a_batch_is_cheaper(lengths, overhead):
    budget = 200
    rows = [PackedRow([1] * length, [[1]]) for length in lengths]

    def cost(parts):
        widths = [(len(part), max(len(rows[i]) for i in part)) for part in parts]
        if any(count > 1 and count * width > budget for count, width in widths):
            return math.inf
        return sum(count * width + overhead for count, width in widths)

    assert cost(micro_batches(rows, budget, overhead)) == min(map(cost, partitions(len(rows))))


def partitions(count):
    """All ways to put this many things into parts."""
    if not count:
        return [[]]
    return [
        [*parts[:at], [*(parts[at] if at < len(parts) else []), count - 1], *parts[at + 1 :]]
        for parts in partitions(count - 1)
        for at in range(len(parts) + 1)
    ]


def test_rows_of_very_different_lengths_do_not_share_a_pass():
    short = [PackedRow([1] * 20, [[2] * 5])] * 60
    long = [PackedRow([1] * 900, [[2] * 5])] * 4
    assert list(map(len, micro_batches([*short, *long], 10**6, 1024))) == [4, 60]
    assert len(micro_batches(short, 10**6, 1024)) == 1  # a pass has its price
    assert len(micro_batches([*short, *long], 10**6, 10**6)) == 1  # and on a GPU a high one


@pytest.mark.parametrize("family", ["llama", "qwen2", "qwen3", "gpt2"])
def test_models_that_see_everything_can_share(family):
    assert can_share(tiny(family), 10**6)


@pytest.mark.parametrize("family", ["qwen2, window", "gemma3", "mistral, window"])
def test_models_with_windows_can_share_rows_that_fit_them(family):
    assert can_share(tiny(family), WINDOW)
    assert not can_share(tiny(family), WINDOW + 1)


@pytest.mark.parametrize("family", ["llama, eager", "gemma2", "gpt-oss"])
def test_models_that_need_attention_of_their_own_cannot_share(family):
    assert not can_share(tiny(family), 2)


def test_models_that_nobody_has_tried_do_not_share():
    assert not can_share(tiny_model("granite"), 2)
