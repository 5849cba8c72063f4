"""The language server: findings in an editor, while the code is written.

`server.py` speaks the protocol and hands everything to a `Session`, which keeps what the editor has open and what the
scans said. The other modules each turn one thing into another and know nothing of the connection.
"""
