"""Asks for a matrix as people do. Not a test."""

from rules.engine.backend_matrix.matrix import Asked, build_matrix
from rules.engine.backend_matrix.models import read_model
from rules.engine.backend_matrix.rows import Verdict
from rules.releases.shipped import load_releases

YES, NO, OPEN = Verdict.WORKS, Verdict.FAILS, Verdict.OPEN


def a_matrix(version, model=None, gpu=None, **more):
    known = read_model(model) if model else None
    return build_matrix(Asked(load_releases().get(version), gpu, model, known, **more))


def text_of(version, model=None, gpu="H100", **more):
    return a_matrix(version, model, gpu, **more).columns[0].text


def vision_of(version, model=None, gpu="H100", **more):
    return a_matrix(version, model, gpu, **more).columns[0].vision


def row_of(side, backend):
    return next(row for row in side.rows if row.backend == backend)


def tried(side):
    return " > ".join(row.backend for row in side.rows if row.place is not None)


def whys(row):
    return {reason.why.value for reason in row.reasons}
