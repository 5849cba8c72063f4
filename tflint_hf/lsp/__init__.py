"""The language server: findings in an editor, while the code is written.

`server`, `answers` and `commands` speak the protocol, over a `connection`. They ask a `Session`, which keeps what the
editor has open and what the scans said. The other modules each turn one thing into another and know nothing of these.
"""
