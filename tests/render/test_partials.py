"""Does a partial draw exactly this from a toy view, and does a view without one of its fields fail loudly?"""

from __future__ import annotations

from types import SimpleNamespace as View
from typing import Any

import pytest

from fiagen.diagnostics import DiagnosticError
from fiagen.emit.render import render


def constant(cpp_type: str, name: str, literal: str, because: str, is_long: bool = False) -> View:
    return View(cpp_type=cpp_type, name=name, literal=literal, because=because, is_long=is_long)


TILING = View(
    name="ToyTiling",
    assert_offsets=True,
    structs=(
        View(name="Share", num_bytes=8, fields=(
            View(cpp_type="uint32_t", name="first", extent="", doc="first row", offset=0),
            View(cpp_type="uint32_t", name="count", extent="", doc="rows", offset=4),
        )),
        View(name="ToyTiling", num_bytes=20, fields=(
            View(cpp_type="Share", name="shares", extent="[2]", doc="one a core", offset=0),
            View(cpp_type="float", name="scale", extent="", doc="factor", offset=16),
        )),
    ),
)  # fmt: skip

TOYS: dict[str, tuple[View, str]] = {
    "kernel/_declare_constants.jinja": (
        View(element="half", constant_groups=(
            View(title="Tiles", constants=(constant("uint32_t", "ROWS", "64", "one repeat"),)),
            View(title="Numbers", constants=(
                constant("float", "LOW", "-3.0e38f", "a reason that would make the line too long", True),
            )),
        )),
        """\
using Element = half; // query, key, value and attention_out

// Tiles
constexpr uint32_t ROWS = 64; // one repeat

// Numbers
// a reason that would make the line too long
constexpr float LOW = -3.0e38f;
""",
    ),
    "shared/_define_tiling.jinja": (
        View(tiling=TILING),
        """\
// Tiling data, written by the host and copied from global memory by every core.
struct Share {
    uint32_t first; // first row
    uint32_t count; // rows
};
static_assert(sizeof(Share) == 8, "the host and the kernel disagree about Share");
static_assert(offsetof(Share, first) == 0, "Share.first moved");
static_assert(offsetof(Share, count) == 4, "Share.count moved");

struct ToyTiling {
    Share shares[2]; // one a core
    float scale; // factor
};
static_assert(sizeof(ToyTiling) == 20, "the host and the kernel disagree about ToyTiling");
static_assert(offsetof(ToyTiling, shares) == 0, "ToyTiling.shares moved");
static_assert(offsetof(ToyTiling, scale) == 16, "ToyTiling.scale moved");
""",
    ),
    "kernel/_declare_banner.jinja": (
        View(name="toy_kernel", summary=("Adds.", "Twice."), spec="specs/toy.yaml", template="templates/toy.jinja",
             story=("First this,", "then that.")),
        """\
/*
 * toy_kernel
 * Adds.
 * Twice.
 *
 * Generated from specs/toy.yaml by templates/toy.jinja.
 * Do not edit: change the spec, the plan or the template and run `fiagen build`.
 *
 * First this,
 * then that.
 */
""",
    ),
    "host/_list_variants.jinja": (
        View(constants=(constant("int64_t", "ROWS", "16", "a fractal"), constant("int64_t", "FAR", "9", "long", True)),
             variants=(View(literal='"one", 1'), View(literal='"two", 2'))),
        """\
constexpr int64_t ROWS = 16; // a fractal
// long
constexpr int64_t FAR = 9;

constexpr Variant VARIANTS[] = {
    {"one", 1},
    {"two", 2},
};
""",
    ),
    "host/_choose_variant.jinja": (
        View(missing=(View(when="c.PAGED", feature='"paging"'),),
             axes=(View(test="variant.dtype == c.DTYPE", text='"dtype " + c.DTYPE'),
                   View(test="variant.wide == c.WIDE", text='"wide"'))),
        """\
// The first feature of the call that no kernel of this build has, or nothing.
std::string MissingFeature(const Call& c)
{
    if (c.PAGED) {
        return "paging";
    }
    return "";
}

// The kernel whose place on every axis is the call's; null when there is none.
const Variant* FindVariant(const Call& c)
{
    for (const Variant& variant : VARIANTS) {
        bool serves = true;
        serves = serves && variant.dtype == c.DTYPE;
        serves = serves && variant.wide == c.WIDE;
        if (serves) {
            return &variant;
        }
    }
    return nullptr;
}

std::string PlaceOnAxes(const Call& c)
{
    std::string place;
    place += "dtype " + c.DTYPE;
    place += "wide";
    return place;
}
""",
    ),
    "kernel/_declare_entry.jinja": (
        View(name="toy", namespace="toy_ns", has_mask=False, tiling=TILING),
        """\
extern "C" __global__ __aicore__ void toy(
    GM_ADDR query, GM_ADDR key, GM_ADDR value, GM_ADDR, GM_ADDR queryLengths, GM_ADDR keyLengths,
    GM_ADDR attentionOut, GM_ADDR softmaxLse, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    toy_ns::ToyTiling tilingData;
    toy_ns::ReadTiling(tilingData, tiling);
    toy_ns::FusedAttention kernel;
    kernel.Init(query, key, value, queryLengths, keyLengths, attentionOut, softmaxLse,
                workspace, tilingData);
    kernel.Process();
}
""",
    ),
    "kernel/_declare_members.jinja": (
        View(has_mask=False, has_combine=False, tiling=TILING,
             flag_groups=(
                 View(verb="Set", side="Cube", flags=(View(event="FIX_M", id="ACC_EVENT"),
                                                      View(event="FIX_M", id="ACC_EVENT + 1"))),
                 View(verb="Wait", side="Cube", flags=())),
             cube_buffers=(View(position="A1", name="queryL1"),),
             vector_buffers=(View(position="VECIN", name="rowBuf"),),
             members=(View(cpp_type="uint32_t", name="core", doc="index"),)),
        """\
    // Every buffer starts free: the flags that say so are set once here and taken back at the end.
    __aicore__ inline void SetCubeFlags()
    {
        SetFlag<HardEvent::FIX_M>(ACC_EVENT);
        SetFlag<HardEvent::FIX_M>(ACC_EVENT + 1);
    }

    __aicore__ inline void WaitCubeFlags()
    {
    }

    ToyTiling tiling;
    TPipe pipe;
    GlobalTensor<Element> queryGm;
    GlobalTensor<Element> keyGm;
    GlobalTensor<Element> valueGm;
    GlobalTensor<int64_t> queryLengthsGm;
    GlobalTensor<int64_t> keyLengthsGm;
    GlobalTensor<Element> outGm;
    GlobalTensor<float> lseGm;
    GlobalTensor<float> scoresGm;
    GlobalTensor<Element> probsGm;
    GlobalTensor<float> contextGm;
    TBuf<TPosition::A1> queryL1;
    TBuf<TPosition::VECIN> rowBuf;
    RowBlock walk; // the row block that is cut into steps
    uint32_t core = 0; // index
""",
    ),
    "host/tiling_data.h.jinja": (
        View(op="toy", spec="specs/toy", data_guard="TOY_H", namespace="toys",
             tiling=View(name="T", assert_offsets=False, structs=(View(name="T", num_bytes=4, fields=(
                 View(cpp_type="float", name="x", extent="", doc="x", offset=0),)),))),
        """\
// Tiling data of toy: the kernels hold the same structs, word for word.
//
// Generated from specs/toy by templates/host/tiling_data.h.jinja. Do not edit: run `fiagen build`.
#ifndef TOY_H
#define TOY_H

#include <cstddef>
#include <cstdint>

namespace toys {

// Tiling data, written by the host and copied from global memory by every core.
struct T {
    float x; // x
};
static_assert(sizeof(T) == 4, "the host and the kernel disagree about T");

} // namespace toys

#endif
""",
    ),
}  # fmt: skip


@pytest.mark.parametrize("template", list(TOYS))
def test_a_partial_draws_exactly_this(template: str) -> None:
    view, expected = TOYS[template]
    assert render(template, view) == expected


FIELDS = [(name, field) for name, (view, _) in TOYS.items() for field in vars(view)]


@pytest.mark.parametrize(("template", "field"), FIELDS)
def test_a_missing_field_is_our_bug(template: str, field: str) -> None:
    whole: dict[str, Any] = dict(vars(TOYS[template][0]))
    del whole[field]
    with pytest.raises(DiagnosticError) as caught:
        render(template, View(**whole))
    (found,) = caught.value.diagnostics
    assert found.rule == "render.failed" and field in found.given and "our bug" in found.why
    assert found.source == f"templates/{template}"


def test_a_missing_field_of_an_item_is_our_bug() -> None:
    with pytest.raises(DiagnosticError, match="is_long"):
        render("kernel/_declare_constants.jinja", View(element="half", constant_groups=(
            View(title="T", constants=(View(cpp_type="float", name="A", literal="1", because="b"),)),)))  # fmt: skip


def test_a_missing_template_is_our_bug() -> None:
    with pytest.raises(DiagnosticError, match=r"render\.failed.*\n.*none\.jinja"):
        render("kernel/none.jinja", View())


@pytest.mark.parametrize("text", ["{{ 7 * 7 }}", "{% for a in view %}", "<b>&amp;</b>", "{# gone #}", "// {{ view }}"])
def test_template_text_in_a_value_stays_text(text: str) -> None:
    view = View(name=text, summary=(text,), spec=text, template=text, story=())
    drawn = render("kernel/_declare_banner.jinja", view)
    assert drawn.startswith(f"/*\n * {text}\n * {text}\n *\n * Generated from {text} by {text}.\n")
