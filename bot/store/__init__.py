"""What is kept: the inbox, incidents, answers, people, and the console's own rooms."""
