"""How fast solvers converge on one frame of a swinging curtain, as in Figure 2 of [Liu 2013]. Look at convergence.png.

python convergence.py [folder]      (needs matplotlib)
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import pliant


def main(folder: Path) -> None:
    sheet = pliant.sheet(1, 1, 40, 40, plane="xz")
    springs = pliant.EdgeSprings(sheet.springs(), 1e3)
    curtain = pliant.Body(sheet, density=1.0, energies=springs, pin=[sheet.vertex(0, 0), sheet.vertex(-1, 0)])
    sim = pliant.Simulation(curtain, time_step=1 / 30)
    sim.step(10)

    problem = sim.next_problem()
    start = problem.start("inertial")
    first, best = problem.value(start), problem.solve(pliant.Newton(tolerance=1e-13), start).report.objective
    plain = problem.solve(pliant.Projective.plain(200, record=True), start).report.history[::2]
    anderson = problem.solve(pliant.Projective(200, 1e-12, pliant.Anderson(5), record=True), start).report.history
    newton = problem.solve(pliant.Newton(tolerance=1e-13, record=True), start).report.history
    once = problem.solve(pliant.Newton.semi_implicit()).report.objective

    error = lambda g: max((g - best) / (first - best), 1e-12)  # noqa: E731
    for name, history in {"local/global": plain, "Anderson": anderson, "Newton": newton}.items():
        plt.semilogy([error(g) for g in history], label=name)
    plt.axhline(error(once), color="grey", linestyle=":", label="one semi-implicit step")
    plt.xlabel("iterations"), plt.ylabel("(g − g*) / (g₀ − g*)"), plt.xlim(0, 200), plt.ylim(1e-8, 2)
    plt.title(f"One frame of a curtain of {len(sheet)} vertices"), plt.legend(), plt.grid(alpha=0.3)
    folder.mkdir(parents=True, exist_ok=True)
    plt.savefig(folder / "convergence.png", dpi=120)
    print(f"10 local/global iterations leave {error(plain[10]):.3f}, one semi-implicit step {error(once):.3f}")
    assert error(plain[10]) < error(once), "the paper's finding"


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
