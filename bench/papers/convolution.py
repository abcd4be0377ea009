"""The convolution of Two-phase §8.4 as relations: ten kernels of 3 x 3 x 3 over a coloured video,

    W[t, y, x, o] = sum[a, b, e, c] V[t + a, y + b, x + e, c] * F[a, b, e, c, o]

by a join of each tile with the seven beside and behind it (Two-phase §2: the 2^d-way join on shifted keys). A tile's keys are
those of the vertices of the grid that it touches: one further along a dimension in which the tile lies before the vertex. The
video has a border of one, here one whole tile at the end of each dimension.

No kernel computes windows yet. What stands for the convolution has its costs: the eight tiles are multiplied (as many reads as
to lay them side by side), each element is copied to the 27 places of its patch, and the patches are multiplied with the
kernels, all as a convolution by a matrix product does. Its values are no convolution's, which a simulation does not see.
"""
import itertools

KERNEL_PLACES = 27  # of 3 x 3 x 3
CHANNELS = 3


def relations(extents, tiles):
    """The text of the stage `tra`; extents and tile lengths by label: t, y, x, and o for the kernels."""
    labels = ["t", "y", "x"]
    counts = {label: extents[label] // tiles[label] for label in labels}
    keys = ",".join(f"{label.upper()}:{counts[label] + 1} bare" for label in labels)
    modes = ",".join(f"{label}={tiles[label]}" for label in labels)
    made = made_tuples([counts[label] for label in labels])
    lines = ["tra", f"%0 = input V : (u:2 bare,{keys}) -> f32[{modes},c={CHANNELS}]",
             f"%1 = input F : () -> f32[c={CHANNELS},q={KERNEL_PLACES},o={extents['o']}]",
             # u is there for one more key along each dimension; no tuple has it.
             "%2 = filter(%0) where={index(u) == 0}"]
    for is_behind in itertools.product([False, True], repeat=3):
        shifted = ",".join(f"{label.upper()}={label.upper()}+{'u' if behind else 1}" for label, behind in zip(labels, is_behind))
        lines.append(f"%{len(lines) - 1} = rekey(%2) key=({shifted})")
    tiles_read = [f"%{number}" for number in range(3, len(lines) - 1)]
    product = " * ".join(f"x{number}[t,y,x,c]" for number in range(len(tiles_read)))
    lines += [
        f"%11 = join({', '.join(tiles_read)}) on=({'; '.join(['T,Y,X'] * len(tiles_read))}) kernel={{o[t,y,x,c] = {product}}}"
        f" : {made} -> f32[{modes},c={CHANNELS}]",
        "%12 = join(%11, %1) on=(T,Y,X; ) kernel={t0[t,y,x,c,q] = x0[t,y,x,c]; o[t,y,x,o] = sum[c,q] t0[t,y,x,c,q] * x1[c,q,o]}"
        f" : {made} -> f32[{modes},o={extents['o']}]",
        # What is made stays where it is: one element of each tile is asked for.
        f"%13 = join(%12) on=(T,Y,X) kernel={{o[] = x0[0,0,0,0]}} : {made} -> f32[]",
        "%14 = aggregate(%13) keep=() by=sum:f32",
        "output(%14) corners"]
    return "\n".join(lines) + "\n"


def made_tuples(counts):
    """The key of what the join makes: the vertices that have a tile on every side."""
    present = ",".join(f"({','.join(map(str, key))})" for key in itertools.product(*(range(1, count + 1) for count in counts)))
    dims = ",".join(f"{label}:{count + 2} bare" for label, count in zip("TYX", counts))
    return f"({dims}) only {{{present}}}"
