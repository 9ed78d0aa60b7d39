"""What makes runs outlive the process: the engine, its leader, and the outbox it is fed from."""
