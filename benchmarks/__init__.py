"""Scripts that measure: each prints ratios against a yardstick, all measured in one run."""
