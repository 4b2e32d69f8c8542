"""Pages and figures of runs, evaluations, comparisons and studies, in one style."""
