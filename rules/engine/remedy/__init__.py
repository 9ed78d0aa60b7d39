"""What to do: fixes resolved for this release and host, the proof of each, the words for both."""
