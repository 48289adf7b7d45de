"""Programs that make what ships: weights and data, and the documentation site. No package contains them."""
