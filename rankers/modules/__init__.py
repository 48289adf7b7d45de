"""Parts that several networks are built of; every one that looks across words takes their mask."""
