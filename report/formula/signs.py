"""The words of mathematics: every sign and named function, its kind, and how it is read aloud."""

# ruff: noqa: RUF001 - this is the table of such signs, each beside its words

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal[
    "relation", "binary", "slash", "punctuation", "large",
    "open", "close", "bar", "after", "ordinary",
]  # fmt: skip


class Sign(NamedTuple):
    """One sign: `kind` decides the space around it (as in TeX), `words` how it is read."""

    kind: Kind
    words: str


SIGNS: dict[str, Sign] = {
    "=": Sign("relation", "equals"),
    "≠": Sign("relation", "is not equal to"),
    "<": Sign("relation", "is less than"),
    ">": Sign("relation", "is greater than"),
    "≤": Sign("relation", "is less than or equal to"),
    "≥": Sign("relation", "is greater than or equal to"),
    "≪": Sign("relation", "is much less than"),
    "≫": Sign("relation", "is much greater than"),
    "≈": Sign("relation", "is approximately"),
    "≃": Sign("relation", "is asymptotically equal to"),
    "≅": Sign("relation", "is congruent to"),
    "≡": Sign("relation", "is identical to"),
    "≔": Sign("relation", "is defined as"),
    "∼": Sign("relation", "is distributed as"),
    "∝": Sign("relation", "is proportional to"),
    "∈": Sign("relation", "is in"),
    "∉": Sign("relation", "is not in"),
    "⊂": Sign("relation", "is a subset of"),
    "⊆": Sign("relation", "is a subset of or equal to"),
    "→": Sign("relation", "goes to"),
    "⟶": Sign("relation", "goes to"),
    "↦": Sign("relation", "maps to"),
    "⇒": Sign("relation", "implies"),
    "⟹": Sign("relation", "implies"),
    "⇔": Sign("relation", "is equivalent to"),
    "⟺": Sign("relation", "is equivalent to"),
    "∣": Sign("relation", "given"),
    "⊥": Sign("relation", "is perpendicular to"),
    ":": Sign("relation", "such that"),
    "+": Sign("binary", "plus"),
    "−": Sign("binary", "minus"),
    "±": Sign("binary", "plus or minus"),
    "·": Sign("binary", "dot"),
    "⋅": Sign("binary", "dot"),
    "×": Sign("binary", "times"),
    "÷": Sign("binary", "divided by"),
    "∗": Sign("binary", "star"),
    "∘": Sign("binary", "composed with"),
    "⊙": Sign("binary", "element-wise times"),
    "⊗": Sign("binary", "tensor"),
    "⊕": Sign("binary", "direct sum"),
    "∪": Sign("binary", "union"),
    "∩": Sign("binary", "intersection"),
    "/": Sign("slash", "over"),
    ",": Sign("punctuation", ","),
    ";": Sign("punctuation", ";"),
    "∑": Sign("large", "the sum"),
    "∏": Sign("large", "the product"),
    "∫": Sign("large", "the integral"),
    "(": Sign("open", "open parenthesis"),
    ")": Sign("close", "close parenthesis"),
    "[": Sign("open", "open bracket"),
    "]": Sign("close", "close bracket"),
    "{": Sign("open", "open brace"),
    "}": Sign("close", "close brace"),
    "⟨": Sign("open", "open angle bracket"),
    "⟩": Sign("close", "close angle bracket"),
    "⌊": Sign("open", "open floor"),
    "⌋": Sign("close", "close floor"),
    "⌈": Sign("open", "open ceiling"),
    "⌉": Sign("close", "close ceiling"),
    "|": Sign("bar", "given"),
    "‖": Sign("bar", "relative to"),
    "!": Sign("after", "factorial"),
    "%": Sign("after", "percent"),
    "⊤": Sign("ordinary", "transpose"),
    "∂": Sign("ordinary", "partial"),
    "∇": Sign("ordinary", "the gradient of"),
    "∞": Sign("ordinary", "infinity"),
    "∅": Sign("ordinary", "the empty set"),
    "∀": Sign("ordinary", "for all"),
    "∃": Sign("ordinary", "there exists"),
    "ℓ": Sign("ordinary", "ell"),
    "ℏ": Sign("ordinary", "h bar"),
    "′": Sign("ordinary", "prime"),
    "″": Sign("ordinary", "double prime"),
    "‴": Sign("ordinary", "triple prime"),
    "†": Sign("ordinary", "dagger"),
    "°": Sign("ordinary", "degrees"),
    "…": Sign("ordinary", "and so on"),
    "⋯": Sign("ordinary", "and so on"),
    "⋮": Sign("ordinary", "and so on downwards"),
    "⋱": Sign("ordinary", "and so on diagonally"),
}

# The same mark under another code point: what a TeX reader or a keyboard may give.
SAME_SIGN = {"-": "−", "*": "∗", "⋆": "∗", "~": "∼", "⊺": "⊤", "∥": "‖", "⟂": "⊥", "∶": ":"}

ACCENTS = {
    "^": "hat", "ˆ": "hat", "¯": "bar", "―": "bar", "~": "tilde", "˜": "tilde",
    "→": "vector", "˙": "dot", "¨": "double dot",
}  # fmt: skip

GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ϵ": "epsilon",
    "ζ": "zeta", "η": "eta", "θ": "theta", "ϑ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda",
    "μ": "mu", "ν": "nu", "ξ": "xi", "ο": "omicron", "π": "pi", "ρ": "rho", "ϱ": "rho",
    "σ": "sigma", "ς": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "ϕ": "phi", "χ": "chi",
    "ψ": "psi", "ω": "omega", "Γ": "capital gamma", "Δ": "capital delta", "Θ": "capital theta",
    "Λ": "capital lambda", "Ξ": "capital xi", "Π": "capital pi", "Σ": "capital sigma",
    "Υ": "capital upsilon", "Φ": "capital phi", "Ψ": "capital psi", "Ω": "capital omega",
}  # fmt: skip

EXPECTATION = "𝔼"  # one letter, but a named function like Var

# Superscripts that are said as one word after their base.
MARKS = frozenset({"⊤", "′", "″", "‴", "†", "∗"})

# Number sets: inside their exponents the sign × is read "by".
SETS = {"ℝ": "R", "ℕ": "N", "ℤ": "Z"}

# What a named function is called; a name not listed here is read as it is written.
FUNCTIONS = {
    "Var": "the variance", "Cov": "the covariance", "Corr": "the correlation",
    EXPECTATION: "the expected value", "SD": "the standard deviation", "Pr": "the probability",
    "Attention": "attention", "softmax": "softmax", "diag": "the diagonal matrix",
    "tr": "the trace", "rank": "the rank", "det": "the determinant", "exp": "the exponential",
    "ln": "the natural logarithm", "log": "the logarithm", "max": "the maximum",
    "min": "the minimum", "sup": "the supremum", "inf": "the infimum", "lim": "the limit",
    "argmax": "the argument of the maximum", "argmin": "the argument of the minimum",
    "sin": "the sine", "cos": "the cosine", "tan": "the tangent",
    "tanh": "the hyperbolic tangent", "sinh": "the hyperbolic sine",
    "cosh": "the hyperbolic cosine", "dim": "the dimension",
}  # fmt: skip

# Functions whose subscript is a range: set underneath in display, read "over i" or "as x goes to".
LIMIT_FUNCTIONS = frozenset({"max", "min", "sup", "inf", "lim", "argmax", "argmin"})
