"""Whether a relaunched server really works: evidence gathered from the host, judged by pure rules."""
