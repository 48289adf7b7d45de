"""Modules that several networks share. Every module that reads across words takes their mask."""
