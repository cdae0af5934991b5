"""Kinds of damage to trajectories, by name: functions of a file that is open for writing.

`EVERYBODY` is refused by all who read a trajectory, `GOING_ON` by all who go on from the latest checkpoint, `REPEATING`
by `dem rerun`; `HARD` is for a run of hard spheres. `SHOWN` is what a file may well say, but hard to draw.
"""

import json

import h5py
import numpy as np

RUN = "particles/trajectory"
NOW = "restart/latest"
EVERYBODY, GOING_ON, REPEATING, HARD, SHOWN = {}, {}, {}, {}, {}


def put(file, name, value):
    """Put something else in place of a data set, with the attributes of the old one."""
    kept = dict(file[name].attrs) if name in file else {}
    if name in file:
        del file[name]
    file[name] = value
    file[name].attrs.update(kept)


def putting(name, value):
    return lambda file: put(file, name, value)


def changing(name, change):
    """What a function makes of the values of a data set, in place of them."""
    return lambda file: put(file, name, change(file[name][()]))


def setting(name, index, value):
    def damage(file):
        file[name][index] = value

    return damage


def saying(name, change, *, of="parameters/input"):
    """The input with something else under a dotted name; None takes it away."""

    def damage(file):
        given = json.loads(file[of].asstr()[()])
        *parents, last = name.split(".")
        node = given
        for part in parents:
            node = node[int(part) if isinstance(node, list) else part]
        if change is None:
            del node[last]
        else:
            node[int(last) if isinstance(node, list) else last] = change
        put(file, of, json.dumps(given))

    return damage


def about(name, value, of="parameters"):
    def damage(file):
        file[of].attrs[name] = value

    return damage


def without(name):
    def damage(file):
        del file[name]

    return damage


def linking(name, link):
    def damage(file):
        del file[name]
        file[name] = link

    return damage


def made_of(name, source, dataset):
    """A virtual data set, of that of another file or of `.`, this one."""

    def damage(file):
        shape, dtype = file[name].shape, file[name].dtype
        del file[name]
        layout = h5py.VirtualLayout(shape, dtype)
        layout[...] = h5py.VirtualSource(source, dataset, shape)
        file.create_virtual_dataset(name, layout)

    return damage


def promising(name, shape, **how):
    """A data set whose values were never written."""

    def damage(file):
        dtype = file[name].dtype
        del file[name]
        file.create_dataset(name, shape, dtype, **how)

    return damage


def crowded(file):
    for name, width in (("position", 3), ("velocity", 3), ("orientation", 4), ("angular_velocity", 3)):
        promising(f"{RUN}/{name}/value", (3, 40_000_000, width), chunks=(1, 10_000, width))(file)
    promising(f"{RUN}/mass", (40_000_000,), fillvalue=1.0)(file)
    promising(f"{RUN}/species", (40_000_000,))(file)


def stored_elsewhere(file):
    values = file[f"{RUN}/mass"][:]
    del file[f"{RUN}/mass"]
    file.create_dataset(f"{RUN}/mass", values.shape, "f8", external=[("/dev/zero", 0, values.nbytes)])


def half_packed(file):
    packed = file[RUN].create_dataset("packed", (40_000_000,), "f8", chunks=(1000,), compression="gzip")
    packed[:10] = 1.0


def many_attributes(file):
    for k in range(1000):
        file["parameters"].attrs[f"note {k}"] = k


def many_groups(file):
    for k in range(3000):
        file.create_group(f"notes/{k}")


def hidden_in_the_view(file):
    """What is looked at under the laxer rules of the view must not be read under another name."""
    del file["VTKHDF"]
    file["VTKHDF"] = file["particles"]


NAN, INF = float("nan"), float("inf")
DEEP = "[" * 200_000

EVERYBODY |= {
    "external link": linking(f"{RUN}/velocity", h5py.ExternalLink("/etc/passwd", "/")),
    "soft link": linking(f"{RUN}/mass", h5py.SoftLink("/restart/start/largest_kinetic")),
    "dangling link": linking(f"{RUN}/mass", h5py.SoftLink("/nowhere")),
    "link to itself": linking(f"{RUN}/mass", h5py.SoftLink(f"/{RUN}/mass")),
    "made of itself": made_of(f"{RUN}/position/value", ".", f"/{RUN}/position/value"),
    "made of another file": made_of(f"{RUN}/mass", "/etc/passwd", "/mass"),
    "view of another file": made_of("VTKHDF/Points", "/etc/passwd", "/mass"),
    "view of itself": made_of("VTKHDF/Points", ".", "/VTKHDF/Points"),
    "stored elsewhere": stored_elsewhere,
    "forty million by fill value": crowded,
    "never written": promising(f"{RUN}/mass", (3,)),
    "half packed": half_packed,
    "huge pieces": promising(f"{RUN}/position/step", (5,), maxshape=(None,), chunks=(100_000_000,)),
    "unknown filter": lambda file: file.create_dataset("odd", data=np.arange(9), scaleoffset=0, chunks=(3,)) and None,
    "thousand attributes": many_attributes,
    "thousands of groups": many_groups,
    "hidden in the view": hidden_in_the_view,
    "named type": lambda file: file.__setitem__("kind of numbers", np.dtype("f8")),
    "no parameters": without("parameters"),
    "parameters a number": putting("parameters", 3.0),
    "format a word": about("format", "two"),
    "format of the future": about("format", 99),
    "format of many": about("format", np.arange(5)),
    "mass of fewer": changing(f"{RUN}/mass", lambda m: m[:-1]),
    "mass of more": changing(f"{RUN}/mass", lambda m: np.append(m, 1.0)),
    "mass not a number": changing(f"{RUN}/mass", lambda m: m * NAN),
    "mass of nothing": changing(f"{RUN}/mass", lambda m: 0 * m),
    "mass in words": putting(f"{RUN}/mass", ["a", "b", "c"]),
    "mass complex": changing(f"{RUN}/mass", lambda m: m * 1j),
    "mass in records": putting(f"{RUN}/mass", np.zeros(3, [("a", "f8"), ("b", "i4")])),
    "mass a group": lambda file: (without(f"{RUN}/mass")(file), file.create_group(f"{RUN}/mass")),
    "mass of no shape": putting(f"{RUN}/mass", h5py.Empty("f8")),
    "kinds below 0": setting(f"{RUN}/species", 0, -1),
    "kinds that are not there": setting(f"{RUN}/species", 0, 2**30),
    "kinds of fewer": changing(f"{RUN}/species", lambda s: s[:-1]),
    "kinds in halves": changing(f"{RUN}/species", lambda s: s + 0.5),
    "kinds in a table": changing(f"{RUN}/species", lambda s: s[:, None]),
    "variants below 0": setting(f"{RUN}/variant", 0, -1),
    "variants that are not there": setting(f"{RUN}/variant", 0, 2**30),
    "variants of fewer": changing(f"{RUN}/variant", lambda v: v[:-1]),
    "no variant": without(f"{RUN}/variant"),
    "no variants": without("parameters/variants"),
    "spheres beyond": setting("parameters/variants/first", -1, 10**9),
    "spheres backwards": changing("parameters/variants/first", lambda f: f[::-1]),
    "spheres of nobody": changing("parameters/variants/first", lambda f: 0 * f),
    "no first sphere": changing("parameters/variants/first", lambda f: f[:0]),
    "radius not a number": setting("parameters/variants/radii", 0, NAN),
    "radius negative": setting("parameters/variants/radii", 0, -1.0),
    "offsets of fewer": changing("parameters/variants/offsets", lambda x: x[:-1]),
    "offsets infinite": changing("parameters/variants/offsets", lambda x: x + INF),
    "offsets in a plane": changing("parameters/variants/offsets", lambda x: x[:, :2]),
    "inertia of fewer": changing("parameters/variants/inertia", lambda i: i[:-1]),
    "inertia of nothing": changing("parameters/variants/inertia", lambda i: 0 * i),
    "no energies": without("observables"),
    "an energy less": without("observables/elastic_energy"),
    "energies in words": putting("observables/total_energy/value", ["a"] * 5),
    "energies of fewer frames": changing("observables/total_energy/value", lambda e: e[:-2]),
    "position in a plane": changing(f"{RUN}/position/value", lambda x: x[..., :2]),
    "position of more": changing(f"{RUN}/position/value", lambda x: np.concatenate([x, x], axis=1)),
    "position of nobody": changing(f"{RUN}/position/value", lambda x: x[:, :0]),
    "position of fewer frames": changing(f"{RUN}/position/value", lambda x: x[:-1]),
    "position flat": changing(f"{RUN}/position/value", np.ravel),
    "position one number": putting(f"{RUN}/position/value", 0.0),
    "position in words": putting(f"{RUN}/position/value", [[["a"] * 3] * 3] * 5),
    "velocity of fewer": changing(f"{RUN}/velocity/value", lambda v: v[:, :-1]),
    "orientation of three": changing(f"{RUN}/orientation/value", lambda q: q[..., :3]),
    "steps backwards": changing(f"{RUN}/position/step", lambda s: s[::-1]),
    "steps below 0": changing(f"{RUN}/position/step", lambda s: s - 10**6),
    "steps in halves": changing(f"{RUN}/position/step", lambda s: s + 0.5),
    "time backwards": changing(f"{RUN}/position/time", lambda t: t[::-1]),
    "time not a number": changing(f"{RUN}/position/time", lambda t: t * NAN),
    "time of fewer frames": changing(f"{RUN}/position/time", lambda t: t[:-1]),
    "input no JSON": putting("parameters/input", "{"),
    "input a list": putting("parameters/input", "[]"),
    "input nested": putting("parameters/input", DEEP),
    "input nested well": putting("parameters/input", "[" * 900 + "]" * 900),
    "input a number": putting("parameters/input", 3.0),
    "input of many": putting("parameters/input", ["{}", "{}"]),
    "input of other bytes": putting("parameters/input", np.bytes_(b"\xff\xfe{}")),
    "no input": without("parameters/input"),
    "input of fewer": saying("particles", 2),
    "input without kinds": saying("kinds", None),
    "kinds a number": saying("kinds", 7),
    "one kind": saying("kinds", [{"shape": "Fibre"}]),
    "shape a number": saying("kinds.0.shape", 7),
    "kind of no name": saying("kinds.0.name", None),
    "name a number": saying("kinds.0.name", 5),
    "kind of rubber": saying("kinds.0.material.young", -1.0),
    "kind of nothing": saying("kinds.0.material", None),
    "sizes a list": saying("kinds.0.sizes", [1]),
    "sizes in words": saying("kinds.0.sizes.diameter", {"least": "a", "most": "b", "different": 2}),
    "sizes from nowhere": saying("kinds.0.sizes.diameter", {"most": 1.0}),
    "kind of halves": saying("kinds.0.particles", 0.5),
    "gravity of two": saying("gravity", [0, 1]),
    "gravity not a number": saying("gravity", [0, 0, NAN]),
    "gravity in words": saying("gravity", ["down", "down", "down"]),
    "box a list": saying("box", [1, 2]),
    "box inside out": saying("box.lower", [9, 9, 9]),
    "box of nothing": saying("box.material", None),
    "box of rubber": saying("box.material.young", -1.0),
    "box with more": saying("box.lid", True),
    "box without motion": saying("box.motion", None),
    "box in motion": saying("box.motion", {"z-": {"frequency": NAN}}),
    "box open somewhere": saying("box.open", ["w+"]),
    "box open to all": saying("box.open", 5),
    "periodic along w": saying("box.periodic", ["w"]),
    "no time step": saying("time_step", 0.0),
    "time step in words": saying("time_step", "short"),
    "case a number": saying("case", 5),
    "parameters a list": saying("parameters", [1]),
    "contacts of numbers": saying("contacts", [1, 2]),
    "contact of one": saying("contacts.0.materials", [{}]),
    "verdict a number": about("verdict", 3.5),
    "error of many": about("error", np.arange(5)),
    "command a number": about("command", 1),
    "versions no JSON": about("versions", "{"),
    "versions nested": about("versions", "[" * 20_000),
    "machine a list": about("machine", "[1]"),
    "stretches of numbers": about("resumed", "[1]"),
    "wall time in words": about("wall_time", "long"),
    "wall time not a number": about("wall_time", NAN),
    "event of somebody else": about("event_particles", np.array([10**6])),
    "event of halves": about("event_particles", np.array([0.5])),
    "checkpoint of fewer": changing(f"{NOW}/particles/kind", lambda k: k[:-1]),
    "checkpoint of fewer variants": changing(f"{NOW}/particles/variant", lambda v: v[:-1]),
    "contacts of plain numbers": putting("contacts/rows", np.zeros(9)),
    "contacts of other records": changing("contacts/rows", lambda rows: rows[["i", "j"]]),
    "contacts counted, not there": without("contacts/rows"),
    "contacts that are not there": changing("contacts/number", lambda n: n + 10**6),
    "contacts below 0": changing("contacts/number", lambda n: n - 10**6),
    "contacts of fewer frames": changing("contacts/number", lambda n: n[:-1]),
    "table of numbers": putting("table", np.zeros(9)),
    "table a group": lambda file: (without("table")(file), file.create_group("table")),
    "table of no time": changing("table", lambda rows: rows[["step"]]),
    "table in words": putting("table", np.zeros(3, [("time", "S3")])),
    "changes of numbers": putting("changes", np.zeros(9)),
    "changes of a table": lambda file: put(file, "changes", file["table"][:]),
    "table made of nothing": about("table", "{}"),
    "table made of a list": about("table", "[1]"),
    "columns a number": about("table", '{"columns": 5, "every": 1}'),
    "columns of lists": about("table", '{"columns": [[1]], "every": 1}'),
    "table at all times": about("table", '{"columns": ["time"], "every": 0}'),
    "hook a list": about("hook", "[1]"),
    "hook no JSON": about("hook", "{"),
}


def of_checkpoint(name, change):
    return saying(name, change, of=f"{NOW}/input")


def of_variant(**change):
    """The recipe of the first variants with something else in it."""

    def damage(file):
        given = json.loads(file[f"{NOW}/input"].asstr()[()])
        given["variants"][0] |= change
        put(file, f"{NOW}/input", json.dumps(given))

    return damage


GOING_ON |= {
    "another format": about("format", "pcdm-dem checkpoint 99", NOW),
    "format of numbers": about("format", np.arange(3), NOW),
    "system unknown": about("kind", "Galaxy", NOW),
    "system of many": about("kind", np.arange(3), NOW),
    "recipe no JSON": putting(f"{NOW}/input", "{"),
    "recipe nested": putting(f"{NOW}/input", DEEP),
    "recipe a list": putting(f"{NOW}/input", "[]"),
    "recipe a number": putting(f"{NOW}/input", 1),
    "no recipe": without(f"{NOW}/input"),
    "no kinds at all": of_checkpoint("kinds", []),
    "kinds of one": of_checkpoint("kinds.0", [1]),
    "kinds in words": of_checkpoint("kinds", "ab"),
    "kind of no name": of_checkpoint("kinds.0.name", 5),
    "kind of a shape": of_checkpoint("kinds.0.material.class", "dem.shapes:Sphere"),
    "no variants at all": of_checkpoint("variants", []),
    "variants in words": of_checkpoint("variants", "ab"),
    "variants of fewer": of_checkpoint("variants.0.number", 2),
    "variants without end": of_variant(number=10**12, columns={}),
    "variants in halves": of_checkpoint("variants.0.number", 0.5),
    "columns a number": of_checkpoint("variants.0.columns.diameter", 1.0),
    "shape no recipe": of_checkpoint("variants.0", 3.0),
    "shape of lists": of_checkpoint("variants.0.class", ["a"]),
    "shape of nothing": of_checkpoint("variants.0.columns", [1]),
    "shape of elsewhere": of_checkpoint("variants.0.class", "no.such.module:Thing"),
    "shape a function": of_checkpoint("variants.0.class", "os:system"),
    "material a shape": of_checkpoint("variants.0.material.class", "dem.shapes:Sphere"),
    "fibre without end": of_checkpoint("variants.0.columns.aspect_ratio", [1e9]),
    "fibre of no width": of_checkpoint("variants.0.columns.diameter", [NAN]),
    "clump of parts": of_variant(**{"class": "dem.clump:Clump", "columns": {"radii": [[1.0]]}}),
    "clump unlike": of_variant(
        **{
            "class": "dem.clump:Clump",
            "columns": {"offsets": [[[0, 0, 0]]], "radii": [[1, 1]], "centre": [0], "axes": [0], "_moments": [0]},
        }
    ),
    "stone of foam": of_checkpoint("variants.0.material.values.density", -5.0),
    "no box": of_checkpoint("box", None),
    "box a material": of_checkpoint("box.class", "dem.materials:Material"),
    "contacts a list": of_checkpoint("contacts", []),
    "contacts of two": of_checkpoint("contacts.table", [[1, 2]]),
    "contacts without rule": of_checkpoint("contacts.rule", "largest"),
    "gravity infinite": of_checkpoint("gravity", [0, 0, INF]),
    "steps of nothing": of_checkpoint("time_step", 0.0),
    "scheme unknown": of_checkpoint("integrator", "best"),
    "scheme a list": of_checkpoint("integrator", [1]),
    "deepest not a number": of_checkpoint("deepest_overlap", NAN),
    "described by a list": of_checkpoint("description", [1]),
    "described by parameters that are a number": of_checkpoint("description.parameters", 5),
    "somebody of no kind": setting(f"{NOW}/particles/kind", 0, 99),
    "somebody of no variant": setting(f"{NOW}/particles/variant", 0, 99),
    "place not a number": setting(f"{NOW}/particles/position", (0, 0), NAN),
    "turned by nothing": setting(f"{NOW}/particles/orientation", 0, 0.0),
    "velocities of fewer": changing(f"{NOW}/particles/velocity", lambda v: v[:-1]),
    "velocities in words": putting(f"{NOW}/particles/velocity", [["a"] * 3] * 3),
    "no spin": without(f"{NOW}/particles/angular_velocity"),
    "state not a number": setting(f"{NOW}/bodies/position", (0, 0), NAN),
    "state infinite": setting(f"{NOW}/bodies/velocity", (0, 0), INF),
    "state transposed": changing(f"{NOW}/bodies/position", np.transpose),
    "state of fewer": changing(f"{NOW}/bodies/position", lambda x: x[:, :-1]),
    "state of halves": changing(f"{NOW}/bodies/position", lambda x: x.astype("f4")),
    "state of more": lambda file: file.__setitem__(f"{NOW}/bodies/charge", np.zeros((3, 3))),
    "no force": without(f"{NOW}/bodies/force"),
    "no bodies": without(f"{NOW}/bodies"),
    "bodies a number": putting(f"{NOW}/bodies", 1.0),
    "bodies of groups": lambda file: file.create_group(f"{NOW}/bodies/more"),
    "turned by two": changing(f"{NOW}/bodies/orientation", lambda q: 2 * q),
    "contact beyond": setting(f"{NOW}/contacts/i", 0, 10**9),
    "contact before": setting(f"{NOW}/contacts/i", 0, -1),
    "contact with nobody": setting(f"{NOW}/contacts/j", 0, 10**9),
    "contact with wall 9": setting(f"{NOW}/contacts/j", 0, -10),
    "contacts of fewer": changing(f"{NOW}/contacts/j", lambda j: j[:-1]),
    "history of more": changing(f"{NOW}/contacts/history", lambda h: np.hstack([h, h])),
    "history not a number": setting(f"{NOW}/contacts/history", 0, NAN),
    "rough contacts of fewer": changing(f"{NOW}/contacts/wall_contacts", lambda n: n[:-1]),
    "phase of the moon": setting(f"{NOW}/progress/phase", 0, 7),
    "step before the start": setting(f"{NOW}/progress/step", 0, -1),
    "step of two": changing(f"{NOW}/progress/step", lambda s: np.append(s, s)),
    "travelled not a number": setting(f"{NOW}/progress/travel", 0, NAN),
    "sums of one": changing(f"{NOW}/progress/taken", lambda t: t[:1]),
    "sums not numbers": setting(f"{NOW}/progress/worked", 1, NAN),
    "leaving twice": setting(f"{NOW}/progress/leaving", 0, 2),
    "left by halves": setting(f"{NOW}/bodies/left", (0, 0), -1),
    "watched not a number": setting(f"{NOW}/watch", 1, NAN),
    "watched whom in parts": setting(f"{NOW}/watch", 6, 0.5),
    "watched wall 9": setting(f"{NOW}/watch", 6, -9.0),
    "watched when ever": setting(f"{NOW}/watch", 4, INF),
    "watched of fewer": changing(f"{NOW}/watch", lambda w: w[:-1]),
    "booked of two": putting(f"{NOW}/booked", [1.0, 2.0]),
    "booked not numbers": putting(f"{NOW}/booked", [NAN] * 5),
    "booked of the end": putting(f"{NOW}/booked", [0.0, 0.0, 0.0, 0.0, INF]),
    "no step": without(f"{NOW}/progress/step"),
    "no unit": putting(f"{NOW}/unit", 0.0),
    "unit not a number": putting(f"{NOW}/unit", NAN),
    "unit in words": putting(f"{NOW}/unit", "J"),
    "datum infinite": putting(f"{NOW}/datum", INF),
    "started later": putting(f"{NOW}/start_step", 10**6),
    "started in halves": putting(f"{NOW}/start_step", 0.5),
    "energy of two": putting(f"{NOW}/start_energy", [1.0, 2.0]),
    "energy not a number": changing(f"{NOW}/start_energy", lambda e: e * NAN),
    "kinetic below 0": putting(f"{NOW}/largest_kinetic", -1.0),
}

REPEATING |= {
    "plan no JSON": about("plan", "["),
    "plan a table": about("plan", "{}"),
    "plan of words": about("plan", '[["a", "b", "c"]]'),
    "plan of two": about("plan", "[[0, 10]]"),
    "plan of nothing": about("plan", "[]"),
    "plan nested": about("plan", "[" * 20_000),
    "plan of all frames": about("plan", "[[0, 1000000000000, 1000000000000]]"),
    "plan of parts of steps": about("plan", "[[0, 40.5, 4]]"),
    "plan backwards": about("plan", "[[0, -40, 4]]"),
    "plan beyond counting": about("plan", "[[0, 4611686018427387000, 1], [4611686018427387000, 4000, 4]]"),
    "plan of other steps": about("plan", "[[0, 4000000000000, 4]]"),
    "plan of fewer frames": about("plan", "[[0, 40, 2]]"),
    "plan with a gap": about("plan", "[[0, 20, 2], [30, 20, 2]]"),
    "plan of none": about("plan", "[[0, 40, 0]]"),
}

HARD |= {
    "place not a number": setting(f"{NOW}/spheres/row", (0, 0), NAN),
    "grown": setting(f"{NOW}/spheres/row", (0, 7), 1.0),
    "heavier": changing(f"{NOW}/spheres/mass", lambda m: 2 * m),
    "partner beyond": setting(f"{NOW}/spheres/plan", (0, 1), 1e6),
    "partner in parts": setting(f"{NOW}/spheres/plan", (0, 1), 0.5),
    "face 9": setting(f"{NOW}/spheres/plan", (0, 4), 9),
    "in a cell beyond": setting(f"{NOW}/spheres/plan", (0, 5), 1e6),
    "impact not a number": setting(f"{NOW}/spheres/plan", (0, 0), NAN),
    "turned by two": changing(f"{NOW}/spheres/q", lambda q: 2 * q),
    "impacts of fewer": changing(f"{NOW}/spheres/impacts", lambda n: n[:-1]),
    "no cells": changing(f"{NOW}/space/cells", lambda c: 0 * c),
    "cells without number": changing(f"{NOW}/space/cells", lambda c: c + 2**30),
    "other cells": changing(f"{NOW}/space/cells", lambda c: c + 1),
    "narrow cells": changing(f"{NOW}/space/width", lambda w: w / 100),
    "other walls": changing(f"{NOW}/space/boundary", lambda b: b + 1),
    "cell with somebody else": changing(f"{NOW}/space/head", lambda h: h + 10**6),
    "cell of nobody": changing(f"{NOW}/space/head", lambda h: 0 * h + h.max()),
    "in a circle": setting(f"{NOW}/space/following", 0, 0),
    "no end": setting(f"{NOW}/space/following", -1, 0),
    "before the first": setting(f"{NOW}/space/preceding", 0, -(10**6)),
    "twice on the agenda": setting(f"{NOW}/agenda/slot", slice(None), 0),
    "beyond the agenda": setting(f"{NOW}/agenda/particle", 0, 10**6),
    "agenda not a number": setting(f"{NOW}/agenda/time", 0, NAN),
    "late agenda": setting(f"{NOW}/agenda/time", 0, 1e6),
    "time not a number": putting(f"{NOW}/time", NAN),
    "impacts not counted": without(f"{NOW}/tally/pair"),
    "energy lost not a number": setting(f"{NOW}/tally/lost", 0, NAN),
    "no contact time": of_checkpoint("contact_time", 0.0),
    "laws unknown": of_checkpoint("laws", {"stickiness": 1}),
    "given not a number": putting(f"{NOW}/given", NAN),
    "fibres": of_variant(**{"class": "dem.shapes:Fibre", "columns": {"diameter": [1], "aspect_ratio": [3]}}),
}

SHOWN |= {
    "last place not a number": setting(f"{RUN}/position/value", (-1, 0), NAN),
    "all places not a number": setting(f"{RUN}/position/value", slice(None), NAN),
    "a place very far": setting(f"{RUN}/position/value", (-1, 0), 1e300),
    "places infinite": setting(f"{RUN}/position/value", -1, INF),
    "speeds beyond": setting(f"{RUN}/velocity/value", -1, 1e300),
    "turned by nothing": setting(f"{RUN}/orientation/value", slice(None), 0.0),
    "spin not a number": setting(f"{RUN}/angular_velocity/value", -1, NAN),
    "energies not numbers": setting("observables/total_energy/value", slice(None), NAN),
    "energies infinite": setting("observables/translational_energy/value", -1, INF),
    "time stands still": changing(f"{RUN}/position/time", lambda t: 0 * t),
    "time of ages": changing(f"{RUN}/position/time", lambda t: t * 1e300),
    "steps of ages": changing(f"{RUN}/position/step", lambda s: s + 2**62),
    "a unit of numbers": about("unit", np.arange(4), f"{RUN}/mass"),
    "a unit of bytes": about("unit", np.bytes_(b"\xff"), f"{RUN}/mass"),
    "a unit of nothing": about("unit", h5py.Empty("f8"), f"{RUN}/mass"),
    "a long attribute": about("note", "x" * 60_000),
    "an attribute of many": about("note", np.arange(8000)),
    "a nested attribute": about("note", "[" * 20_000),
    "markup": about("verdict", "[bold]PASS[/] \x1b[31m"),
    "a huge box": saying("box.upper", [1e300, 1e300, 1e300]),
    "much gravity": saying("gravity", [1e308, 1e308, 1e308]),
    "input of anything": saying("notes", {"a": [[[1, None, {"b": [True]}]]]}),
    "a very small time step": saying("time_step", 1e-308),
}
