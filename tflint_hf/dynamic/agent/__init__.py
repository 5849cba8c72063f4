"""The agent: what runs inside the user's interpreter, before and around the user's program.

It imports the standard library only and runs on Python 3.8 and newer, for that interpreter need not have tflint-hf
installed. It observes and measures; it never judges. What it sees goes to the parent as JSON lines (`channel.py`).
"""
