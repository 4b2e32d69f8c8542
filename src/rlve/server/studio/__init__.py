"""`rlve studio`: environments, runs, rollouts and evaluations in a browser.

folders.py       what is inside the given folders
tails.py         files that are read while they grow
safe_text.py     model output, made safe to show
problems.py  runs.py  run_table.py  run_charts.py  rollouts.py  group_rows.py  failures.py
evaluations.py     what pages show
charts.py        what static/charts.js draws
state.py         all this together
pages.py         templates, and links between pages
environment_pages.py  run_pages.py  evaluation_pages.py  frontier_pages.py
                 the pages; views.py has them all
comparison_pages.py    what `rlve compare` writes
app.py           the routes
saved.py         pages as files that stand alone
"""
