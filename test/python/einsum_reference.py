"""What numpy expects of an einsum: value, dtype and how far rounding may take a result from it."""
import string

import numpy as np

# Rounding errors of a sum of products are bounded by a multiple of eps times the sum of the products' magnitudes.
ROUNDINGS = {np.dtype(np.float16): 16}
MOST_ROUNDINGS = 100
ONE_CALL_WORK = 1e6  # products; more than this goes pair by pair

MOST_FIRSTS = 40  # pairs are sought for this many operands, so that hundreds of them take no minutes


def expected(equation, operands):
    """(value, allowed error): value has numpy's shape and dtype; the error is None where it must be exact."""
    dtype = np.result_type(*operands)
    terms, output = parse(equation, [operand.ndim for operand in operands])
    if dtype.kind in "biu":
        exact = dtype if dtype.kind == "b" else np.uint64 if dtype == np.uint64 else np.int64
        return contract(terms, output, [a.astype(exact) for a in operands]).astype(dtype), None
    wide = np.complex128 if dtype.kind == "c" else np.float64
    value = contract(terms, output, [a.astype(wide) for a in operands])
    magnitude = contract(terms, output, [np.abs(a.astype(wide)) for a in operands])
    roundings = ROUNDINGS.get(dtype, MOST_ROUNDINGS)
    return value.astype(dtype), roundings * np.finfo(dtype).eps * magnitude


def parse(equation, ndims):
    """Terms and output as lists of labels. The axes of an ellipsis are labels of their own: -1 is the last one."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    widths = [ndim - len(term.replace("...", "")) for term, ndim in zip(terms, ndims)]
    widest = max([width for term, width in zip(terms, widths) if "..." in term], default=0)
    inputs = [expand(term, width) for term, width in zip(terms, widths)]
    if arrow:
        return inputs, expand(right, widest)
    letters = "".join(terms).replace("...", "")
    return inputs, list(range(-widest, 0)) + [c for c in sorted(set(letters)) if letters.count(c) == 1]


def expand(term, width):
    before, dots, after = term.partition("...")
    return list(before) + (list(range(-width, 0)) if dots else []) + list(after)


def contract(terms, output, arrays):
    terms, arrays, extents = broadcast(terms, arrays)
    letters = {label for term in terms for label in term} | set(output)
    work = np.prod([float(extents[label]) for label in letters])
    if len(arrays) == 1 or (len(letters) <= 32 and work <= ONE_CALL_WORK):
        return one_call(terms, output, arrays)
    return pair_by_pair(terms, output, arrays, extents)


def broadcast(terms, arrays):
    """Takes diagonals and stretches axes of extent 1; so that every label has one extent and stands once in a term."""
    extents = {}
    for term, array in zip(terms, arrays):
        for label, extent in zip(term, array.shape):
            if extents.get(label, 1) == 1:
                extents[label] = extent
    single, stretched = [], []
    for term, array in zip(terms, arrays):
        array = np.broadcast_to(array, [extents[label] for label in term])
        distinct = list(dict.fromkeys(term))
        single.append(distinct)
        stretched.append(array if len(distinct) == len(term) else one_call([term], distinct, [array]))
    return single, stretched, extents


def one_call(terms, output, arrays):
    names = {}
    for label in [label for term in [*terms, output] for label in term]:
        names.setdefault(label, string.ascii_letters[len(names)])
    text = ",".join("".join(names[label] for label in term) for term in terms)
    # optimize hands a product of two matrices to BLAS.
    equation = text + "->" + "".join(names[label] for label in output)
    return np.asarray(np.einsum(equation, *arrays, optimize=len(arrays) == 2 and arrays[0].dtype.kind in "fc"))


def pair_by_pair(terms, output, arrays, extents):
    """Greedy: always the pair whose result is smallest compared with what it replaces."""
    def volume(labels):
        return float(np.prod([float(extents[label]) for label in labels]))

    work = list(zip(terms, arrays))
    while len(work) > 1:
        best = None
        uses = {}
        for term, _ in work:
            for label in term:
                uses[label] = uses.get(label, 0) + 1
        for i in range(min(len(work), MOST_FIRSTS)):
            for j in range(i + 1, len(work)):
                a, b = set(work[i][0]), set(work[j][0])
                if len(work) > 12 and not a & b:
                    continue
                kept = [label for label in a | b if label in output or uses[label] > (label in a) + (label in b)]
                score = (volume(kept) - volume(a) - volume(b), volume(a | b))
                if best is None or score < best[0]:
                    best = (score, i, j)
        _, i, j = best or (None, 0, 1)
        (term_i, array_i), (term_j, array_j) = work[i], work[j]
        rest = [entry for position, entry in enumerate(work) if position not in (i, j)]
        wanted = set(output).union(*[term for term, _ in rest])
        kept = [label for label in dict.fromkeys(term_i + term_j) if label in wanted]
        work = rest + [(kept, one_call([term_i, term_j], kept, [array_i, array_j]))]
    return one_call([work[0][0]], output, [work[0][1]])
