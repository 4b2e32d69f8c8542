"""Environments that somebody else wrote, a person or a model, admitted by program.

    certificate = admit(Path("draft.py"), "Draft", Path("solver.py"))
    certificate.admitted, certificate.findings

A draft is one file with one environment. Its solver is a second program, written from prompts by
somebody who has not seen the draft. Gates (rlve.drafts.gates) are functions of what was observed
about the two (rlve.drafts.evidence). All their code runs in the sandbox (rlve.drafts.inside), and
what comes out of it is text. rlve.drafts.drafting has drafts written, question by question.
"""
