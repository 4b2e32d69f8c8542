"""`rlve studio`: environments, runs, rollouts and evaluations in a browser.

folders.py       which runs and evaluations there are, inside the folders that were given
growing.py       files that are read while they grow
harmless.py      what a model wrote, made fit to be shown
gallery.py  problems.py  checks.py  runs.py  rollouts.py  evaluations.py     what pages show
charts.py        what static/charts.js draws
pages.py         templates, and links between pages
app.py           the routes
export.py        the same pages as files
"""
