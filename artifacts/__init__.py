"""What the pipeline stores, and the types that generators and validators share.

Knows the words' loader (`vocab`) and nothing of how records come about or are judged.
"""
