def read_reaches(asker, selector): return ()
