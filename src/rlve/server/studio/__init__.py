"""`rlve studio`: environments, runs, rollouts and evaluations in a browser.

folders.py       the runs and evaluations inside the given folders
growing.py       files that are read while they grow
harmless.py      model output, made safe to show
gallery.py  problems.py  runs.py  rollouts.py  evaluations.py     what pages show
charts.py        what static/charts.js draws
pages.py         templates, and links between pages
views.py         the pages
app.py           the routes
export.py        the same pages as files
"""
