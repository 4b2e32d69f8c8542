"""A Ray cluster of several nodes on this machine, for the tests alone."""

import os
import shutil
import tempfile

import pytest

try:
    import psutil
    import ray
    from ray.cluster_utils import Cluster
except ImportError:  # then every test here is skipped
    pass


class Machines:
    """The cluster, and what its nodes run."""

    def __init__(self):
        self._cluster = Cluster(
            initialize_head=True,
            head_node_args={
                "num_cpus": 1,
                "include_dashboard": False,
                # So that a node that is gone is missed within seconds.
                "_system_config": {
                    "health_check_initial_delay_ms": 1000,
                    "health_check_period_ms": 1000,
                    "health_check_failure_threshold": 3,
                },
            },
        )
        self.address = self._cluster.address
        self.head = self._cluster.head_node

    def add(self, cores=1):
        return self._cluster.add_node(num_cpus=cores)

    def remove(self, node):
        """The node is gone at once, with all that runs on it."""
        doomed = psutil.Process(self.raylet(node)).children(recursive=True)
        self._cluster.remove_node(node, allow_graceful=False)
        for process in doomed:
            if process.is_running():
                process.kill()

    def settle(self):
        """Wait until every node that is gone has been missed."""
        self._cluster.wait_for_nodes()

    def raylet(self, node):
        return node.all_processes["raylet"][0].process.pid

    def hosts(self, node):
        """Ray's processes on a node that have a worker of a pool."""
        children = psutil.Process(self.raylet(node)).children()
        rays = [child for child in children if "ray::" in " ".join(child.cmdline())]
        return [child for child in rays if child.children()]

    def close(self):
        self._cluster.shutdown()


@pytest.fixture(scope="session")
def machines():
    # A folder of our own, with a short name, because it holds sockets. Not /tmp/ray: another
    # cluster on this machine would be taken for ours, and ours for it.
    folder = tempfile.mkdtemp(prefix="rlve-", dir="/tmp")
    os.environ["RAY_TMPDIR"] = folder
    machines = Machines()
    yield machines
    ray.shutdown()
    machines.close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def second(machines):
    """A second node."""
    node = machines.add()
    yield node
    if node.any_processes_alive():
        machines.remove(node)
    machines.settle()
