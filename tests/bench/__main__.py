"""Print every benchmark of the repository: ``make bench``."""

from tests.bench import engine_speed, service_speed, store_speed


def main() -> None:
    """Run the benchmarks one after the other."""
    for benchmark in (engine_speed, service_speed, store_speed):
        for line in benchmark.report():
            print(line)


if __name__ == "__main__":
    main()
