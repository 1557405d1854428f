"""Print every benchmark of the repository: ``make bench``."""

from tests.bench import engine_speed


def main() -> None:
    """Run the benchmarks one after the other."""
    for line in engine_speed.report():
        print(line)


if __name__ == "__main__":
    main()
