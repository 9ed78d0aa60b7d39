"""The HTTP app: health, pages, and who may use them."""
