"""One trainer, independent of the models, with its data, samplers and losses."""
