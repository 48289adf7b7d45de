"""What a network reads: vocabularies, embedding tables, encoders and batches with masks."""
