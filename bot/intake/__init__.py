"""Events from chat platforms, kept before anything is done about them."""
