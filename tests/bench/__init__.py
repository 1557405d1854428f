"""Speed, as ratios against a yardstick of the same run: ``make bench``."""
