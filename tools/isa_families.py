"""The families of tools/truth_isa.py: each becomes a file of truth/isa."""

import isa_forms
import isa_matrix
import isa_move
import isa_special


def only(family, forms):
    return lambda: [form for form in forms() if form.family == family]


FAMILIES = {name: only(name, isa_forms.plain_forms) for name in isa_forms.ROWS}
FAMILIES |= {
    "video_scalar": only("video_scalar", isa_special.video_forms),
    "video_simd": only("video_simd", isa_special.video_forms),
    "atomic": only("atomic", isa_special.atomic_forms),
    "warp": only("warp", isa_special.warp_forms),
    "move": only("move", isa_move.move_forms),
    "mma": only("mma", isa_matrix.mma_forms),
    "wmma": only("wmma", isa_matrix.wmma_forms),
    "wgmma": only("wgmma", isa_matrix.wgmma_forms),
}
