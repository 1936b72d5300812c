"""A client that was made from the document of agents asks, reads and withdraws,
with every module of it imported. sayso_agents is on the path; the arguments are
the address and the key."""
import importlib
import pkgutil
import sys

import sayso_agents
from sayso_agents import AuthenticatedClient
from sayso_agents.api.questions import ask, read_question, take_back
from sayso_agents.models import Ask, Asked, Problem, Suspension, TakeBack

modules = [importlib.import_module(found.name) for found in
           pkgutil.walk_packages(sayso_agents.__path__, "sayso_agents.")]
assert len(modules) > 100, len(modules)

url, key = sys.argv[1:]
with AuthenticatedClient(base_url=url, token=key) as client:
    asked = ask.sync(client=client, body=Ask(question="Generated?"),
                     x_agent_id="generated", idempotency_key="generated-1")
    assert isinstance(asked, Asked), asked
    told = read_question.sync(asked.suspension_id, client=client,
                              x_agent_id="generated", wait=0)
    assert isinstance(told, Suspension) and told.state == "pending", told
    refused = read_question.sync(asked.suspension_id, client=client,
                                 x_agent_id="another")
    assert isinstance(refused, Problem), refused
    assert refused.code == "suspension.unknown", refused
    gone = take_back.sync(asked.suspension_id, client=client, body=TakeBack(),
                          x_agent_id="generated")
    print(gone.state)
