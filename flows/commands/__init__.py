"""The commands of `saber`, one module each. They parse, call a flow or the store, and print."""
