"""The page of figures: how much was answered, how fast, how relaunches ended."""
