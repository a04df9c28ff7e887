"""What commits change, and what the rules say about it, for people and for other programs.

Enter by `delta` for what git prints and `findings` for the result; `sarif` and `annotations` are
its forms for other programs.
Imported by: `penstock.app.rules`, `penstock.gate`, `penstock.stores.git`, `penstock.cli.judge`.
Always true: git is run elsewhere, and nothing here decides.
"""
