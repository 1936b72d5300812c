"""Resources, the gateways that use permits, and their keys, by command."""


def test_the_command_for_resources(server, resource):
    def run(*words):
        done = server.sayso("resource", *words)
        return done.returncode, done.stdout + done.stderr

    code, text = run("list")
    assert code == 0 and f"{resource.id}\t{resource.address}\tA gateway" in text
    code, text = run("add", "--identifier", resource.address, "--name", "x")
    assert code == 1 and "resource.taken" in text
    code, text = run("remove", "11111111-2222-4333-8444-555555555555")
    assert code == 1 and "resource.gone" in text
    for words in ([], ["nonsense"], ["remove"], ["add"],
                  ["add", "--identifier", "https://a.example/#x", "--name",
                   "x"],
                  ["add", "--identifier", "https://a.example/?x", "--name",
                   "x"],
                  ["add", "--identifier", "gw", "--name", "x"],
                  ["add", "--identifier", "https://a.example/" + "x" * 500,
                   "--name", "x"],
                  ["add", "--identifier", "https://a.example/", "--name",
                   "x" * 121]):
        assert run(*words)[0] == 2, words
    for words in (["--role", "resource"], ["--role", "auditor", "--resource",
                                           resource.id],
                  ["--role", "resource", "--resource", "x"],
                  ["--role", "user"]):
        done = server.sayso("key", "create", "--label", "x", *words)
        assert done.returncode == 2, words
