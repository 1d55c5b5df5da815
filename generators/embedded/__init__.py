"""The embedded writer: a grammar that realises a plan as English, with no model and no network."""
