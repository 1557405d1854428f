"""Each format as one function: the next pairings of a stage, None when the stage is over."""
