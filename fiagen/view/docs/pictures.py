"""Pictures: masks as cells, layouts as axes.

In: mask pictures and layouts of the specs. Out: coordinates and labels for templates/docs/mask.svg.jinja and axes. Must
never decide which pair counts: that is the picture's own expression.
"""

from __future__ import annotations

from dataclasses import dataclass

from fiagen.expr import Type, parse
from fiagen.model.reference import MaskGroup, MaskPicture

CELL = 26
LEFT, TOP = 58, 44
RIGHT, BOTTOM = 14, 14
SCOPE: dict[str, Type] = dict.fromkeys(("i", "j", "Lq", "Lk", "pre", "next", "m"), "int")


@dataclass(frozen=True)
class Cell:
    x: int
    y: int
    kind: str  # class of the rectangle: kept, dropped or outside


@dataclass(frozen=True)
class Label:
    x: float
    y: float
    text: str
    kind: str  # class of the text: axis, index


@dataclass(frozen=True)
class Dot:
    x: float
    y: float


@dataclass(frozen=True)
class MaskView:
    """Context of templates/docs/mask.svg.jinja."""

    path: str
    title: str
    spec: str
    width: int
    height: int
    cell: int
    cells: tuple[Cell, ...]
    dots: tuple[Dot, ...]
    labels: tuple[Label, ...]


def kept(picture: MaskPicture) -> list[list[bool]]:
    """rows x columns: which pairs the picture keeps."""
    keep = parse(picture.keep, SCOPE, f"specs/masks.yaml: {picture.title}")
    names = {"Lq": picture.rows, "Lk": picture.columns, "pre": picture.pre or 0, "next": picture.next or 0}

    def pair(i: int, j: int) -> bool:
        return bool(keep.value({**names, "i": i, "j": j, "m": int(picture.matrix[i][j]) if picture.matrix else 0}))

    return [[pair(i, j) for j in range(picture.columns)] for i in range(picture.rows)]


def window_text(picture: MaskPicture, pre: str, after: str) -> str:
    """What the window's tokens are in the picture, under the parameters' names."""
    shown = [f"{name} = {value}" for name, value in ((pre, picture.pre), (after, picture.next)) if value is not None]
    return ", ".join(shown)


def view_mask(picture: MaskPicture, path: str) -> MaskView:
    """The picture as rectangles; a dot marks a pair that the drawn matrix drops."""
    cells, dots, labels = [], [], []
    for i, row in enumerate(kept(picture)):
        for j, counts in enumerate(row):
            x, y = LEFT + j * CELL, TOP + i * CELL
            cells.append(Cell(x, y, "kept" if counts else "dropped"))
            if picture.matrix and picture.matrix[i][j] == "1":
                dots.append(Dot(x + CELL / 2, y + CELL / 2))
    labels += [Label(LEFT + (j + 0.5) * CELL, TOP - 7, str(j), "index") for j in range(picture.columns)]
    labels += [Label(LEFT - 12, TOP + (i + 0.66) * CELL, str(i), "index") for i in range(picture.rows)]
    labels.append(Label(LEFT + picture.columns * CELL / 2, TOP - 26, f"{picture.columns} keys j", "axis"))
    labels.append(Label(26, TOP - 7, "rows i", "axis"))
    return MaskView(
        path,
        picture.title,
        "specs/masks.yaml",
        LEFT + picture.columns * CELL + RIGHT,
        TOP + picture.rows * CELL + BOTTOM,
        CELL,
        tuple(cells),
        tuple(dots),
        tuple(labels),
    )


def parameter_of(names: tuple[str, ...], parameters: tuple[str, ...]) -> str:
    """The spelling of a window parameter in an operator."""
    return next((name for name in names if name in parameters), names[0])


def mask_path(group: MaskGroup, picture: MaskPicture) -> str:
    """File name of a picture: its parameter's first name, mode and place among the pictures of that mode."""
    same = [p for p in group.pictures if p.value == picture.value]
    return f"{group.parameters[0]}_{picture.value}_{'abcdefgh'[same.index(picture)]}.svg"


def axes(items: tuple[str | int, ...]) -> str:
    """The axes of a tensor as boxes, outermost first; plain Markdown readers see the text alone."""
    boxes = "".join(f'<span class="fg-axis">{str(item).replace(" * ", "·")}</span>' for item in items)
    return f'<span class="fg-axes">{boxes}</span>'
