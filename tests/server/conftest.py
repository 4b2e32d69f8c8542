import pytest

from rlve.pool import Pool
from rlve.server.service import create_service
from support.serving import serving


@pytest.fixture(scope="package")
def pool():
    with Pool(workers=2) as found:
        yield found


@pytest.fixture(scope="package")
def gym_url(pool):
    with serving(create_service(pool)) as url:
        yield url
