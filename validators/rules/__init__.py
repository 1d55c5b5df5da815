"""The rules of section B.4, by what they look at; each yields violations under its own name."""
