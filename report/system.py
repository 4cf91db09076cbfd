"""What must stand before the generator can run: libraries, programs and the pinned environment.

`make` runs this file with the machine's own Python, before anything is installed, as
`python3 -m report.system STAGE`; so it needs nothing beside the standard library. A stage is
`report` (what a build needs), `test` (and the tests) or `check` (and the slow checks).
What is missing is installed where that asks nobody for a password, and named in one sentence
everywhere else.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import fcntl
import hashlib
import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from report.errors import Mistake

REQUIREMENTS = {
    "report": ("requirements.txt",),
    "test": ("requirements.txt", "requirements-dev.txt"),
}
JAXB = Path(
    "/usr/share/java/jaxb-api.jar"
)  # veraPDF reads its rules through it; Java stopped shipping it
TURKISH = Path("/usr/share/i18n/locales/tr_TR")  # a build in another language is compared
APT = "sudo apt-get install --no-install-recommends"
DNF = "sudo dnf install"
BREW = "brew install"


@dataclass(frozen=True)
class Need:
    """One thing the machine must bring, and the package that brings it for each manager."""

    name: str
    found: Callable[[], bool]
    apt: str = ""
    dnf: str = ""
    brew: str = ""


def loads(stem: str, *files: str) -> bool:
    """Whether the dynamic linker opens a library, under the names the PDF engine tries."""
    return any(map(_opens, files)) or _opens(ctypes.util.find_library(stem))


def _opens(name: str | None) -> bool:
    with suppress(OSError):
        return name is not None and bool(ctypes.CDLL(name))
    return False


def _library(name: str, stem: str, version: int, apt: str, mac: str = "") -> Need:
    files = (f"lib{stem}.so.{version}", mac or f"lib{stem}.dylib")
    return Need(name, lambda: loads(stem, *files), apt, "pango", "pango")


def _program(name: str, programs: Sequence[str], apt: str, dnf: str = "", brew: str = "") -> Need:
    return Need(name, lambda: any(map(shutil.which, programs)), apt, dnf or apt, brew or apt)


ENVIRONMENT = Need(
    "Python's venv module",
    lambda: all(map(importlib.util.find_spec, ("venv", "ensurepip"))),
    f"python3.{sys.version_info.minor}-venv",
    "python3",
    "python",
)
LIBRARIES = (  # what WeasyPrint opens; the packages named bring the other three along
    _library("GObject", "gobject-2.0", 0, "libpango-1.0-0", "libgobject-2.0.0.dylib"),
    _library("Pango", "pango-1.0", 0, "libpango-1.0-0"),
    _library("PangoFT2", "pangoft2-1.0", 0, "libpangoft2-1.0-0"),
    _library("HarfBuzz", "harfbuzz", 0, "libpango-1.0-0", "libharfbuzz.0.dylib"),
    _library(
        "HarfBuzz Subset", "harfbuzz-subset", 0, "libharfbuzz-subset0", "libharfbuzz-subset.0.dylib"
    ),
    _library("Fontconfig", "fontconfig", 1, "libpangoft2-1.0-0", "libfontconfig.1.dylib"),
)
PROGRAMS = (
    _program("Chromium", ("chromium", "chromium-browser", "google-chrome"), "chromium"),
    _program("pdftotext", ("pdftotext",), "poppler-utils", brew="poppler"),
    _program("qpdf", ("qpdf",), "qpdf"),
    _program("a Java compiler", ("javac",), "default-jdk-headless", "java-devel", "openjdk"),
    # only Debian and its kin are known to package it; elsewhere the check that needs it says so
    Need("JAXB", lambda: JAXB.exists() or not shutil.which("apt-get"), "libjaxb-java"),
    Need(
        "the sources of locales", lambda: TURKISH.exists() or not shutil.which("apt-get"), "locales"
    ),
)
NEEDS = {"report": (ENVIRONMENT, *LIBRARIES), "test": (ENVIRONMENT, *LIBRARIES), "check": PROGRAMS}


def missing(needs: Sequence[Need]) -> list[Need]:
    """Those of `needs` this machine does not bring."""
    importlib.invalidate_caches()  # a package installed a moment ago counts
    return [need for need in needs if not need.found()]


def provide(needs: Sequence[Need]) -> None:
    """Install what is missing of `needs` where nobody is asked; raise `Mistake` elsewhere."""
    lacking = missing(needs)
    if not lacking:
        return
    prefix = _apt_prefix()
    if prefix is not None:
        _tell(f"Installing {_listed(lacking)} with apt-get")
        said = _apt_install(prefix, _packages(lacking, "apt"))
        lacking = missing(needs)
        if lacking and said:
            print(said, file=sys.stderr)
    if lacking:
        raise Mistake(f"this machine lacks {_listed(lacking)}", then=_advice(lacking))


def _apt_prefix() -> list[str] | None:
    """What to write before apt-get so that it runs without a question, or None where it cannot."""
    if not shutil.which("apt-get"):
        return None
    if os.geteuid() == 0:
        return []
    free = shutil.which("sudo") and subprocess.run(
        ["sudo", "-n", "true"], check=False, capture_output=True, stdin=subprocess.DEVNULL
    )
    return ["sudo", "-n"] if free and free.returncode == 0 else None


def _apt_install(prefix: Sequence[str], packages: Sequence[str]) -> str:
    """Install packages; returns what apt-get complained of, which on a bare machine is often no harm."""
    quiet = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]
    install = [*quiet, "install", "--yes", "--no-install-recommends", *packages]
    said = ""
    for command in ([*quiet, "update"], install):  # a bare machine has no package lists yet
        ran = subprocess.run(
            command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL
        )
        said += ran.stderr
    return said.strip()


def _packages(needs: Sequence[Need], manager: str) -> list[str]:
    return list(dict.fromkeys(name for need in needs if (name := getattr(need, manager))))


def _advice(needs: Sequence[Need]) -> str:
    """The command that brings what is missing, for this machine's package manager or for each."""
    apt, dnf, brew = (
        f"`{command} {' '.join(_packages(needs, manager))}`"
        for command, manager in ((APT, "apt"), (DNF, "dnf"), (BREW, "brew"))
    )
    if shutil.which("apt-get"):
        return f"type {apt}, then type make again"
    if shutil.which("dnf"):
        return f"type {dnf}, then type make again"
    if sys.platform == "darwin":
        return f"type {brew}, then type make again"
    return f"install it (Debian, Ubuntu: {apt}; Fedora: {dnf}; macOS: {brew}), then type make again"


def _listed(needs: Sequence[Need]) -> str:
    *most, last = [need.name for need in needs]
    return f"{', '.join(most)} and {last}" if most else last


def prepare(root: Path, stage: str) -> None:
    """Make `.venv` under `root` hold what `stage` needs, and leave a stamp there that says so.

    Raises `Mistake` when the machine lacks something or the libraries cannot be fetched.
    """
    files = [root / name for name in REQUIREMENTS[stage]]
    stamp = root / ".venv" / f"ready-{stage}"
    with _alone(root):
        wanted = _fingerprint([*files, root / "pyproject.toml"])
        if _runs(root) and stamp.is_file() and stamp.read_text("utf-8") == wanted:
            stamp.touch()  # a date moved, nothing else
            return
        provide(NEEDS[stage])
        _create(root)
        _fetch(root, files)
        stamp.write_text(wanted, "utf-8")


@contextmanager
def _alone(root: Path) -> Iterator[None]:
    """Let one set-up at a time work in this checkout; the next one waits."""
    folder = os.open(root, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _fingerprint(files: Sequence[Path]) -> str:
    digest = hashlib.sha256(sys.version.encode())
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _python(root: Path) -> str:
    return str(root / ".venv" / "bin" / "python")


def _runs(root: Path) -> bool:
    """Whether the environment's Python starts, is this one's release, and has pip."""
    release = f"import sys, pip; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"
    command = [_python(root), "-c", release]
    with suppress(OSError):
        return not subprocess.run(command, check=False, capture_output=True).returncode
    return False


def _create(root: Path) -> None:
    if _runs(root):
        return
    _tell("Making the environment .venv")
    command = [sys.executable, "-m", "venv", "--clear", str(root / ".venv")]
    made = subprocess.run(command, check=False, capture_output=True, text=True)
    if made.returncode:
        words = (made.stderr or made.stdout).strip().splitlines() or ["it said nothing"]
        raise Mistake(f"cannot make the environment ({words[-1]})", file=".venv")


def _fetch(root: Path, files: Sequence[Path]) -> None:
    names = " and ".join(file.name for file in files)
    _tell(f"Fetching the libraries of {names} into .venv; this takes a minute or two")
    quiet = ("--quiet", "--disable-pip-version-check", "--no-input")
    pip = [_python(root), "-m", "pip", *quiet, "install", "--use-pep517"]
    pinned = [part for file in files for part in ("--requirement", str(file))]
    own = ["--no-deps", "--no-build-isolation", "--editable", str(root)]
    for what in (["--require-hashes", *pinned], own):
        if subprocess.run([*pip, *what], check=False, stdin=subprocess.DEVNULL).returncode:
            raise Mistake(
                "the pinned libraries could not be installed; pip says why above",
                file=files[-1].name,
                then="see to it and type make again: what is done is kept",
            )


def _tell(what: str) -> None:
    print(f"{what} ...", file=sys.stderr, flush=True)


def main(stage: str) -> int:
    """Prepare for a stage; returns the exit status, 2 after one sentence on what is missing."""
    try:
        provide(PROGRAMS) if stage == "check" else prepare(Path.cwd(), stage)
    except Mistake as mistake:
        print(f"report: {mistake}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("report: stopped; type make again to go on", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
