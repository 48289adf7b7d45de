"""The recipe of the cross-encoders that ship."""
