"""From a model name to a folder, its bytes and its token ids."""
