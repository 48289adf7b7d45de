"""Every named system: its settings, and from a name and training questions to a trained and a published ranker."""
