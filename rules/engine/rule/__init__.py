"""The shape of a rule and how a folder of the catalogue becomes one."""
