"""Whatever is wrong with an argument is refused by ValueError, with its name and the index."""

from collections.abc import Callable

import numpy as np
import pytest

import pliant

SHEET = pliant.sheet(1, 1, 3, 3)
NAN = float("nan")


def sim() -> pliant.Simulation:
    return pliant.Simulation(pliant.Body(SHEET, pliant.ClothMaterial(), name="cloth", pin=[0]))


def with_threads(threads: int) -> pliant.Simulation:
    return pliant.Simulation(pliant.Body(SHEET, pliant.ClothMaterial(), pin=[0]), threads=threads)


def with_nan(shape: tuple[int, ...], at: tuple[int, ...]) -> np.ndarray:
    array = np.zeros(shape)
    array[at] = NAN
    return array


def set_to(name: str, value: object) -> Callable[[], None]:
    return lambda: setattr(sim(), name, value)


CASES: list[tuple[Callable[[], object], str]] = [
    # Shapes.
    (set_to("positions", np.zeros((16, 2))), r"positions has the shape \(16, 2\), but needs \(16, 3\)"),
    (set_to("positions", np.zeros((15, 3))), r"positions has the shape \(15, 3\)"),
    (set_to("velocities", np.zeros(48)), r"velocities has the shape \(48,\)"),
    (set_to("forces", np.zeros((1, 3))), r"forces has the shape \(1, 3\)"),
    (set_to("gravity", (0, 1)), r"gravity has the shape \(2,\), but needs \(3,\)"),
    (lambda: pliant.TriangleMesh(np.zeros((3, 3)), [[0, 1]]), r"triangles has the shape \(1, 2\), but needs \(n, 3\)"),
    (lambda: pliant.TetMesh(np.zeros((3, 2)), [[0, 1, 2, 3]]), r"positions has the shape \(3, 2\)"),
    (lambda: pliant.EdgeSprings([[0, 1]], [1.0, 2.0]), r"stiffness has the shape \(2,\), but needs \(1,\)"),
    (lambda: sim().next_problem().value(np.zeros((3, 3))), r"x has the shape \(3, 3\), but needs \(16, 3\)"),
    (lambda: sim().read_positions(np.zeros((3, 3))), r"out must be a writable float64 array of the shape \(16, 3\)"),
    (lambda: sim().move_pins(np.zeros((2, 3))), r"targets has the shape \(2, 3\), but needs \(1, 3\)"),
    (lambda: pliant.CustomEnergy([[0, 1]], [[1, 2, 3]], 1.0, lambda z: z), r"coefficients has the shape \(1, 3\)"),
    (lambda: pliant.Body(SHEET, pliant.ClothMaterial(), pin=[True, False]), r"pin is a mask of the shape \(2,\)"),
    # Types.
    (set_to("positions", np.zeros((16, 3), complex)), "positions has the dtype complex128"),
    (set_to("positions", np.full((16, 3), "a")), "positions has the dtype <U1"),
    (set_to("velocities", np.full((16, 3), None)), "velocities has the dtype object"),
    (lambda: pliant.TriangleMesh(np.zeros((3, 3)), np.zeros((1, 3))), "triangles has the dtype float64"),
    (lambda: pliant.EdgeSprings(np.zeros((1, 2)), 1.0), "edges has the dtype float64"),
    (lambda: pliant.Body(SHEET, pliant.ClothMaterial(), pin=[0.0]), "pin has the dtype float64"),
    (lambda: pliant.sheet(1, 1, 2.5, 3), "columns is 2.5, but must be a whole number"),  # type: ignore[arg-type]
    (lambda: pliant.sheet("wide"), "width is 'wide', but must be a number"),  # type: ignore[arg-type]
    (lambda: pliant.Body("mesh", pliant.ClothMaterial()), "mesh is a str"),  # type: ignore[arg-type]
    # Numbers that are none.
    (set_to("positions", with_nan((16, 3), (7, 1))), r"positions\[7, 1\] is nan, but must be finite"),
    (set_to("velocities", with_nan((16, 3), (0, 2))), r"velocities\[0, 2\] is nan"),
    (set_to("forces", np.full((16, 3), np.inf)), r"forces\[0, 0\] is inf"),
    (set_to("time_step", NAN), "time_step is nan"),
    (set_to("substeps", 0), "substeps is 0, but must be at least 1"),
    (set_to("substeps", 10_001), "substeps is 10001, but must be at most 10000"),
    (set_to("substeps", 2.0), "substeps is 2.0, but must be a whole number"),
    (lambda: pliant.TriangleMesh(with_nan((3, 3), (2, 0)), [[0, 1, 2]]), r"positions\[2, 0\] is nan"),
    (lambda: pliant.EdgeSprings([[0, 1], [1, 2]], [1.0, NAN]), r"stiffness\[1\] is nan"),
    (lambda: pliant.EdgeSprings([[0, 1]], 1.0, rest_lengths=[NAN]), r"rest_lengths\[0\] is nan"),
    (lambda: pliant.PositionGoals([0], 1.0, with_nan((1, 3), (0, 0))), r"goals\[0, 0\] is nan"),
    (lambda: pliant.ExampleBased([[0, 1, 2, 3]], [with_nan((4, 3), (3, 1))], 1.0), r"examples\[0\]\[3, 1\] is nan"),
    (lambda: sim().next_problem().gradient(with_nan((16, 3), (4, 0))), r"x\[4, 0\] is nan"),
    (lambda: pliant.Body(SHEET, masses=with_nan((16,), (5,))), r"masses\[5\] is nan"),
    # Indices.
    (lambda: pliant.TriangleMesh(np.eye(3), [[0, 1, 2], [0, 1, 3]]), r"triangles\[1, 2\] is 3, but there are only 3"),
    (lambda: pliant.TriangleMesh(np.eye(3), [[0, 1, -1]]), r"triangles\[0, 2\] is -1"),
    (lambda: pliant.Strands(np.eye(3), [[0, 1], [1, 9]]), r"strands\[1\]\[1\] is 9"),
    (lambda: pliant.Body(SHEET, pliant.ClothMaterial(), pin=[3, 16]), r"pin\[1\] is 16, but there are only 16"),
    (
        lambda: pliant.Body(SHEET, masses=1.0, energies=pliant.EdgeSprings([[0, 1], [2, 99]], 1.0)),
        r"EdgeSprings: edges\[1, 1\] is 99, but there are only 16",
    ),
    (
        lambda: pliant.Body(SHEET, masses=1.0, energies=pliant.HingeBending([[0, 1, 2, 20]], 1.0)),
        r"HingeBending: hinges\[0, 3\] is 20",
    ),
    (
        lambda: pliant.Body(SHEET, masses=1.0, energies=pliant.CustomEnergy([[77, 1]], [[1, 1]], 1.0, lambda z: z)),
        r"CustomEnergy: stencils\[0, 0\] is 77",
    ),
    (lambda: sim().move_pins([[0, 0, 0]], [5]), r"vertices\[0\] is 5, which is not pinned"),
    (lambda: sim().move_pins([[0, 0, 0]], [16]), r"vertices\[0\] is 16, but there are only 16"),
    (lambda: sim().set_goals([[0, 0, 0]]), "no goal 0 among the 0 goals"),
    (lambda: sim().vertices("rope"), "there is no body 'rope'"),
    (lambda: SHEET.vertex(4, 0), "no vertex in column 4"),
    # Values that make no sense.
    (lambda: sim().step(0), "count is 0, but must be at least 1"),
    (lambda: with_threads(0), "threads is 0, but must be at least 1"),
    (lambda: with_threads(1_000_000), "1000000 threads were requested, but 1024 is the limit"),
    (lambda: with_threads(2**70), "threads is 1180591620717411303424, but must be below"),
    (lambda: pliant.load_scene("curtain", threads=1025), "1025 threads were requested, but 1024 is the limit"),
    (lambda: pliant.TriangleStrain([[0, 1, 2]], -1.0), "stiffness is -1.0, but must be at least 0"),
    (lambda: pliant.Simulation([]), "no vertices"),
    (lambda: pliant.Simulation(pliant.Body(SHEET, masses=0.0)), "vertex 0 of body .* has mass 0"),
    (lambda: pliant.Simulation(pliant.Body(SHEET, pliant.ClothMaterial(poisson_ratio=1.5))), "Poisson ratio is 1.5"),
    (lambda: pliant.Simulation(sim_body(), integrator="euler"), 'integrator is "euler", but must be one of'),
    (lambda: pliant.Simulation(sim_body(), solver=pliant.Projective(start="x")), 'start is "x"'),
    (lambda: pliant.Simulation(sim_body(), solver=pliant.Projective(10, -1.0)), "tolerance is -1"),
    (lambda: pliant.Simulation(sim_body(), solver=pliant.Projective(-3)), "iterations is -3"),
    (lambda: pliant.Simulation(pliant.Body(SHEET, pliant.ClothMaterial(density="heavy"))), "density is 'heavy'"),  # type: ignore[arg-type]
    (lambda: pliant.Simulation(pliant.Body(SHEET, pliant.ClothMaterial(density=NAN))), "density is NaN"),
    (
        lambda: pliant.Simulation(sim_body(), attachments=[pliant.Attachment(("body 0", -1), ("body 0", 2), 1.0)]),
        r"first is \('body 0', -1\)",
    ),
    (
        lambda: pliant.Simulation(sim_body(), attachments=[pliant.Attachment(("body 0", 1), ("body 0", 99), 1.0)]),
        'body "body 0" has no vertex 99',
    ),
    (lambda: pliant.ClothMaterial.preset("velvet"), 'no material "velvet"; there are cotton'),
    (lambda: pliant.Body(SHEET, pliant.SolidMaterial()), "SolidMaterial does not belong to Sheet"),
    (lambda: pliant.Body(SHEET), "give one of material, density, masses"),
    (lambda: pliant.load_scene("curtian"), 'did you mean "curtain"'),
    (lambda: pliant.load_scene("curtain", ["world.frames=many"]), "world.frames|curtain.toml"),
    (lambda: pliant.parse_scene("[[body]]\nname = 1"), r"scene.toml:2:8"),
    (lambda: pliant.show(sim(), color="weight"), "color is 'weight'"),
    (lambda: pliant.sweep(len, {"x": []}), r"parameters\['x'\] is empty"),  # type: ignore[arg-type]
]


def sim_body() -> pliant.Body:
    return pliant.Body(SHEET, pliant.ClothMaterial())


@pytest.mark.parametrize(("act", "message"), CASES)
def test_what_is_wrong_is_named(act: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        act()


def test_a_missing_file_is_missing() -> None:
    with pytest.raises(FileNotFoundError, match="no-such.obj"):
        pliant.read_mesh("no-such.obj")
