"""The words the pipeline draws from, as data files, and their loaders.

Nothing here knows what is made of the words: no questions, no captions, no storage.
"""
