/* What pages do in the browser: filter the gallery, draw a new seed, choose runs, tell of failures
   and of runs that end, react to a few keys. */
"use strict";

(() => {
  const find = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  /* The gallery: all cards are in the page; the filters decide which are shown, and are kept in the
     URL. Those whose name is searched for come first. */
  function gallery() {
    const form = find("#filters");
    const cards = all(".card");
    if (!form || !cards.length) return;
    const list = cards[0].parentElement;
    const fields = ["q", "family", "collection", "guessable", "max"];
    const rank = (card, text) => {
      const name = card.dataset.name;
      return !text ? 0 : name === text ? 0 : name.startsWith(text) ? 1 : name.includes(text) ? 2 : 3;
    };

    function apply() {
      const wanted = Object.fromEntries(fields.map((name) => [name, form.elements[name].value.trim()]));
      const text = wanted.q.toLowerCase();
      const words = text.split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const card of cards) {
        const data = card.dataset;
        const highest = data.max === "" ? Infinity : Number(data.max);
        const fits = words.every((word) => data.text.includes(word))
          && (!wanted.family || data.family === wanted.family)
          && (!wanted.collection || data.collections.split(" ").includes(wanted.collection))
          && (!wanted.guessable || data.guessable === wanted.guessable)
          && (!wanted.max || highest >= Number(wanted.max));
        card.hidden = !fits;
        shown += fits;
      }
      list.append(...cards.map((card, i) => [rank(card, text), i, card])
        .sort((a, b) => a[0] - b[0] || a[1] - b[1]).map((each) => each[2]));
      find("#count").textContent = shown === 1 ? "1 environment" : `${shown} environments`;
      find("#none").hidden = shown > 0;
      const query = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value));
      history.replaceState(null, "", query.size ? `?${query}` : location.pathname);
    }

    const asked = new URLSearchParams(location.search);
    for (const name of fields) if (asked.has(name)) form.elements[name].value = asked.get(name);
    form.addEventListener("input", apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    apply();
  }

  /* Failures: a banner says so, and nothing stays on the page as if it were the answer. */
  let unreachable = false;
  function warn(text) {
    const banner = find("#banner");
    if (!banner) return;
    banner.textContent = text;
    banner.hidden = !text;
  }

  function failed(event, text) {
    warn(text);
    const target = event.detail.target;
    if (!target) return;
    if (target.id === "problem") {
      const shown = find("#answering"); // the controls say again which problem is shown
      if (shown) show(shown.dataset.d, shown.dataset.seed);
    } else if (target.id !== "rows") {
      const said = document.createElement("p");
      said.className = "error";
      said.textContent = `Nothing new here: ${text}`;
      target.replaceChildren(said);
    }
  }

  const GONE = "The studio cannot be reached. It was stopped, or the connection is broken; what is shown is what it last said.";
  document.addEventListener("htmx:sendError", (event) => { unreachable = true; failed(event, GONE); });
  document.addEventListener("htmx:timeout", (event) => failed(event, "The studio did not answer within a minute."));
  document.addEventListener("htmx:responseError", (event) => {
    let detail = `it answered with an error (${event.detail.xhr.status})`;
    try { detail = JSON.parse(event.detail.xhr.responseText).detail || detail; } catch { /* a page */ }
    failed(event, `The studio did not do this: ${detail}.`);
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.successful) { unreachable = false; warn(""); }
  });

  /* An environment's page. */
  function show(difficulty, seed) {
    find("#difficulty").value = find("#difficulty-value").value = difficulty;
    find("#seed").value = seed;
  }

  function newProblem() {
    const seed = find("#seed");
    if (!seed) return;
    seed.value = crypto.getRandomValues(new Uint32Array(1))[0];
    seed.dispatchEvent(new Event("input", { bubbles: true }));
  }

  document.addEventListener("input", (event) => {
    const { id, value } = event.target;
    if (id === "difficulty") find("#difficulty-value").value = value;
    if (id === "difficulty-value") {
      const { max } = event.target, beyond = max !== "" && Number(value) > Number(max);
      if (beyond) event.target.value = max; // no higher one can be asked for
      find("#difficulty-told").textContent = beyond ? `The highest difficulty is ${max}.` : "";
      find("#difficulty").value = event.target.value;
    }
    if (id === "answer") find("#verdict").replaceChildren(); // it was about another answer
  }, true);

  /* The table of runs: which are chosen outlives every refresh, and is kept in the URL. */
  const chosen = new Set(new URLSearchParams(location.search).get("chosen")?.split(",") || []);
  function choosing() {
    const form = find("#picking"), bar = find("#chosen");
    if (!form || !bar) return;
    const most = Number(form.dataset.most);
    for (const box of all("input[name=run]", form)) box.checked = chosen.has(box.value);
    for (const hidden of all("input[data-kept]", form)) hidden.remove();
    for (const id of chosen) {
      if (find(`input[name=run][value="${CSS.escape(id)}"]`, form)) continue;
      const kept = document.createElement("input"); // chosen, and filtered out since
      Object.assign(kept, { type: "hidden", name: "run", value: id });
      kept.dataset.kept = "";
      form.append(kept);
    }
    bar.hidden = chosen.size === 0;
    const fits = chosen.size >= 2 && chosen.size <= most;
    find("#chosen-count").textContent = `${chosen.size} chosen` + (fits ? "" : `: choose 2 to ${most}`);
    find("button[type=submit]", bar).disabled = !fits;
    const query = new URLSearchParams(location.search);
    if (chosen.size) query.set("chosen", [...chosen].join(",")); else query.delete("chosen");
    history.replaceState(null, "", query.size ? `?${query}` : location.pathname);
  }

  document.addEventListener("change", (event) => {
    if (event.target.name !== "run" || event.target.type !== "checkbox") return;
    if (event.target.checked) chosen.add(event.target.value); else chosen.delete(event.target.value);
    choosing();
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.target?.id !== "rows") return;
    choosing();
  });

  /* Tables refresh themselves, unless one has read on in them or is at work in them. What they show
     is in the address. */
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.elt.dataset.liveRows == null) return;
    const rows = find("#rows");
    const busy = rows.contains(document.activeElement) && document.activeElement.type !== "checkbox";
    if (document.hidden || busy || all("table", rows).length > 1) event.preventDefault();
  });
  let radios = {}, shown = "";
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target?.id !== "rows") return;
    if (event.detail.serverResponse === shown) event.detail.shouldSwap = false; // nothing has changed
    shown = event.detail.serverResponse;
    radios = Object.fromEntries(all("#rows input[type=radio]:checked").map((box) => [box.name, box.value]));
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target?.id !== "rows") return;
    const shows = find("#rows [data-url]");
    if (shows && event.detail.requestConfig.elt.dataset.liveRows == null) history.replaceState(null, "", shows.dataset.url);
    for (const [name, value] of Object.entries(radios)) {
      const box = find(`#rows input[name="${name}"][value="${CSS.escape(value)}"]`);
      if (box) box.checked = true;
    }
  });

  /* The pulse: whether the studio is there, and what live runs are doing. */
  const EVERY = 4000;
  const seen = new Map();
  function notice(id, text) {
    const box = find("#notices");
    const said = document.createElement("p");
    said.className = "notice";
    const link = document.createElement("a");
    link.href = `${document.body.dataset.runs}/${encodeURIComponent(id)}`;
    link.textContent = text;
    const close = document.createElement("button");
    close.type = "button";
    close.className = "link";
    close.textContent = "dismiss";
    close.dataset.do = "dismiss";
    said.append(link, " ", close);
    box.append(said);
    if (document.hidden) document.title = `(!) ${document.title.replace(/^\(!\) /, "")}`;
    if (globalThis.Notification?.permission === "granted" && document.hidden) new Notification("rlve", { body: text });
  }

  async function pulse() {
    const url = document.body.dataset.pulse;
    if (!url) return;
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, document.hidden ? 4 * EVERY : EVERY));
      const live = [...seen].filter(([, run]) => run.state === "running" || run.state === "stalled").map(([id]) => id);
      let runs;
      try {
        const reply = await fetch(`${url}?was=${encodeURIComponent(live.join(","))}`);
        if (!reply.ok) continue;
        runs = await reply.json();
      } catch {
        unreachable = true;
        warn(GONE);
        continue;
      }
      if (unreachable) { unreachable = false; warn(""); }
      for (const [id, run] of Object.entries(runs)) {
        const before = seen.get(id);
        if (before && before.state !== run.state) {
          const ends = { finished: "has finished", stopped: `has stopped after step ${run.step.toLocaleString("en-GB")}`, stalled: "has stalled: nothing new for a long time", running: "is running again" };
          notice(id, `${run.name} ${ends[run.state]}.`);
        }
        if (before) for (const text of run.warnings) if (!before.warnings.includes(text)) notice(id, `${run.name}: ${text}`);
        seen.set(id, run);
      }
    }
  }
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) document.title = document.title.replace(/^\(!\) /, "");
  });

  const deeds = {
    "new-problem": newProblem,
    "use-reference": (button) => {
      find("#answer").value = find(".reference-text", button.closest("#reference")).textContent;
      find("#verdict").replaceChildren();
      find("#answer").focus();
    },
    "choose-none": () => { chosen.clear(); choosing(); },
    dismiss: (button) => button.parentElement.remove(),
    notify: async (button) => { await Notification.requestPermission(); button.hidden = true; },
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]");
    if (button) deeds[button.dataset.do]?.(button);
    const heading = event.target.closest("[data-sort]");
    if (heading) {
      const sort = find("#sort");
      sort.value = heading.dataset.sort;
      sort.dispatchEvent(new Event("input", { bubbles: true }));
    }
  });
  if (globalThis.Notification?.permission === "default") for (const button of all("[data-do=notify]")) button.hidden = false;

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input:not([type=range], [type=checkbox]), textarea, select");
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.form) {
      event.target.form.requestSubmit();
    } else if (typing || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    } else if (event.key === "/") {
      const search = find("[type=search]");
      if (search) { search.focus(); event.preventDefault(); }
    } else if (event.key === "n" && find("#seed")) {
      newProblem();
    } else if (event.key === "n" || event.key === "p") {
      find(event.key === "n" ? "a[rel=next]" : "a[rel=prev]")?.click();
    }
  });

  /* What scrolls can be reached by the keyboard. */
  function scrolls() {
    for (const text of all("pre, .scroll")) if (text.scrollHeight > text.clientHeight || text.scrollWidth > text.clientWidth) text.tabIndex = 0;
  }
  document.addEventListener("htmx:afterSettle", scrolls);
  document.addEventListener("toggle", scrolls, true);

  /* On a phone, what is filtered comes before the filters. */
  if (matchMedia("(max-width: 40rem)").matches) for (const filters of all(".filters")) filters.open = false;

  scrolls();
  gallery();
  choosing();
  pulse();
})();
