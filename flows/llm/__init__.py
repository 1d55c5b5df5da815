"""The writer that asks a model: any server with an OpenAI API writes the dataset.

    settings → probe → driver ─ orders ─→ asking → client → server
                         ↑                              │
                      engines ←────── replies ──────────┘

One event loop (`driver`) asks for all constructions under one adaptive limit of requests in flight;
`engine` plans, logs and settles in processes of their own (`host`). Attempts settle in the order of
their index, so what comes out depends on the drafts alone, never on when they came.
"""
