"""Shell text into nodes: tokens, words, lists, here-documents.

Enter by `tree`; `tokens` and `words` read the text, `nodes` are the values.
Imported by: `core.shell`.
Always true: text that bash and this parser could read differently is reported, not guessed.
"""
