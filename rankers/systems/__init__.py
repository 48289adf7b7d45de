"""Every named system and ablation, with its presets and overrides."""
