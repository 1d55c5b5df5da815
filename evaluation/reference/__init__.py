"""The paper's own figures, packaged as data: never part of a user's run, nor of its views."""
