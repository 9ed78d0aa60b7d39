def read_prefixes(tree): return ()
