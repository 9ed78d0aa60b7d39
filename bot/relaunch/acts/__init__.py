"""What the desk does about one kind of act each."""
