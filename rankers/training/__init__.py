"""One trainer, independent of the models, and what it reads, samples and minimizes."""
