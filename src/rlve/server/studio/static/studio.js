/* What pages do in the browser: filter the gallery, draw a new seed, react to a few keys. */
"use strict";

(() => {
  const find = (selector, within = document) => within.querySelector(selector);

  /* The gallery: all cards are in the page; the filters decide which are shown, and are kept in the URL. */
  function gallery() {
    const form = find("#filters");
    const cards = [...document.querySelectorAll(".card")];
    if (!form || !cards.length) return;
    const fields = ["q", "family", "collection", "guessable", "max"];

    function apply() {
      const wanted = Object.fromEntries(fields.map((name) => [name, form.elements[name].value.trim()]));
      const words = wanted.q.toLowerCase().split(/\s+/).filter(Boolean);
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

  /* An environment's page. */
  function newProblem() {
    const seed = find("#seed");
    if (!seed) return;
    seed.value = crypto.getRandomValues(new Uint32Array(1))[0];
    seed.dispatchEvent(new Event("input", { bubbles: true }));
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]");
    if (!button) return;
    if (button.dataset.do === "new-problem") newProblem();
    if (button.dataset.do === "use-reference") {
      find("#answer").value = find("#reference-text").textContent;
      find("#answer").focus();
    }
  });

  document.addEventListener("input", (event) => {
    if (event.target.id === "difficulty") find("#difficulty-value").textContent = event.target.value;
  });

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input:not([type=range]), textarea, select");
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.form) {
      event.target.form.requestSubmit();
    } else if (typing || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    } else if (event.key === "/") {
      const search = find("[type=search]");
      if (search) { search.focus(); event.preventDefault(); }
    } else if (event.key === "n") {
      newProblem();
    }
  });

  gallery();
})();
