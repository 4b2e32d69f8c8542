from support.training_fixtures import one_thread, successor, tiny_policy

__all__ = ["one_thread", "successor", "tiny_policy"]
