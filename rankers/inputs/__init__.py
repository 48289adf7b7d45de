"""The inputs of networks: vocabularies, embedding tables, encoders and batches with masks."""
