"""Transposition between columns of batches and records of four or eight floats each.

Vector code wants the same quantity of many contacts side by side; the sums over bodies want all quantities of one
contact in one line. Number by number each takes a load and a store; AVX-512 transposes 64 numbers in 24 shuffles, AVX2
16 numbers in 8.
"""

import numba
from dem.kernels.compiler import processor
from dem.kernels.compiler.jit import inline
from dem.kernels.simd.memory import ROW, place_of
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

EIGHT, FOUR = ROW.count, ROW.count // 2
wide = processor.has("avx512f")  # whether a vector has eight numbers, not four
available = not numba.config.DISABLE_JIT and (wide or processor.has("avx2"))


def columns_at_once(numbers):
    """Number of lines of so many numbers, four or eight, that are transposed at once."""
    return numbers if wide else FOUR


def vector_of(count):
    """Type of vectors of so many floats."""
    return ir.VectorType(ROW.element, count)


def shuffled(builder, one, other, places):
    """Vector of the numbers at these places of two vectors, one after the other."""
    return builder.shuffle_vector(one, other, ir.Constant(ir.VectorType(ir.IntType(32), len(places)), list(places)))


def transposed(builder, rows):
    """Vectors of the columns of a square of rows: halves change places, then quarters, then eighths."""
    rows, size = list(rows), len(rows)
    far = size // 2
    while far:
        low = [k if not k & far else k - far + size for k in range(size)]
        high = [k + far if not k & far else k + size for k in range(size)]
        for k in range(size):
            if not k & far:
                one, other = rows[k], rows[k + far]
                rows[k], rows[k + far] = (shuffled(builder, one, other, places) for places in (low, high))
        far //= 2
    return rows


def lines_from(builder, rows):
    """Lines of the columns of four or eight rows: one, or two of four rows each, transposed."""
    width = rows[0].type.count
    parts = [transposed(builder, rows[k : k + width]) for k in range(0, len(rows), width)]
    if len(parts) == 1:
        return parts[0]
    return [shuffled(builder, first, last, range(2 * width)) for first, last in zip(*parts, strict=True)]


def rows_from(builder, lines):
    """Rows of which the columns are these lines of four or eight numbers; see `lines_from`."""
    width = len(lines)
    if lines[0].type.count == width:
        return transposed(builder, lines)
    parts = [[shuffled(builder, line, line, range(k, k + width)) for line in lines] for k in (0, width)]
    return [row for part in parts for row in transposed(builder, part)]


def part_of_row(context, builder, kind, rows, r, length, t, count):
    """Address of `count` numbers of row r, from column t on, of rows of a length each that lie one after the other."""
    first = builder.add(builder.mul(ir.Constant(t.type, r), length), t)
    return place_of(context, builder, kind, rows, first, vector_of(count))


def load_lines(context, builder, kind, numbers, rows, length, t, width, negated=()):
    """Lines of `width` columns, from t on, of these rows, some of which are negated."""
    places = (part_of_row(context, builder, kind, numbers, r, length, t, width) for r in rows)
    parts = [builder.load(place, align=8) for place in places]
    return lines_from(builder, [builder.fneg(part) if n in negated else part for n, part in enumerate(parts)])


def store_rows(context, builder, kind, numbers, rows, length, t, lines):
    """Write lines as columns, from t on, of these rows."""
    for r, row in zip(rows, rows_from(builder, lines), strict=True):
        builder.store(row, part_of_row(context, builder, kind, numbers, r, length, t, len(lines)), align=8)


def entry(context, builder, kind, index, t):
    """Entry t of a list of lines, or t where there is no list."""
    if isinstance(kind, types.NoneType):
        return t
    given = context.make_array(kind)(context, builder, index)
    k = builder.load(builder.gep(given.data, [t]))
    return builder.sext(k, t.type) if k.type.width < t.type.width else k


def laying(rows, negated):
    """Function that writes columns of these eight rows, some of which are negated, as lines of memory."""
    width = columns_at_once(EIGHT)

    @intrinsic
    def lay(_typing, numbers, length, t, lines, column):
        def generate(context, builder, signature, arguments):
            numbers, length, t, lines, column = arguments
            argument_types = signature.args
            loaded = load_lines(context, builder, argument_types[0], numbers, rows, length, t, width, negated)
            for n, line in enumerate(loaded):
                row = builder.add(t, ir.Constant(t.type, n))
                builder.store(line, place_of(context, builder, argument_types[3], lines, (row, column), ROW), align=8)
            return context.get_dummy_value()

        return types.none(numbers, types.int64, types.int64, lines, types.int64), generate

    return lay


def lines_of(*rows, negated=()):
    """Function of (numbers, length, number, lines, column) that writes columns of these eight rows as lines of memory.

    Of `number` columns as many as are whole groups: column t of rows of a `length` each, which lie one after the other
    in `numbers`, goes to row t of `lines`, from a column on. It returns how many it has written.

    negated: which of the eight are written with the opposite sign.
    """
    lay, width = laying(rows, negated), columns_at_once(EIGHT)

    @inline
    def by_groups(numbers, length, number, lines, column):
        t = 0
        while t + width <= number:
            lay(numbers, length, t, lines, column)
            t += width
        return t

    @inline
    def none(numbers, length, number, lines, column):
        return 0

    return by_groups if available else none


def reading(rows):
    """Function that reads lines of memory as columns of these eight rows."""
    width = columns_at_once(EIGHT)

    @intrinsic
    def read(_typing, index, lines, column, numbers, length, t):
        def generate(context, builder, signature, arguments):
            index, lines, column, numbers, length, t = arguments
            argument_types, loaded = signature.args, []
            for n in range(width):
                k = entry(context, builder, argument_types[0], index, builder.add(t, ir.Constant(t.type, n)))
                line = place_of(context, builder, argument_types[1], lines, (k, column), ROW)
                loaded.append(builder.load(line, align=8))
            store_rows(context, builder, argument_types[3], numbers, rows, length, t, loaded)
            return context.get_dummy_value()

        return types.none(index, lines, types.int64, numbers, types.int64, types.int64), generate

    return read


def columns_of(*rows):
    """Function of (index, lines, column, numbers, length, number) that reads lines of memory as columns of eight rows.

    Of `number` columns as many as are whole groups: the eight numbers of row index[t] of `lines`, from a column on, go
    to column t of rows of a `length` each, which lie one after the other in `numbers`. It returns how many it has read.
    """
    read, width = reading(rows), columns_at_once(EIGHT)

    @inline
    def by_groups(index, lines, column, numbers, length, number):
        t = 0
        while t + width <= number:
            read(index, lines, column, numbers, length, t)
            t += width
        return t

    @inline
    def none(index, lines, column, numbers, length, number):
        return 0

    return by_groups if available else none


BODIES = columns_at_once(EIGHT)  # of which `lay_vectors` writes the lines


@intrinsic
def lay_vectors(_typing, vectors, b, lines, k):
    """Write the first eight numbers of three vectors of bodies b and on as lines k and on."""

    def generate(context, builder, signature, arguments):
        vectors, b, lines, k = arguments
        kinds, rows = signature.args, []
        for kind, array in zip(kinds[0], cgutils.unpack_tuple(builder, vectors), strict=True):
            length = cgutils.unpack_tuple(builder, context.make_array(kind)(context, builder, array).shape)[1]
            for r in range(min(3, EIGHT - len(rows))):
                place = part_of_row(context, builder, kind, array, r, length, b, BODIES)
                rows.append(builder.load(place, align=8))
        for n, line in enumerate(lines_from(builder, rows)):
            row = builder.add(k, ir.Constant(k.type, n)), ir.Constant(k.type, 0)
            builder.store(line, place_of(context, builder, kinds[2], lines, row, ROW), align=8)
        return context.get_dummy_value()

    return types.none(vectors, types.int64, lines, types.int64), generate


@inline
def write_groups_of_vectors(vectors, low, high, lines):
    """Write the first eight numbers of vectors of the bodies low to high as lines, see `write_vectors`."""
    b = low
    while b + BODIES <= high:
        lay_vectors(vectors, b, lines, b - low)
        b += BODIES
    return b


def load_in_turn(context, builder, kind, lines, k, several):
    """First numbers of line k, modulo the number of lines of eight numbers, which is a power of two."""
    number = cgutils.unpack_tuple(builder, context.make_array(kind)(context, builder, lines).shape)[0]
    line = builder.and_(k, builder.sub(number, ir.Constant(k.type, 1)))
    first = builder.mul(line, ir.Constant(k.type, EIGHT))
    return builder.load(place_of(context, builder, kind, lines, first, several), align=8)


def pairs_of_lines(differences, of_first, of_second, in_turn):
    """Function of (listed, owner, first, second, lines, begin, number, numbers, length) that reads pairs as columns.

    Of a `number` of columns as many as are whole groups: column t of `numbers`, rows of a `length` each, is of the pair
    k = listed[begin + t], of lines owner[first[k]] and owner[second[k]] of eight numbers. Without one of these lists,
    None, k = begin + t, or the lines are first[k] and second[k]. It returns how many columns it has read.

    differences: rows of the first numbers of the first line less those of the second.
    of_first, of_second: rows of the remaining numbers of either line; None of one that is not wanted.
    in_turn: whether lines are counted modulo their number, a power of two.
    """
    width = columns_at_once(EIGHT)

    def load_line(context, builder, kind, lines, k):
        if in_turn:
            return load_in_turn(context, builder, kind, lines, k, ROW)
        return builder.load(place_of(context, builder, kind, lines, (k, ir.Constant(k.type, 0)), ROW), align=8)

    @intrinsic
    def read(_typing, listed, owner, first, second, lines, k, numbers, length, t):
        def generate(context, builder, signature, arguments):
            listed, owner, first, second, lines, k, numbers, length, t = arguments
            kinds, pairs = signature.args, ([], [])
            for n in range(width):
                pair = entry(context, builder, kinds[0], listed, builder.add(k, ir.Constant(k.type, n)))
                for read_lines, kind, index in zip(pairs, kinds[2:4], (first, second), strict=True):
                    s = entry(context, builder, kinds[1], owner, entry(context, builder, kind, index, pair))
                    read_lines.append(load_line(context, builder, kinds[4], lines, s))
            one, other = (rows_from(builder, read_lines) for read_lines in pairs)
            columns = [(r, builder.fsub(x, y)) for r, x, y in zip(differences, one, other, strict=False)]
            own = len(differences)
            columns += [*zip(of_first, one[own:], strict=True), *zip(of_second, other[own:], strict=True)]
            for r, column in columns:
                if r is not None:
                    place = part_of_row(context, builder, kinds[6], numbers, r, length, t, width)
                    builder.store(column, place, align=8)
            return context.get_dummy_value()

        integer = types.int64
        return types.none(listed, owner, first, second, lines, integer, numbers, integer, integer), generate

    @inline
    def by_groups(listed, owner, first, second, lines, begin, number, numbers, length):
        t = 0
        while t + width <= number:
            read(listed, owner, first, second, lines, begin + t, numbers, length, t)
            t += width
        return t

    @inline
    def none(listed, owner, first, second, lines, begin, number, numbers, length):
        return 0

    return by_groups if available else none


@intrinsic
def read_differences(_typing, first, second, lines, k, numbers, length, t):
    """Write the first four numbers of lines first[k + n] less those of lines second[k + n] to columns t + n of rows.

    Lines are counted modulo their number, as by `pairs_of_lines`; the fourth is left out.
    """

    def generate(context, builder, signature, arguments):
        first, second, lines, k, numbers, length, t = arguments
        kinds, gaps = signature.args, []
        for n in range(FOUR):
            ends = []
            for kind, index in zip(kinds[:2], (first, second), strict=True):
                s = entry(context, builder, kind, index, builder.add(k, ir.Constant(k.type, n)))
                ends.append(load_in_turn(context, builder, kinds[2], lines, s, vector_of(FOUR)))
            gaps.append(builder.fsub(*ends))
        for r, row in enumerate(transposed(builder, gaps)[:3]):
            place = part_of_row(context, builder, kinds[4], numbers, r, length, t, FOUR)
            builder.store(row, place, align=8)
        return context.get_dummy_value()

    integer = types.int64
    return types.none(first, second, lines, integer, numbers, integer, integer), generate


@inline
def read_groups_of_differences(first, second, lines, k, number, numbers, length):
    """Read differences of lines, see `read_gaps`."""
    t = 0
    while t + FOUR <= number:
        read_differences(first, second, lines, k + t, numbers, length, t)
        t += FOUR
    return t


def of_listed(size):
    """Functions that read and write listed lines of `size` numbers, four or eight, as columns: see `read_all`."""
    width, line_type = columns_at_once(size), vector_of(size)

    def line_at(context, builder, argument_types, index, first, n, lines):
        """Which line the n-th of a group is, and its address."""
        k = entry(context, builder, argument_types[0], index, builder.add(first, ir.Constant(first.type, n)))
        return k, place_of(context, builder, argument_types[1], lines, (k, ir.Constant(k.type, 0)), line_type)

    @intrinsic
    def read(_typing, index, lines, filled, first, rows, length, t):
        def generate(context, builder, signature, arguments):
            index, lines, filled, first, rows, length, t = arguments
            argument_types, loaded = signature.args, []
            for n in range(width):
                k, line = line_at(context, builder, argument_types, index, first, n, lines)
                mark = builder.load(place_of(context, builder, argument_types[2], filled, k, ir.IntType(8)))
                is_filled = builder.icmp_signed("!=", mark, ir.Constant(mark.type, 0))
                loaded.append(builder.select(is_filled, builder.load(line, align=8), ir.Constant(line_type, None)))
            store_rows(context, builder, argument_types[4], rows, range(size), length, t, loaded)
            return context.get_dummy_value()

        return types.none(index, lines, filled, types.int64, rows, types.int64, types.int64), generate

    @intrinsic
    def write(_typing, index, lines, first, rows, length, t):
        def generate(context, builder, signature, arguments):
            index, lines, first, rows, length, t = arguments
            argument_types = signature.args
            loaded = load_lines(context, builder, argument_types[3], rows, range(size), length, t, width)
            for n, line in enumerate(loaded):
                _, place = line_at(context, builder, argument_types, index, first, n, lines)
                builder.store(line, place, align=8)
            return context.get_dummy_value()

        return types.none(index, lines, types.int64, rows, types.int64, types.int64), generate

    @inline
    def read_groups(index, lines, filled, first, number, rows):
        t = 0
        if lines.shape[1] == rows.shape[0] == size:
            while t + width <= number:
                read(index, lines, filled, first + t, rows, rows.shape[1], t)
                t += width
        return t

    @inline
    def write_groups(index, lines, first, number, rows):
        t = 0
        if lines.shape[1] == rows.shape[0] == size:
            while t + width <= number:
                write(index, lines, first + t, rows, rows.shape[1], t)
                t += width
        return t

    return read_groups, write_groups


read_fours, write_fours = of_listed(FOUR)
read_eights, write_eights = of_listed(EIGHT)


@inline
def read_all(index, lines, filled, first, number, rows):
    """Read lines of four or eight numbers into columns, zeros where a line is not filled.

    index, first, number: which lines, from the first entry on; so many, of which as many as are whole groups are read.
    lines, filled: (K, R), read if R is four or eight and there are as many rows; (K,) int8, zeros are read of those
        that are not.
    Writes rows: (R, length) a column each. Returns how many have been read.
    """
    return read_fours(index, lines, filled, first, number, rows) + read_eights(
        index, lines, filled, first, number, rows
    )


@inline
def write_all(index, lines, first, number, rows):
    """Write columns to lines.

    index, first, number, rows: see `read_all`.
    Writes lines: (K, R) if R is four or eight and there are as many rows. Returns how many have been written.
    """
    return write_fours(index, lines, first, number, rows) + write_eights(index, lines, first, number, rows)


@inline
def read_none(index, lines, filled, first, number, rows):
    """Read none: the caller's scalar loop reads all, without AVX2 or without a compiler."""
    return 0


@inline
def write_none(index, lines, first, number, rows):
    """Write none; see `read_none`."""
    return 0


@inline
def read_no_differences(first, second, lines, k, number, numbers, length):
    """Read none; see `read_none`."""
    return 0


# Function of (first, second, lines, k, number, numbers, length) that reads pairs k and on, of lines first[k] and
# second[k], a `number` of them or as many as are whole groups: the first three numbers of the one line less those of
# the other go to three rows of a `length` each; it returns how many columns it has read
read_gaps = read_groups_of_differences if available else read_no_differences


@inline
def write_no_vectors(vectors, low, high, lines):
    """Write none; see `read_none`."""
    return low


# Function of (vectors, low, high, lines) that writes the first eight numbers of three vectors, (3, N) each, of as many
# of the bodies low to high as are whole groups, as lines (K, 8), the first of body low; it returns the body after them
write_vectors = write_groups_of_vectors if available else write_no_vectors
read_lines, write_lines = (read_all, write_all) if available else (read_none, write_none)
