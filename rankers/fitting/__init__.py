"""From a name and training questions to a trained ranker, and from that to a published one."""
