"""Files that are replaced, and locks: one process works in a folder, and others may look."""

from rlve.files import remove_drafts, replacing


def test_two_writers_that_replace_a_file_at_once_have_a_draft_each(tmp_path):
    path = tmp_path / "state.json"
    with replacing(path) as first:
        first.write(b"first")
        with replacing(path) as second:
            second.write(b"second")
            drafts = list(tmp_path.iterdir())
            assert len(drafts) == 2
        assert path.read_bytes() == b"second"
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]
    for draft in drafts:  # as if the writers had been killed
        draft.touch()
    remove_drafts(tmp_path)
    assert list(tmp_path.iterdir()) == [path]
