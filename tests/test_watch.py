"""A watch builds what is edited and nothing else, shows it, and says what is wrong until it is mended."""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pytest

from report import experiment, worker
from report.crew import Crew, Pool
from report.edits import GIVE_UP, edits, folders, sight
from report.errors import Mistake
from report.glance import shown
from report.project import Project, default_templates
from report.served import Board, Server, State, live
from report.watch import Kept, Watch
from tests.browser.chromium import Chromium, program
from tests.builds import made_files, make
from tests.conftest import Here, Tiny
from tests.test_crew import gone

pytestmark = pytest.mark.slow  # a watch waits for edits, and builds after each

PATIENCE = 20  # seconds after which a test gives up
PAGE = (
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:">'
    "<body><p>A page.</p></body>"
)

simply = pytest.mark.usefixtures("undisturbed", "swift")


@pytest.fixture
def watch(tiny: Tiny) -> Watch:
    """A watch of the small project, that runs its tasks on the spot."""
    return Watch(tiny.root, {}, "a4", kept(Here()))


def kept(crew: Crew) -> Kept:
    """Keep a crew that sets the article as well."""
    return Kept(crew, crew)


def ran(watch: Watch) -> list[str]:
    """Tell what ran since the last time this was asked."""
    assert isinstance(watch.crew, Kept)
    crew = watch.crew._crew
    assert isinstance(crew, Here)
    found, crew.ran = sorted(crew.ran), []
    return found


# Building


@simply
def test_each_edit_builds_what_it_makes_stale_but_no_pdf(watch: Watch, tiny: Tiny) -> None:
    assert watch.look()
    first = ran(watch)
    tiny.edit("templates/article.md", "Means stray, as", "Means do stray, as")
    assert watch.look()

    assert first == ["draw faces", "draw roll", "measure faces", "measure roll", "page"]
    assert ran(watch) == ["page"]
    assert "Means do stray" in watch.board.state.page
    assert not tiny.path("build/throws.pdf").exists()


@simply
def test_after_a_watch_the_next_build_makes_the_pdf_alone_and_says_so(
    watch: Watch, tiny: Tiny
) -> None:
    watch.look()
    made = make(tiny)

    assert made.ran == ["paper a4"]
    assert made.why("PDF") == "it was not built here before"
    assert "Set PDF; 5 reused." in list(made.summary.lines())[-1]


@simply
@pytest.mark.parametrize(
    "name",
    [
        "figures/roll.json",
        "figures/roll.svg",
        "build/throws.html",
        "templates/.article.md.swp",
        "templates/article.md~",
        "templates/#article.md#",
    ],
)
def test_what_is_made_or_left_by_an_editor_is_no_edit(watch: Watch, tiny: Tiny, name: str) -> None:
    watch.look()
    tiny.write(name, "{}")

    assert not watch.look()


@simply
def test_a_date_alone_is_no_edit(watch: Watch, tiny: Tiny) -> None:
    watch.look()
    tiny.path("templates/article.md").touch()

    assert not watch.look()


@simply
def test_what_was_removed_with_its_folder_is_made_again_once(
    watch: Watch, tiny: Tiny, capsys: pytest.CaptureFixture[str]
) -> None:
    watch.look()
    page = tiny.read("build/throws.html")
    ran(watch)
    capsys.readouterr()
    shutil.rmtree(tiny.path("build"))
    built = [watch.look() for _ in range(2)]

    assert built == [True, False]
    assert "page" in ran(watch)
    assert tiny.read("build/throws.html") == page
    assert "set page" in capsys.readouterr().out


@simply
def test_what_is_removed_while_it_is_made_is_made_again(
    watch: Watch, tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch.look()
    page = tiny.read("build/throws.html")
    build = Watch._build

    def removed(self: Watch, paper: Any) -> Any:
        made = build(self, paper)
        shutil.rmtree(tiny.path("build"))
        return made

    tiny.edit("templates/article.md", "Means stray, as", "Means do stray, as")
    monkeypatch.setattr(Watch, "_build", removed)
    assert watch.look()
    monkeypatch.setattr(Watch, "_build", build)
    tiny.edit("templates/article.md", "Means do stray, as", "Means stray, as")

    assert watch.look()
    assert tiny.read("build/throws.html") == page
    assert watch.board.state.fault == ""


@simply
def test_what_a_build_misses_as_it_was_removed_is_said_and_looked_for_again(
    watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(self: Watch, paper: Any) -> Any:
        del self, paper
        raise FileNotFoundError(2, "No such file or directory", "build/drawings/roll-wide.svg")

    build = Watch._build
    monkeypatch.setattr(Watch, "_build", missing)
    assert watch.look()
    fault = watch.board.state.fault
    monkeypatch.setattr(Watch, "_build", build)

    assert fault.startswith("build/drawings/roll-wide.svg: the system answers")
    assert watch.look()
    assert watch.board.state.fault == ""


@simply
def test_where_a_mistake_keeps_the_page_from_being_made_its_absence_alone_builds_nothing(
    watch: Watch, tiny: Tiny
) -> None:
    watch.look()
    tiny.edit("templates/article.md", "Means stray, as", "Means undefined")
    watch.look()
    shutil.rmtree(tiny.path("build"))

    assert not watch.look()


@simply
def test_edits_in_quick_succession_are_built_once(watch: Watch, tiny: Tiny) -> None:
    watch.look()
    ran(watch)
    for word in ("do", "may"):
        tiny.edit("seeds.toml", "# how often", f"# how often, they {word}")
        tiny.edit("templates/article.md", "stray, as", f"{word} stray, as")
        watch.wishes.put(None)
    while not watch.wishes.empty():
        watch.serve_next()

    assert ran(watch) == ["page"]
    assert "Means may do stray" not in watch.board.state.page
    assert "Means do may stray" in watch.board.state.page


@simply
def test_an_edit_during_a_build_leads_to_one_more(
    watch: Watch, tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch.look()
    page, once = worker.page, [("stray, as", "strayed, as"), ("Each mark", "Every mark")]

    def edited_meanwhile(text: worker.Text) -> worker.Output:
        output = page(text)
        if len(once) == 1:
            tiny.edit("templates/article.md", *once.pop())
        return output

    edited_meanwhile.__name__ = "page"
    monkeypatch.setattr(worker, "page", edited_meanwhile)
    tiny.edit("templates/article.md", *once.pop(0))
    ran(watch)
    built = [watch.look() for _ in range(3)]

    assert built == [True, True, False]
    assert ran(watch) == ["page", "page"]
    assert "Every mark" in watch.board.state.page


@simply
def test_what_was_shown_while_something_was_edited_is_made_again_even_if_that_was_undone(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tiny)
    page = worker.page

    def edited_before(text: worker.Text) -> worker.Output:
        tiny.edit("templates/article.md", "Means do stray", "Means never stray")
        return page(text)

    edited_before.__name__ = "page"
    monkeypatch.setattr(worker, "page", edited_before)
    tiny.edit("templates/article.md", "Means stray, as", "Means do stray, as")
    make(tiny)
    monkeypatch.setattr(worker, "page", page)
    tiny.edit("templates/article.md", "Means never stray", "Means do stray")
    again = make(tiny)

    assert "page" in again.ran
    assert again.why("page") == "something was edited while it was made"
    assert "Means do stray" in tiny.read("build/throws.html")


@simply
def test_a_mistake_is_shown_over_the_page_that_was_there_until_it_is_mended(
    watch: Watch, tiny: Tiny, capsys: pytest.CaptureFixture[str]
) -> None:
    watch.look()
    before = watch.board.state
    tiny.edit("templates/article.md", "Means stray, as", "Means undefined")
    watch.look()
    broken = watch.board.state
    said = capsys.readouterr().err
    tiny.edit("templates/article.md", "Means undefined", "Means stray, as")
    watch.look()

    assert broken.fault == ("templates/article.md, line 1: says undefined; correct it and save.")
    assert said == f"Error: {broken.fault}\n"
    assert broken.mark == before.mark
    assert watch.board.state == before
    assert "Mended." in capsys.readouterr().out


@simply
def test_what_is_wrong_with_a_pdf_says_to_ask_for_it_again(
    watch: Watch, tiny: Tiny, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny.edit("templates/article.md", "Means stray, as", "Means undefined")
    wish = Future[bytes]()
    watch.wishes.put(wish)
    watch.serve_next()

    said = "templates/article.md, line 1: says undefined; correct it and ask for the PDF again."
    assert str(wish.exception()) == said
    assert capsys.readouterr().err == f"Error: {said}\n"


@simply
@pytest.mark.parametrize("asked", [True, False])
def test_no_mistake_of_a_watch_tells_to_run_a_command(
    watch: Watch, monkeypatch: pytest.MonkeyPatch, *, asked: bool
) -> None:
    def dying(_: worker.Text) -> worker.Output:
        raise Mistake("the process was killed", then="ask for less; then run the command again")

    monkeypatch.setattr(worker, "page", dying)
    wish = Future[bytes]()
    if asked:
        watch.wishes.put(wish)
        watch.serve_next()
        assert str(wish.exception()).endswith("ask for less; then ask for the PDF again.")
    else:
        watch.look()
        assert watch.board.state.fault.endswith("ask for less; then save.")


@simply
def test_a_project_file_that_cannot_be_read_is_a_mistake_like_others(
    watch: Watch, tiny: Tiny
) -> None:
    watch.look()
    tiny.edit("seeds.toml", "sides = 6", "sides = ")
    watch.look()
    broken = watch.board.state.fault
    tiny.edit("seeds.toml", "sides = ", "sides = 8")
    watch.look()

    assert broken.startswith("seeds.toml, line 5: ")
    assert watch.board.state.fault == ""
    assert '"sides": 8' in tiny.read("figures/roll.json")


@simply
def test_a_fault_of_the_generator_is_shown_and_ends_nothing(
    watch: Watch, tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = worker.page

    def failing(_: worker.Text) -> worker.Output:
        raise RuntimeError("of the generator's own")

    monkeypatch.setattr(worker, "page", failing)
    watch.look()
    broken = watch.board.state.fault
    monkeypatch.setattr(worker, "page", page)
    tiny.edit("templates/article.md", "Means stray, as", "Means do stray, as")
    watch.look()

    assert broken.startswith("Traceback")
    assert "RuntimeError: of the generator's own" in broken
    assert watch.board.state.fault == ""


@simply
def test_a_watch_does_not_build_with_a_generator_that_was_edited(
    watch: Watch, tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch.look()
    ran(watch)
    other = tmp_path / "report"
    other.mkdir()
    (other / "page.py").write_text("EDITED = True\n")
    monkeypatch.setattr("report.glance.GENERATOR", str(other))
    tiny.edit("templates/article.md", "Means stray, as", "Means do stray, as")
    watch.look()

    assert ran(watch) == []
    assert watch.board.state.fault == (
        "the generator itself was edited, and this watch runs it as it was;"
        " end it with Ctrl-C and start it again."
    )


@simply
def test_overrides_build_in_their_own_folder(tiny: Tiny) -> None:
    watch = Watch(tiny.root, {"seed": 7}, "a4", kept(Here()))
    watch.look()

    assert watch.board.state.name == "throws-seed-7"
    assert tiny.path("build/seed=7/throws-seed-7.html").exists()
    assert not tiny.path("build/throws.html").exists()


@simply
@pytest.mark.parametrize(
    ("name", "ended"),
    [("figures/heights.csv", 1), ("templates/fonts/Other.ttf", 1), ("templates/sources.toml", 0)],
)
def test_edited_data_and_fonts_are_read_by_new_processes(
    watch: Watch, tiny: Tiny, monkeypatch: pytest.MonkeyPatch, name: str, ended: int
) -> None:
    watch.look()
    ends = list[bool]()
    monkeypatch.setattr(watch.crew, "stop", lambda *, now=False: ends.append(now))
    tiny.write(name, "# new\n")
    watch.look()

    assert ends.count(True) == ended


def test_edited_data_and_fonts_are_told_from_what_every_task_reads_anew(tiny: Tiny) -> None:
    tiny.write("figures/heights.csv", "1,2\n")
    before = sight(Project(tiny.root))
    tiny.write("figures/heights.csv", "1,3\n")
    data = sight(Project(tiny.root))
    tiny.write("templates/fonts/Other.ttf", "no font")
    fonts = sight(Project(tiny.root))
    tiny.edit("templates/article.md", "Means stray, as", "Means do stray, as")
    words = sight(Project(tiny.root))

    assert len({each.lasting for each in (before, data, fonts)}) == 3
    assert words.lasting == fonts.lasting
    assert words.text != fonts.text


def test_an_experiment_is_loaded_as_its_files_stand(tiny: Tiny) -> None:
    project = Project(tiny.root)
    first = experiment.load(project, "roll").module
    again = experiment.load(project, "roll").module
    tiny.edit("figures/deeper.py", "float(sum(values))", "-1.0")
    edited = experiment.load(project, "roll").module

    assert again is first
    assert edited.mean([1, 2]) == -0.5  # through two modules beside it
    experiment.forget()


# Hearing


def test_a_project_that_was_away_is_heard_again(tiny: Tiny) -> None:
    woken, ended = threading.Semaphore(0), threading.Event()

    def listen() -> None:
        for _ in edits(tiny.root, ended):
            woken.release()

    listener = threading.Thread(target=listen)
    listener.start()
    away = tiny.root.with_name("away")
    tiny.root.rename(away)
    time.sleep(3 * GIVE_UP / 1000)
    away.rename(tiny.root)
    time.sleep(3 * GIVE_UP / 1000)
    while woken.acquire(timeout=1):
        pass
    tiny.edit("templates/article.md", "Means stray, as", "Means do stray, as")
    heard = woken.acquire(timeout=PATIENCE / 4)
    ended.set()
    listener.join()

    assert heard


def test_whatever_moves_in_the_project_wakes_the_watch(tiny: Tiny) -> None:
    woken, ended = threading.Semaphore(0), threading.Event()

    def listen() -> None:
        for _ in edits(tiny.root, ended):
            woken.release()

    def is_woken() -> bool:
        """Tell whether it wakes up, and wait until it is quiet again."""
        found = woken.acquire(timeout=PATIENCE)
        while woken.acquire(timeout=0.5):
            pass
        return found

    listener = threading.Thread(target=listen)
    listener.start()
    try:
        assert is_woken()  # it begins
        tiny.edit("seeds.toml", "seed = 11", "seed = 12")
        assert is_woken()
        new = tiny.path("templates/.new")  # as editors save: whole, and by another name
        new.write_text(tiny.read("templates/article.md") + "\nMore.\n")
        new.replace(tiny.path("templates/article.md"))
        assert is_woken()
        tiny.path("figures/tables").mkdir()
        assert is_woken()
        tiny.write("figures/tables/heights.csv", "1,2\n")
        assert is_woken()
        tiny.path("build").mkdir()
        assert is_woken()
        tiny.write("build/throws.html", "made")
        shutil.rmtree(tiny.path("build"))
        assert is_woken()
    finally:
        ended.set()
        listener.join(PATIENCE)


def test_a_file_outside_that_code_names_wakes_the_watch_and_no_other_file_beside_it_does(
    tiny: Tiny,
) -> None:
    woken, ended = threading.Semaphore(0), threading.Event()
    named = frozenset({os.path.normpath(tiny.path("../elsewhere/x.csv"))})

    def listen() -> None:
        for _ in edits(tiny.root, ended, lambda: named):
            woken.release()

    tiny.write("../elsewhere/x.csv", "1")
    listener = threading.Thread(target=listen)
    listener.start()
    try:
        assert woken.acquire(timeout=PATIENCE)  # it begins
        while woken.acquire(timeout=0.5):
            pass
        tiny.write("../elsewhere/other.csv", "1")
        assert not woken.acquire(timeout=1)
        tiny.write("../elsewhere/x.csv", "2")
        assert woken.acquire(timeout=PATIENCE)
    finally:
        ended.set()
        listener.join(PATIENCE)


@simply
def test_data_outside_is_built_with_when_it_is_edited(watch: Watch, tiny: Tiny) -> None:
    outside = tiny.path("../x.csv").resolve()
    outside.write_text("1")
    tiny.in_measure(f"open({str(outside)!r}).close()")
    watch.look()
    ran(watch)
    outside.write_text("2")

    assert watch.look()
    assert ran(watch) == ["measure roll"]
    assert watch.seen
    assert outside in map(Path, watch.seen.named)
    assert not watch.look()


@contextmanager
def saying_to(path: Path) -> Iterator[None]:
    """Send what this process says into a file, as `> path` does."""
    before = os.dup(1)
    with path.open("w") as file:
        os.dup2(file.fileno(), 1)
    try:
        yield
    finally:
        os.dup2(before, 1)
        os.close(before)


@simply
def test_a_watch_that_says_what_it_does_into_the_project_is_idle_when_nothing_is_edited(
    watch: Watch, tiny: Tiny
) -> None:
    tiny.edit("figures/roll.py", "from chance", "from pathlib import Path\n\nfrom chance")
    tiny.in_measure("[p.read_text() for p in Path(__file__).parents[1].glob('*.txt')]")
    with saying_to(tiny.path("said.txt")):
        built = [watch.look()]
        os.write(1, b"Measured roll.\n")
        built.append(watch.look())
        tiny.write("points.txt", "2")
        built.append(watch.look())

    assert built == [True, False, True]


@simply
@pytest.mark.parametrize("folder", [".", "figures"])
def test_data_that_change_with_every_build_are_not_built_for_alone(
    watch: Watch, tiny: Tiny, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    log, other = tiny.path(f"{folder}/said.txt"), tiny.path("points.txt")
    tiny.edit("figures/roll.py", "from chance", "from pathlib import Path\n\nfrom chance")
    tiny.in_measure("[p.read_text() for p in Path(__file__).parents[1].rglob('*.txt')]")
    speaks = threading.Event()

    class Speaking(Here):
        """A crew of which something else keeps a log, as in `report watch | tee said.txt`."""

        def start(self, *task: Any) -> Future[Any]:
            if speaks.is_set():
                log.write_text(log.read_text() + "Something runs.\n")
            return super().start(*task)

    watch.crew = kept(Speaking())
    log.touch()
    other.touch()
    speaks.set()
    first = [watch.look() for _ in range(4)]
    said = capsys.readouterr().out
    other.write_text("1")
    edited = [watch.look() for _ in range(3)]
    tiny.edit("templates/article.md", "Means stray, as", "Means do stray, as")
    edited += [watch.look() for _ in range(3)]
    speaks.clear()
    other.write_text("2")
    quiet = [watch.look() for _ in range(2)]
    log.write_text("By hand.")
    quiet += [watch.look() for _ in range(2)]

    assert first == [True, True, False, False]
    assert said.endswith(
        f"{shown(log)} changes with every build, so it is not built for alone any more; keep it outside"
        " the project, or where no experiment reads it.\n"
    )
    assert edited == [True, False, False] * 2
    assert quiet == [True, False] * 2
    assert "changes with" not in capsys.readouterr().out


@simply
def test_what_was_built_elsewhere_in_the_project_is_no_edit(watch: Watch, tiny: Tiny) -> None:
    watch.look()
    make(tiny, out=tiny.path("out"))
    make(tiny, {"seed": 7}, out=tiny.path("out/seven"))

    assert not watch.look()


def test_folders_that_no_build_reads_wake_nobody(tiny: Tiny) -> None:
    for name in ("build/drawings/x", ".git/x", "env/pyvenv.cfg", "env/lib/x", "data/x"):
        tiny.write(name, "")

    inside = {
        Path(each).relative_to(tiny.root).as_posix()
        for each in folders(tiny.root)
        if Path(each).is_relative_to(tiny.root)
    }
    assert inside == {".", "data", "figures", "templates"}


# Serving


@pytest.fixture
def board() -> Board:
    """A board with a page on it."""
    board = Board()
    board.state = State(PAGE, "notes")
    return board


@contextmanager
def serving(board: Board, paper: Any = None) -> Iterator[Server]:
    """Serve on any free port."""
    server = Server(board, paper, 0)
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def answer(
    server: Server, path: str = "", method: str = "GET", **headers: str
) -> tuple[int, bytes]:
    """Ask a server for something."""
    request = urllib.request.Request(server.address + path, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def test_the_page_is_served_to_this_machine_with_a_script_that_its_policy_allows(
    board: Board,
) -> None:
    with serving(board) as server:
        place, (status, body) = server.server_address[0], answer(server)
    page = body.decode()
    [script] = re.findall(r"<script data-page=\"\w+\">(.*?)</script>", page, re.DOTALL)
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()

    assert (place, status) == ("127.0.0.1", 200)
    assert "<p>A page.</p>" in page
    assert policy == (
        f"default-src 'none'; img-src data:; script-src 'sha256-{allowed}'; connect-src 'self'"
    )


def test_scripts_the_page_has_of_its_own_go_on_running() -> None:
    page = PAGE.replace("img-src", "script-src 'sha256-own'; img-src")

    assert re.search(r"script-src 'sha256-own' 'sha256-[\w+/]+=';", live(State(page)))


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:1", "localhost", ""])
def test_a_name_that_leads_here_from_elsewhere_is_not_answered(board: Board, host: str) -> None:
    with serving(board) as server:
        status, body = answer(server, Host=host)

    assert status == 421
    assert b"A page." not in body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_but_reading_is_answered(board: Board, method: str) -> None:
    with serving(board) as server:
        assert answer(server, method=method)[0] == 501


@pytest.mark.parametrize("path", ["", "events", "notes.pdf", "other.pdf"])
def test_whoever_asks_for_the_head_alone_is_given_that_of_the_whole(
    board: Board, path: str
) -> None:
    def asked(method: str) -> tuple[int, dict[str, str]]:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        connection.request(method, f"/{path}")
        with connection.getresponse() as given:
            return given.status, {**dict(given.getheaders()), "Date": ""}

    with serving(board, lambda: b"%PDF") as server:
        assert asked("HEAD") == asked("GET")
        assert answer(server, path, "HEAD")[1] == b""


def test_an_address_with_a_query_gives_what_it_gives_without(board: Board) -> None:
    with serving(board, lambda: b"%PDF") as server:
        for path in ("", "notes.pdf", "other.pdf"):
            assert answer(server, f"{path}?x=1") == answer(server, path)


@pytest.mark.parametrize("path", ["notes.html", "../seeds.toml", "record.json", "other.pdf"])
def test_no_other_file_is_given(board: Board, path: str) -> None:
    with serving(board) as server:
        assert answer(server, path)[0] == 404


def test_an_open_page_hears_at_once_what_is_new_and_what_is_wrong(
    board: Board, tmp_path: Path
) -> None:
    def told() -> dict[str, str]:
        found: dict[str, str] = json.loads(stream.readline().removeprefix(b"data: "))
        stream.readline()
        return found

    newer = tmp_path / "notes.html"
    newer.write_text(PAGE + "newer")
    with (
        serving(board) as server,
        urllib.request.urlopen(f"{server.address}events", timeout=PATIENCE) as stream,
    ):
        first = told()
        board.show("it is wrong")
        wrong = told()
        board.show("it is wrong")  # tells nothing new
        board.show("", newer)
        mended = told()

    assert first == {"page": State(PAGE).mark, "fault": ""}
    assert wrong == {**first, "fault": "it is wrong"}
    assert mended == {"page": State(PAGE + "newer").mark, "fault": ""}


@simply
def test_the_pdf_is_made_when_it_is_asked_for(watch: Watch, tiny: Tiny) -> None:
    watch.look()
    ran(watch)
    with serving(watch.board, watch.ask) as server:
        given = list[tuple[int, bytes]]()
        asking = threading.Thread(target=lambda: given.append(answer(server, "throws.pdf")))
        asking.start()
        while asking.is_alive():
            watch.serve_next()

    assert ran(watch) == ["paper a4"]
    assert given == [(200, tiny.path("build/throws.pdf").read_bytes())]


def test_a_pdf_that_cannot_be_made_says_why(board: Board) -> None:
    def fail() -> bytes:
        raise Mistake("it is wrong", file="templates/article.md", line=3)

    with serving(board, fail) as server:
        status, body = answer(server, "notes.pdf")

    assert status == 409
    assert body.decode().startswith("Error: templates/article.md, line 3: it is wrong;")


def test_a_port_that_is_taken_is_a_mistake(board: Board) -> None:
    with serving(board) as server, pytest.raises(Mistake, match=f"port {server.port} cannot be"):
        Server(board, bytes, server.port)


# The whole, as processes


@contextmanager
def watching(tiny: Tiny, still: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start `report watch` in a session of its own; give the process and the address it prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", "report", "watch", "--port", "0", "--project", str(tiny.root)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        cwd=still / "templates",
        env={**os.environ, "PYTHONPATH": str(still)},
    )
    assert process.stdout
    try:
        yield process, re.findall(r"http://[\d.:]+/", process.stdout.readline())[0]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def said(process: subprocess.Popen[str], words: str) -> str:
    """Read what a process prints until a line has some words."""
    assert process.stdout
    for line in process.stdout:
        if words in line:
            return line
    raise AssertionError(f"it never said {words!r}")


def family(pid: int) -> list[int]:
    """A process and all that it started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    return [pid, *chain.from_iterable(family(int(child)) for child in children)]


def spent(pids: list[int]) -> float:
    """Seconds of CPU time of some processes."""
    stats = (Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(") ")[2] for pid in pids)
    ticks = sum(int(stat.split()[field]) for stat in stats for field in (11, 12))
    return ticks / os.sysconf("SC_CLK_TCK")


def until(browser: Chromium, script: str) -> None:
    """Wait until an expression holds in the open page, which may load anew meanwhile."""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        with suppress(RuntimeError):
            if browser.run(script):
                return
        time.sleep(0.05)
    raise AssertionError(f"it never came to {script}")


def follow(browser: Chromium, address: str) -> None:
    """Open a page and wait until it has fetched itself: one that is edited sooner loads anew."""
    browser.open(address)
    fetched = "each.initiatorType === 'fetch' && each.responseEnd > 0"
    until(browser, f"performance.getEntriesByType('resource').some((each) => {fetched})")


ALERT = "document.querySelector('[role=alert]')"


@pytest.mark.skipif(program() is None, reason="not proved: no Chromium on this machine")
def test_an_open_page_follows_every_edit_and_an_idle_watch_rests_and_ends_at_once(
    tiny: Tiny, still: Path
) -> None:
    filler = "\n\nThis is a line of many.\n" * 60
    tiny.write("templates/article.md", tiny.read("templates/article.md") + filler)
    with watching(tiny, still) as (process, address), Chromium() as browser:
        said(process, "nothing reused")
        follow(browser, address)
        browser.run("scrollTo(0, 900); window.kept = 'the page'")
        kept = tiny.path("build/throws.html").read_text("utf-8")
        tiny.edit("templates/article.md", "Means stray, as", "Means do stray, as")
        until(browser, "document.body.innerText.includes('Means do stray')")
        until(browser, "scrollY === 900")
        assert browser.run("window.kept") == "the page"

        tiny.edit("templates/article.md", "for {{ roll.sides", "for {{ roll.sidse")
        until(browser, f"{ALERT}.innerText.includes('article.md, line')")
        assert browser.run(f"getComputedStyle({ALERT}).display") == "block"
        assert browser.run("document.body.innerText.includes('Means do stray')")
        tiny.edit("templates/article.md", "for {{ roll.sidse", "for {{ roll.sides")
        until(browser, f"getComputedStyle({ALERT}).display === 'none'")

        errors = [e for e in browser.events if e.get("method") == "Log.entryAdded"]
        assert [e["params"]["entry"]["text"] for e in errors] == []
        assert "<script" not in kept + tiny.read("build/throws.html")

        time.sleep(1)
        processes, record = family(process.pid), tiny.path("build/record.json").stat()
        before = spent(processes)
        time.sleep(4)
        assert spent(processes) - before < 0.4  # a tenth of one processor
        assert tiny.path("build/record.json").stat() == record

        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        assert process.wait(3) == 0
        assert [pid for pid in processes if not gone(pid)] == []


EDITS = (
    ("templates/article.md", "Means stray, as", "Means do stray, as"),
    ("figures/roll.py", "The die.", "The dice."),
    ("figures/deeper.py", "float(sum(values))", "float(sum(values)) + 1"),
    ("figures/roll.py", "canvas.height = 60", "canvas.height = 70"),
    ("seeds.toml", "sides = 6", "sides = 8"),
    ("templates/page.html", "Skip to the text", "Go to the text"),
    ("templates/screen.css", "body {", "body { orphans: 3;"),
    ("templates/tokens.toml", 'light = "#BF4316"', 'light = "#AF4316"'),
)


def test_warm_processes_make_after_every_edit_what_new_ones_make(tiny: Tiny) -> None:
    for name in ("page.html", "screen.css", "tokens.toml"):
        tiny.write(f"templates/{name}", default_templates().joinpath(name).read_text("utf-8"))
    shutil.copytree(default_templates() / "fonts", tiny.path("templates/fonts"))
    pool = Pool(1, tiny.path("build/cache"))
    watch = Watch(tiny.root, {}, "a4", kept(pool))
    pages = list[str]()
    try:
        watch.look()
        for name, old, new in EDITS:
            text = tiny.read(name)
            tiny.path(name).write_text(text.replace(old, new, 1), "utf-8")
            assert watch.look(), name
            assert watch.board.state.fault == ""
            pages.append(watch.board.state.mark)
    finally:
        pool.stop(now=True)
    warm = made_files(tiny)
    for name in warm:
        tiny.path(name).unlink()
    tiny.path("build/record.json").unlink()
    anew = Watch(tiny.root, {}, "a4", Pool(1, tiny.path("build/cache")))
    anew.look()

    assert len(set(pages)) == len(EDITS) - 1  # what is told to authors alone moves nothing
    assert made_files(tiny) == warm


LIVELY = """<!doctype html><html lang="en"><head><title>{title}</title></head><body><main>
<h2>Dice</h2>{more}
<p>Means <em>stray</em>, {how}.</p>
<details><summary>Why</summary><p>{why}</p></details>
<figure><output>still</output><script>{script}</script></figure>
</main></body></html>"""
MOVES = 'document.querySelector("output").textContent = "moved"'
FIRST = {"title": "T", "more": "", "how": "as they do", "why": "Luck.", "script": MOVES}


@pytest.mark.skipif(program() is None, reason="not proved: no Chromium on this machine")
def test_an_open_page_changes_only_where_it_has_to(tmp_path: Path) -> None:
    board, file = Board(), tmp_path / "page.html"

    def show(**new: str) -> None:
        file.write_text(LIVELY.format(**FIRST | new))
        board.show("", file)

    show()
    server = Server(board, lambda: b"", 0)
    with closing(server.socket), Chromium() as browser:
        follow(browser, server.address)
        browser.run("document.querySelector('details').open = true; window.kept = 1")
        opened = "document.querySelector('details').open && window.kept === 1"
        output = "document.querySelector('output').textContent"
        for new, seen in (
            (
                {"how": "as all do"},
                "document.querySelector('main > p').innerHTML.endsWith('all do.')",
            ),
            (
                {"more": "<p>New.</p><p>Newer.</p>"},
                "document.querySelectorAll('main > p').length === 3",
            ),
            ({}, "document.querySelectorAll('main > p').length === 1"),
            ({"why": "Chance."}, "document.querySelector('details p').innerText === 'Chance.'"),
            ({"title": "Other"}, "document.title === 'Other'"),
        ):
            show(**new)
            until(browser, seen)
            assert browser.run(opened), new
            assert browser.run(output) == "moved"

        show(script=MOVES.replace("moved", "moved anew"))
        until(browser, f"{output} === 'moved anew'")
        assert browser.run("window.kept") is None


def answers(*names: str, of: str = "it") -> str:
    """Answers that a reader may open: named after their question."""
    return "".join(
        f"<details><summary>{name}</summary><p>Because of {of}.</p></details>\n" for name in names
    )


OPENS = """document.querySelectorAll('details').forEach((each) =>
    each.open = ['Why', 'Y'].includes(each.firstChild.textContent))"""
OPENED = "[...document.querySelectorAll('details[open] summary')].map((each) => each.textContent)"
FIGURE = f"<figure><output>still</output><script>{MOVES}</script></figure>"
NAMED = "<details id='q'><summary>Why</summary><p>{}.</p></details>"


@pytest.mark.skipif(program() is None, reason="not proved: no Chromium on this machine")
@pytest.mark.parametrize(
    ("before", "after", "opened"),
    [
        (  # more above, and other words below
            f"<p>A</p>{answers('X', 'Y')}{FIGURE}<p>B</p>",
            f"<p>A</p><p>New</p>{answers('X', 'Y')}{FIGURE}<p>C</p>",
            ["Y"],
        ),
        (  # fewer above and more below
            f"<h2>A</h2><p>A</p>{answers('X')}<p>B</p>{answers('Y')}",
            f"<p>A</p>{answers('X')}<p>B</p>{answers('Y')}<p>C</p><p>D</p>",
            ["Y"],
        ),
        (  # as many as before, and not the same
            answers("X", "Y", "Z"),
            answers("Y", "Z", "New"),
            ["Y"],
        ),
        (  # one between others that come and go, edited itself but for its name
            f"<p>A</p>{NAMED.format('Luck')}<p>B</p>",
            f"<p>A</p><p>New</p>{NAMED.format('Chance')}<p>C</p><p>New</p>",
            ["Why"],
        ),
        (  # one that goes takes its being open along
            f"<p>A</p>{answers('Y')}",
            f"{answers('New', of='another')}<p>A</p><p>B</p>",
            [],
        ),
    ],
)
def test_an_answer_that_stays_stays_open_wherever_else_blocks_come_and_go(
    tmp_path: Path, before: str, after: str, opened: list[str]
) -> None:
    board, file = Board(), tmp_path / "page.html"

    def show(title: str, blocks: str) -> None:
        file.write_text(f"<!doctype html><title>{title}</title><body><main>{blocks}</main></body>")
        board.show("", file)

    show("Old", before)
    server = Server(board, lambda: b"", 0)
    with closing(server.socket), Chromium() as browser:
        follow(browser, server.address)
        browser.run(OPENS)
        browser.run("window.kept = true")
        show("New", after)
        until(browser, "document.title === 'New'")
        kept, now, made = map(browser.run, ("window.kept", OPENED, AS_MADE))
        browser.open(server.address)

        assert kept
        assert now == opened
        assert made == browser.run(AS_MADE)


@pytest.mark.skipif(program() is None, reason="not proved: no Chromium on this machine")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<output>still</output>", "<output>at rest</output>"),
        ("<output>still</output>", "<output id='o'>still</output>"),
        ("<p>A</p><output>still</output>", "<p>B</p><p>C</p><output>at rest</output>"),
        ("<p>A</p><p>B</p><output>still</output>", "<output class='c'>still</output>"),
    ],
)
def test_what_a_script_fills_is_filled_after_an_edit_of_it_that_leaves_the_script_alone(
    tmp_path: Path, before: str, after: str
) -> None:
    board, file = Board(), tmp_path / "page.html"
    server = Server(board, lambda: b"", 0)
    with closing(server.socket), Chromium() as browser:
        for title, blocks in (("Old", before), ("New", after)):
            file.write_text(
                f"<!doctype html><title>{title}</title><body><main>{blocks}"
                f"<script>{MOVES}</script></main></body>"
            )
            board.show("", file)
            if title == "Old":
                browser.open(server.address)
            until(browser, f"document.title === '{title}'")
            until(browser, "document.querySelector('output').textContent === 'moved'")


FILLS = """for (const each of [document.currentScript.previousElementSibling])
    each.append(Object.assign(document.createElement("output"), { textContent: each.dataset.result }));"""
AS_MADE = """(() => {
    const root = document.documentElement.cloneNode(true);
    root.querySelector('[role=alert]').remove();
    root.querySelectorAll('details').forEach((each) => each.open = false);
    root.normalize();
    return root.outerHTML;
})()"""


class Pages:
    """Pages that differ by chance: blocks of an article, edited, added, dropped and moved."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._blocks = [self._block() for _ in range(8)]

    def _some(self) -> int:
        return self._chance.randrange(3)

    def _block(self) -> str:
        a, b, c = self._some(), self._some(), self._some()
        return self._chance.choice(
            (
                f"<p>Means <em>stray</em>, {a}<sup><a id='call-{b}' href='#note-{b}'>{c}</a></sup>.</p>",
                f"<aside id='note-{a}' style='--above:{b}'>Note {c}</aside>",
                f"<details id='q{a}'><summary>Why {b}</summary><p>Luck {c}.</p></details>",
                f"<figure id='f{a}'><svg viewBox='0 0 9 {b}'><path d='M0 {c}'/></svg>"
                f"<div data-result='{b}'></div><script>{FILLS}</script><p>{c}</p></figure>",
                f"<h2 class='rank-{a}'>Dice {b}</h2>\n<!-- {c} -->",
                f"<p lang='en' aria-label='{a}'>{b} <data value='{c}'>{c}</data></p>",
            )
        )

    def __iter__(self) -> Iterator[str]:
        """Give one page after another, each a few edits from the last."""
        while True:
            for _ in range(self._chance.choice((1, 1, 2))):
                at = self._chance.randrange(len(self._blocks))
                gone = self._blocks.pop(at)
                new = re.sub(r"(?<=[^\d#M])\d", str(self._some()), gone, count=1 + self._some())
                here = self._chance.choice(([], [new], [new], [gone, new], [self._block(), gone]))
                self._blocks[at:at] = here or [self._block(), self._block()][: self._some()]
                self._blocks = self._blocks or [self._block()]
            yield (
                f"<!doctype html><html lang='en'><head><title>Dice {self._some()}</title></head>"
                f"<body class='b{self._some()}'><main>{''.join(self._blocks)}</main></body></html>"
            )


@pytest.mark.skipif(program() is None, reason="not proved: no Chromium on this machine")
def test_whatever_was_edited_an_open_page_is_as_one_opened_anew(tmp_path: Path) -> None:
    board, file, kept = Board(), tmp_path / "page.html", 0
    server = Server(board, lambda: b"", 0)
    with closing(server.socket), Chromium() as followed, Chromium() as opened:
        followed.open(server.address)
        for page in islice(Pages(11), 40):
            file.write_text(page)
            board.show("", file)
            opened.open(server.address)
            until(followed, f"{AS_MADE} === {json.dumps(opened.run(AS_MADE))}")
            kept += followed.run("window.kept === true")
            followed.run("document.querySelectorAll('details').forEach((each) => each.open = true)")
            followed.run("window.kept = true")

    assert kept > 10  # many edits need no loading anew
