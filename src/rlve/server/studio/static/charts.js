/* Draws what charts.py describes: curves with uPlot, heat maps on a canvas. Redraws live runs as
   they grow. How charts are drawn (smoothing, axis, scale, zoom, hidden curves) is in the URL. */
"use strict";

(() => {
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const COLOURS = 12;
  const colour = (index) => css(`--c${(index || 0) % COLOURS}`);
  const HEIGHT = 230, LOW = 150; // those to look at first are lower: all four fit a screen
  const POLL = 2000;
  const english = (value) => value.toLocaleString("en-GB");

  /* To the nearest even last digit where it lies between two, as Python rounds. */
  const even = (value) => {
    const below = Math.floor(value), rest = value - below;
    return Math.abs(rest - 0.5) < 1e-9 ? below + (below % 2) : Math.round(value);
  };
  const formats = {
    share: (value) => (value == null ? "–" : `${even(value * 1000) / 10}%`),
    level: (value) => (value == null ? "–" : String(Math.round(value * 100) / 100)),
    number: (value) => {
      if (value == null) return "–";
      const size = Math.abs(value), plain = !size || (size >= 1e-3 && size < 1e6);
      if (plain) return value.toLocaleString("en-GB", { maximumSignificantDigits: 4 });
      return Number(value.toPrecision(4)).toExponential().replace("+", ""); // there is no room for its zeros
    },
  };
  const along = {
    step: english,
    tokens: (value) => (value >= 1e6 ? `${english(Number((value / 1e6).toPrecision(3)))}M` : english(Math.round(value))),
    seconds: (value) => {
      const whole = (part) => Number(part.toFixed(1)).toLocaleString("en-GB");
      return value >= 3600 ? `${whole(value / 3600)} h` : value >= 60 ? `${whole(value / 60)} min` : `${Math.round(value)} s`;
    },
  };
  const TIMES = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400];
  const AUTO = 100; // longer runs are smoothed unless one asks otherwise

  /* How charts are drawn, as the URL says; each change is written back to it. */
  const asked = new URLSearchParams(location.search);
  const number = (name) => (asked.has(name) && asked.get(name) !== "" ? Number(asked.get(name)) : null);
  const view = {
    smooth: number("smooth"), // null: as the length of the run suggests
    x: ["step", "tokens", "seconds"].includes(asked.get("x")) ? asked.get("x") : "step",
    log: asked.get("log") === "true",
    from: number("from"), to: number("to"),
    hidden: new Set(asked.get("hide")?.split("|") || []),
  };
  function remember() {
    const query = new URLSearchParams(location.search);
    const put = (name, value) => (value ? query.set(name, value) : query.delete(name));
    put("smooth", view.smooth == null ? "" : String(view.smooth));
    put("x", view.x === "step" ? "" : view.x);
    put("log", view.log ? "true" : "");
    put("from", view.from == null ? "" : String(view.from));
    put("to", view.to == null ? "" : String(view.to));
    put("hide", [...view.hidden].join("|"));
    history.replaceState(null, "", query.size ? `?${query}` : location.pathname);
  }

  /* The mean of the known values within reach on either side. */
  function smoothed(values, reach) {
    const sums = [0], counts = [0];
    values.forEach((value, i) => {
      sums.push(sums[i] + (value ?? 0));
      counts.push(counts[i] + (value != null));
    });
    return values.map((value, i) => {
      if (value == null) return null;
      const low = Math.max(0, i - reach), high = Math.min(values.length, i + reach + 1);
      return (sums[high] - sums[low]) / (counts[high] - counts[low]);
    });
  }

  /* As svg.py has it: the reach of smoothing, and from which value to which a chart is drawn. */
  const usual = (steps) => (steps > AUTO ? Math.min(50, Math.round(steps / 60)) : 0);
  const reachOf = (axes) => view.smooth ?? usual(Math.max(0, ...Object.values(axes).map((axis) => axis.step.length)));
  function ends(spec, low, high) {
    if (low == null) return [0, 1];
    if (spec.scale === "level") return [0, Math.max(1, Math.ceil(high)) + 0.2];
    if (spec.target != null) { low = Math.min(low, spec.target); high = Math.max(high, spec.target); }
    const share = spec.scale === "share";
    const room = Math.max(0.08 * (high - low), share ? 0.005 : 0) || 0.08 * Math.abs(high) || 1;
    const near = spec.stacked || spec.series[0].bars || low < (share ? 0.25 : 0.6) * high;
    [low, high] = [low >= 0 && near ? 0 : low - room, high + room];
    return share ? [Math.max(0, low), Math.min(1, high)] : [low, high];
  }

  /* A logarithmic scale is for numbers above 0 that do not stand on each other. */
  const logs = (spec) => view.log && onRun(spec) && spec.scale === "number" && !spec.stacked
    && spec.series.every((series) => [series.values, series.low ?? []].flat().every((value) => value == null || value > 0));

  const onRun = (spec) => spec.kind === "heat" || !spec.x.length;

  /* The curves to draw: [x, ...columns], and what each column is. */
  function columns(spec, axes) {
    const tables = [], kinds = [];
    let below = null; // of what is stacked
    for (const series of spec.stacked ? [...spec.series].reverse() : spec.series) {
      const x = onRun(spec) ? axes[series.axis][view.x] : spec.x;
      const reach = onRun(spec) && !series.stairs && !series.points ? reachOf(axes) : 0;
      const table = [x], put = (values, kind) => { table.push(values); kinds.push({ ...kind, series }); };
      if (spec.stacked) {
        const own = smoothed(series.values, reach), under = below;
        below = own.map((value, i) => (value ?? 0) + (under ? under[i] : 0));
        put(below, { kind: "area", label: series.name });
      } else {
        put(series.values, { kind: reach ? "faint" : "line", label: series.name });
        if (reach) put(smoothed(series.values, reach), { kind: "line", label: series.name });
      }
      if (series.low?.length && onRun(spec)) {
        put(smoothed(series.low, reach), { kind: "edge" });
        put(smoothed(series.high, reach), { kind: "edge" });
      }
      tables.push(table);
    }
    const same = tables.every((table) => table[0] === tables[0][0]);
    if (spec.stacked) { tables.reverse(); kinds.reverse(); } // the highest is drawn first, and others over it
    const data = same ? [tables[0][0], ...tables.flatMap((table) => table.slice(1))] : uPlot.join(tables);
    return { data, kinds, joined: !same };
  }

  function options(figure, spec, made, width) {
    const format = formats[spec.scale] || formats.number;
    const axis = {
      stroke: css("--soft"), font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif",
      grid: { stroke: css("--line"), width: 1 }, ticks: { show: false },
    };
    const log = logs(spec), apart = moved(spec);
    const whole = !onRun(spec) || view.x === "step";
    const across = onRun(spec) ? along[view.x] : english;
    const whiskered = onRun(spec) ? [] : spec.series.flatMap((series) => [...(series.low ?? []), ...(series.high ?? [])]).filter((value) => value != null);
    const range = (u, low, high) => (low == null ? [0, 1] : ends(spec, Math.min(low, ...whiskered), Math.max(high, ...whiskered)));
    const bands = [], banded = new Set(made.kinds.filter((each) => each.kind === "edge").map((each) => each.series)).size;
    if (banded <= 4) made.kinds.forEach((each, i) => { // more would hide each other: the legend has the numbers
      if (each.kind === "edge" && made.kinds[i + 1]?.kind === "edge" && made.kinds[i + 1].series === each.series) {
        bands.push({ series: [i + 2, i + 1], fill: `${colour(each.series.colour)}26` });
      }
    });
    const written = (u, series, at) => { // as it was measured, whatever is smoothed
      if (at == null && !onRun(spec)) return "";
      const axis = series.axis ? figure.axes[series.axis][view.x] : spec.x;
      const j = at == null ? series.values.findLastIndex((value) => value != null) : axis.indexOf(u.data[0][at]);
      const value = series.values[j];
      if (value == null) return "–";
      const low = series.low?.[j], high = series.high?.[j], n = series.counts?.[j];
      const around = low == null ? "" : ` (${format(low)} to ${format(high)})`;
      return format(value) + around + (n ? `, n = ${english(n)}` : "");
    };
    return {
      width, height: heightOf(figure), bands,
      scales: {
        x: { time: false, range: (u, low, high) => extent(figure, spec, low, high) },
        y: log ? { distr: 3 } : { range },
      },
      axes: [
        { ...axis, size: 28, ...(onRun(spec) && view.x === "seconds" ? { incrs: TIMES } : {}), values: (u, marks) => marks.map((v) => (whole && !Number.isInteger(v) ? "" : across(v))) },
        { ...axis, size: 56, values: (u, marks) => marks.map((v) => (v == null || (spec.scale === "level" && !Number.isInteger(v)) ? "" : format(v))) },
      ],
      cursor: {
        points: { size: 6 }, drag: { x: true, y: false, setScale: false },
        ...(onRun(spec) ? { sync: { key: "run", scales: ["x", null] } } : {}),
      },
      series: [
        { label: onRun(spec) ? { step: "step", tokens: "tokens", seconds: "time" }[view.x] : spec.along, value: (u, v) => (v == null ? (onRun(spec) ? "latest" : "") : across(v)) },
        ...made.kinds.map(({ kind, label, series }) => (kind === "edge"
          ? { label: "", stroke: "transparent", width: 0, points: { show: false }, show: !view.hidden.has(series.name), spanGaps: true }
          : {
            label,
            show: !view.hidden.has(series.name),
            stroke: colour(series.colour) + (kind === "faint" ? "40" : ""),
            width: kind === "faint" ? 1 : apart.includes(series) ? 0 : 2,
            fill: kind === "area" ? mixed(series.colour) : series.bars ? colour(series.colour) : undefined,
            dash: series.dashed ? [6, 4] : undefined,
            paths: series.bars ? uPlot.paths.bars({ size: [0.9] }) : series.stairs ? uPlot.paths.stepped({ align: 1 }) : undefined,
            points: { show: !apart.includes(series) && (Boolean(series.points) || (kind !== "area" && series.values.filter((value) => value != null).length === 1)), size: 6, fill: colour(series.colour) },
            spanGaps: true, // what was not measured is joined over
            value: (u, v, i, at) => written(u, series, at),
          })),
      ],
      hooks: {
        draw: [(u) => { marks(u, spec, figure); if (spec.target != null) target(u, spec.target, spec.target_name, format); whiskers(u, spec); }],
        setSelect: [(u) => {
          if (u.select.width < 4) return;
          const [from, to] = [u.select.left, u.select.left + u.select.width].map((at) => u.posToVal(at, "x"));
          u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          if (onRun(spec)) zoom(Number(from.toPrecision(6)), Number(to.toPrecision(6))); else u.setScale("x", { min: from, max: to });
        }],
        setSeries: [(u, i, changed) => {
          if (changed.show == null || figure.quiet) return;
          if (i == null || !made.kinds[i - 1]) return;
          const { series } = made.kinds[i - 1];
          if (changed.show) view.hidden.delete(series.name); else view.hidden.add(series.name);
          remember();
          hideAlike();
        }],
      },
    };
  }

  /* Charts of runs lie over the same stretch: what is zoomed into, or all of it. */
  function extent(figure, spec, low, high) {
    if (onRun(spec)) {
      if (view.from != null) return [view.from, view.to];
      const ends = Object.values(figure.axes).map((axis) => axis[view.x]).filter((x) => x.length);
      low = Math.min(...ends.map((x) => x[0]));
      high = Math.max(...ends.map((x) => x[x.length - 1]));
    }
    const room = spec.series?.[0]?.bars ? (spec.x[1] - spec.x[0]) / 2 : spec.series?.[0]?.low?.length && !onRun(spec) ? 0.3 : 0;
    if (low != null && room) return [low - room, high + room];
    return low === high || low == null ? [(low ?? 0) - 1, (high ?? 0) + 1] : [low, high];
  }

  const widthOf = (figure) => Math.max(200, "paper" in document.documentElement.dataset ? PAPER : figure.clientWidth);
  const heightOf = (figure) => (figure.spec.section === "key" ? LOW : HEIGHT);
  /* A colour over the paper, so that what lies below does not shine through. */
  const mixed = (index) => `color-mix(in srgb, ${colour(index)} 75%, ${css("--paper")})`;

  /* Where something happened, such as a rise of h. */
  function marks(u, spec, figure) {
    if (!spec.marks?.length) return;
    const axis = figure.axes[spec.series[0].axis];
    u.ctx.save();
    u.ctx.strokeStyle = css("--line");
    u.ctx.setLineDash([3, 3]);
    u.ctx.beginPath();
    for (const step of spec.marks) {
      const x = Math.round(u.valToPos(axis[view.x][axis.step.findIndex((value) => value >= step)], "x", true)) + 0.5;
      if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
      u.ctx.moveTo(x, u.bbox.top);
      u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    }
    u.ctx.stroke();
    u.ctx.restore();
  }

  /* Points with their intervals, those of several curves side by side, and the lines that join them. */
  const moved = (spec) => (onRun(spec) ? [] : spec.series.filter((series) => series.low?.length));
  function whiskers(u, spec) {
    const shown = moved(spec).filter((series) => !view.hidden.has(series.name));
    shown.forEach((series, place) => {
      const aside = (place - (shown.length - 1) / 2) * 6 * devicePixelRatio;
      const across = (i) => u.valToPos(spec.x[i], "x", true) + aside;
      u.ctx.save();
      u.ctx.strokeStyle = u.ctx.fillStyle = colour(series.colour);
      u.ctx.lineWidth = 2 * devicePixelRatio;
      u.ctx.beginPath();
      series.values.forEach((value, i) => { if (value != null && series.line !== false) u.ctx.lineTo(across(i), u.valToPos(value, "y", true)); });
      u.ctx.stroke();
      series.values.forEach((value, i) => {
        if (value == null) return;
        const x = across(i);
        u.ctx.beginPath();
        u.ctx.moveTo(x, u.valToPos(series.low[i], "y", true));
        u.ctx.lineTo(x, u.valToPos(series.high[i], "y", true));
        u.ctx.stroke();
        u.ctx.beginPath();
        u.ctx.arc(x, u.valToPos(value, "y", true), 4 * devicePixelRatio, 0, 7);
        u.ctx.fill();
      });
      u.ctx.restore();
    });
  }

  function target(u, value, name, format) {
    const y = Math.round(u.valToPos(value, "y", true)) + 0.5;
    u.ctx.save();
    u.ctx.strokeStyle = css("--soft");
    u.ctx.setLineDash([2, 4]);
    u.ctx.beginPath();
    u.ctx.moveTo(u.bbox.left, y);
    u.ctx.lineTo(u.bbox.left + u.bbox.width, y);
    u.ctx.stroke();
    u.ctx.fillStyle = css("--soft");
    u.ctx.textAlign = "left";
    u.ctx.textBaseline = "bottom";
    u.ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    const told = [`${name || "goal"} ${format(value)}`, u.bbox.left + 4, y - 2];
    Object.assign(u.ctx, { strokeStyle: css("--paper"), lineWidth: 4 * devicePixelRatio });
    u.ctx.setLineDash([]);
    u.ctx.strokeText(...told); // so that curves do not run through it
    u.ctx.fillText(...told);
    u.ctx.restore();
  }

  /* A hidden curve is hidden in every chart that has it. */
  function hideAlike() {
    for (const figure of document.querySelectorAll(".chart")) {
      const { plot, made } = figure;
      if (!plot) continue;
      figure.quiet = true;
      made.kinds.forEach(({ series }, i) => {
        const show = !view.hidden.has(series.name);
        if (plot.series[i + 1].show !== show) plot.setSeries(i + 1, { show });
      });
      figure.quiet = false;
    }
  }

  function zoom(from, to) {
    Object.assign(view, { from, to });
    remember();
    for (const figure of document.querySelectorAll(".chart")) {
      if (figure.plot && onRun(figure.spec)) figure.plot.setData(figure.made.data, true);
    }
  }

  /* What a chart is made of: if this stays the same, new values go into the plot that is there. */
  const shape = (spec, made) => JSON.stringify([spec.scale, spec.target, spec.along, made.joined, view.x, logs(spec), made.kinds.map(({ kind, label, series }) => [kind, label, series.name, series.colour])]);

  function draw(figure, spec, axes, anew = false) {
    figure.spec = spec;
    figure.axes = axes;
    const holder = figure.querySelector(".holder");
    figure.querySelector(".title").textContent = spec.title;
    const note = figure.querySelector(".note");
    note.textContent = note.title = [spec.band && `${spec.series.some((each) => each.low?.length) && !onRun(spec) ? "Lines" : "Band"}: ${spec.band}.`, spec.marks?.length && "Dotted lines upwards: h rose.", spec.note, view.log && onRun(spec) && !logs(spec) && "Linear: a log scale is for values above 0 that are no shares and do not stand on each other."].filter(Boolean).join(" ");
    if (spec.kind === "heat") {
      if (!figure.clientWidth) return;
      const held = holder.contains(document.activeElement);
      holder.replaceChildren();
      heat(figure, holder, spec, axes[spec.axis]);
      if (held) holder.querySelector("canvas").focus();
      return;
    }
    if (!figure.clientWidth) { figure.waiting = true; return; } // in a section that is closed
    figure.waiting = false;
    const made = columns(spec, axes), now = shape(spec, made);
    figure.made = made;
    if (figure.plot && figure.shape === now && !anew) {
      figure.plot.setData(made.data, true); // zoom is in the range of x, and hidden curves stay hidden
    } else {
      figure.plot?.destroy();
      holder.replaceChildren();
      figure.plot = new uPlot(options(figure, spec, made, widthOf(figure)), made.data, holder);
      figure.shape = now;
      const rows = holder.querySelectorAll(".u-series");
      made.kinds.forEach(({ kind }, i) => { if (kind === "edge" || kind === "faint") rows[i + 1].hidden = true; });
      clicks(figure);
      keys(figure);
      figure.plot.over.addEventListener("dblclick", () => { if (onRun(spec)) zoom(null, null); });
    }
    figure.plot.over.setAttribute("aria-label", `${spoken(spec)}. Arrow keys move along it${leadsOn(figure) ? "; Enter leads to the rollouts" : ""}.`);
  }

  /* A click leads to the rollouts of its step, a drag zooms. uPlot takes a click just after the page
     has scrolled for a drag and keeps it from its own area, so it is heard above that. */
  function clicks(figure) {
    const { root, over } = figure.plot;
    let from = [0, 0];
    root.addEventListener("mousedown", (event) => { from = [event.clientX, event.clientY]; }, true);
    root.addEventListener("click", (event) => {
      const moved = Math.hypot(event.clientX - from[0], event.clientY - from[1]);
      if (event.target === over && moved < 4) leads(figure, figure.plot.posToIdx(event.offsetX));
    }, true);
  }

  /* With the keyboard: arrows move the cursor, and what is there is said. */
  function keys(figure) {
    const { plot } = figure;
    plot.over.tabIndex = 0;
    plot.over.setAttribute("role", "slider");
    const ends = plot.data[0], whole = { valuemin: ends[0] ?? 0, valuemax: ends.at(-1) ?? 0, valuenow: ends.at(-1) ?? 0 };
    for (const [name, value] of Object.entries(whole)) plot.over.setAttribute(`aria-${name}`, String(value));
    plot.over.addEventListener("keydown", (event) => {
      const last = plot.data[0].length - 1, at = plot.cursor.idx ?? last;
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1, PageUp: at - 10, PageDown: at + 10, Home: 0, End: last }[event.key];
      if (event.key === "Enter") { event.preventDefault(); leads(figure, plot.cursor.idx); figure.querySelector(".at a")?.focus(); }
      if (to == null) return;
      event.preventDefault();
      const index = Math.min(last, Math.max(0, to));
      plot.setCursor({ left: plot.valToPos(plot.data[0][index], "x"), top: plot.over.clientHeight / 2 }, true, true);
      plot.over.setAttribute("aria-valuenow", String(plot.data[0][index]));
      plot.over.setAttribute("aria-valuetext", [...figure.querySelectorAll(".u-series:not([hidden])")].map((row) => row.textContent).join(", "));
    });
  }

  const leadsOn = (figure) => Boolean(figure.closest("[data-charts]")?.dataset.rollouts) && onRun(figure.spec);

  /* From a step to its rollouts. */
  function leads(figure, at) {
    const container = figure.closest("[data-charts]"), base = container.dataset.rollouts;
    const { made, spec } = figure;
    if (!base || at == null || !onRun(spec)) return;
    const line = figure.querySelector(".at");
    const runs = container.runs || {};
    const links = [], given = new URL(base, location.href);
    for (const series of spec.series) {
      if (view.hidden.has(series.name)) continue;
      const key = series.axis.replace(/v$/, ""), id = runs[key], axis = figure.axes[series.axis];
      const x = made.data[0][at], i = axis[view.x].findIndex((value) => value >= x);
      const step = axis.step[i < 0 ? axis.step.length - 1 : i];
      if (!id || links.some((link) => link.dataset.run === id)) continue;
      const first = (axis.step[(i < 0 ? axis.step.length - 1 : i) - 1] ?? step - 1) + 1;
      const from = series.axis.endsWith("v") ? step : first;
      const link = document.createElement("a");
      link.dataset.run = id;
      const page = given.pathname.endsWith("rollouts") ? given.pathname : `${base}/${encodeURIComponent(id)}/rollouts`;
      given.searchParams.set("first", Math.max(1, from));
      given.searchParams.set("last", Math.max(1, step));
      link.href = `${page}?${given.searchParams}`;
      const where = from === step ? `step ${english(step)}` : `steps ${english(from)} to ${english(step)}`;
      link.textContent = Object.keys(runs).length > 1 ? `Rollouts of ${series.name}, ${where}` : `Rollouts of ${where}`;
      links.push(link);
    }
    line.replaceChildren(...links.flatMap((link) => [link, " "]));
  }

  function spoken(spec) {
    const ends = spec.series.map((series) => {
      const known = series.values.filter((value) => value != null);
      const format = formats[spec.scale] || formats.number;
      return known.length ? `${series.name} from ${format(known[0])} to ${format(known[known.length - 1])}` : series.name;
    });
    return `${spec.title} over ${spec.along}: ${ends.slice(0, 8).join("; ")}`;
  }

  /* Viridis, in a few steps. */
  const VIRIDIS = [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]];
  function shade(share) {
    const at = Math.min(0.9999, Math.max(0, share)) * (VIRIDIS.length - 1);
    const low = VIRIDIS[Math.floor(at)], high = VIRIDIS[Math.floor(at) + 1], part = at % 1;
    return low.map((value, i) => Math.round(value + (high[i] - value) * part));
  }

  function heat(figure, holder, spec, axis) {
    const x = axis[view.x], across = along[view.x], format = formats[spec.scale];
    const rows = spec.names.length, width = x.length;
    const height = Math.min(720, Math.max(Math.min(14 * rows, 224), 4 * rows)), every = Math.ceil(13 * rows / height);
    const names = document.createElement("ol");
    names.append(...spec.names.filter((_, y) => y % every === 0).map((name) => Object.assign(document.createElement("li"), { textContent: name, title: name })));
    const canvas = Object.assign(document.createElement("canvas"), { className: "heat", width, height: rows });
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext("2d"), image = pen.createImageData(width, rows);
    spec.rows.forEach((row, y) => row.forEach((value, at) => {
      if (value != null) image.data.set([...shade(value / spec.top), 255], 4 * (y * width + at));
    }));
    pen.putImageData(image, 0, 0);
    const [map, legend, shades, readout] = ["div", "p", "span", "span"].map((kind) => document.createElement(kind));
    map.className = "heat-map"; legend.className = "legend-bar"; shades.className = "shades";
    map.append(names, canvas);
    readout.setAttribute("role", "status");
    const rest = readout.textContent = `${view.x} ${across(x[0])} to ${across(x[width - 1])}`;
    legend.append("0", shades, format(spec.top), readout);
    const within = (value, many) => Math.min(many - 1, Math.max(0, value));
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return [
        within(Math.floor((event.clientX - box.left) / box.width * width), width),
        within(Math.floor((event.clientY - box.top) / box.height * rows), rows),
      ];
    };
    const tell = ([at, y]) => { readout.textContent = `${spec.names[y]}: ${spec.what} = ${format(spec.rows[y][at])} at ${view.x} ${across(x[at])}`; };
    canvas.addEventListener("mousemove", (event) => tell(place(event)));
    canvas.addEventListener("mouseleave", () => { readout.textContent = rest; });
    /* With the keyboard: arrows go from cell to cell, and what is there is said. */
    let cell = [within(figure.cell?.[0] ?? width, width), within(figure.cell?.[1] ?? 0, rows)];
    const ends = spec.rows.slice(0, 8).map((row, y) => `${spec.names[y]} from ${format(row.find((value) => value != null))} to ${format(row.findLast((value) => value != null))}`);
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", `${spec.title}, ${rows} rows over ${view.x}: ${ends.join("; ")}. Arrow keys go from cell to cell${leadsOn(figure) ? "; Enter leads to the rollouts" : ""}.`);
    canvas.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], Home: [-width, 0], End: [width, 0] }[event.key];
      if (event.key === "Enter") { event.preventDefault(); open(cell); figure.querySelector(".at a")?.focus(); }
      if (!by) return;
      event.preventDefault();
      figure.cell = cell = [within(cell[0] + by[0], width), within(cell[1] + by[1], rows)];
      tell(cell);
    });
    canvas.addEventListener("click", (event) => open(place(event)));
    function open([at, y]) {
      const base = figure.closest("[data-charts]").dataset.rollouts;
      if (!base?.endsWith("rollouts")) return;
      const link = document.createElement("a");
      const from = Math.max(1, (axis.step[at - 1] ?? axis.step[at] - 1) + 1);
      link.href = `${base}?first=${from}&last=${Math.max(1, axis.step[at])}&${spec.by}=${encodeURIComponent(spec.by === "difficulty" ? spec.names[y].replace(/\D/g, "") : spec.names[y])}`;
      link.textContent = `Rollouts of ${spec.names[y]}, step ${english(axis.step[at])}`;
      figure.querySelector(".at").replaceChildren(link);
    }
    holder.append(map, legend);
  }

  /* What is drawn, as a file. */
  function save(name, type, content) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
  const quoted = (value) => (value == null ? "" : /[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
  function csv(figure) {
    const { spec, axes } = figure;
    const rows = [["curve", "step", "tokens", "seconds", spec.title, "low", "high"]];
    const list = spec.kind === "heat" ? spec.names.map((name, i) => ({ name, axis: spec.axis, values: spec.rows[i] })) : spec.series;
    for (const series of list) {
      const axis = series.axis ? axes[series.axis] : { step: spec.x, tokens: [], seconds: [] };
      if (!series.axis) rows[0][1] = spec.along;
      series.values.forEach((value, i) => rows.push([series.name, axis.step[i], axis.tokens[i], axis.seconds[i], value, series.low?.[i], series.high?.[i]]));
    }
    save(`${figure.dataset.name}.csv`, "text/csv", rows.map((row) => row.map(quoted).join(",")).join("\n") + "\n");
  }
  function png(figure) {
    const source = figure.querySelector("canvas"), heading = 26 * devicePixelRatio;
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(source.width, 640);
    const high = source.className === "heat" ? 400 : source.height;
    canvas.height = high + 2 * heading;
    const pen = canvas.getContext("2d");
    pen.fillStyle = css("--paper");
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.fillStyle = css("--ink");
    pen.font = `${15 * devicePixelRatio}px system-ui, sans-serif`;
    pen.fillText(figure.spec.title, 8, 0.75 * heading);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(source, 0, heading, canvas.width, high);
    pen.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
    let left = 8;
    for (const series of figure.spec.series || []) {
      if (view.hidden.has(series.name)) continue;
      pen.fillStyle = colour(series.colour);
      pen.fillText(`● ${series.name}`, left, canvas.height - 0.3 * heading);
      left += pen.measureText(`● ${series.name}   `).width;
    }
    canvas.toBlob((blob) => save(`${figure.dataset.name}.png`, "image/png", blob));
  }

  function make(name, level) {
    const made = document.createElement("figure");
    made.className = "chart";
    made.dataset.name = name;
    made.id = `chart-${name}`;
    made.innerHTML = `<div class="chart-head"><h${level} class="title"></h${level}><span class="tools"><button type="button" class="link" data-save="csv">CSV</button> <button type="button" class="link" data-save="png">PNG</button></span></div><div class="holder"></div><p class="at" role="status"></p><p class="note"></p>`;
    made.addEventListener("click", (event) => {
      const what = event.target.dataset?.save;
      if (what === "csv") csv(made);
      if (what === "png") png(made);
    });
    return made;
  }

  /* Where a chart belongs: in its section, which is made when it is needed. */
  function room(container, section) {
    const titles = JSON.parse(container.dataset.sections || "{}");
    if (!titles[section]) {
      if (!container.plain) {
        container.plain = document.createElement("div");
        container.plain.className = section === "key" ? "charts key" : "charts";
        container.append(container.plain);
      }
      return container.plain;
    }
    container.rooms ??= {};
    if (!container.rooms[section]) {
      const part = document.createElement("details");
      part.className = "section";
      part.dataset.section = section;
      const opened = asked.get("open")?.split(",");
      part.open = opened ? opened.includes(section) : ["learning", "curriculum", "teaching"].includes(section);
      part.innerHTML = "<summary><h2></h2></summary><div class=\"charts\"></div>";
      part.querySelector("h2").textContent = titles[section];
      part.addEventListener("toggle", () => {
        for (const figure of part.querySelectorAll(".chart")) if (!figure.plot) draw(figure, figure.spec, figure.axes);
        const open = [...container.querySelectorAll("details.section[open]")].map((each) => each.dataset.section);
        const query = new URLSearchParams(location.search);
        query.set("open", open.join(","));
        if (part.dataset.touched) history.replaceState(null, "", `?${query}`);
      });
      part.querySelector("summary").addEventListener("click", () => { part.dataset.touched = "1"; });
      container.rooms[section] = part;
      const order = Object.keys(titles);
      const later = [...container.querySelectorAll("details.section")].find((each) => order.indexOf(each.dataset.section) > order.indexOf(section));
      container.insertBefore(part, later || null);
    }
    return container.rooms[section].querySelector(".charts");
  }

  /* A container holds all its charts as JSON; a live one is fetched again and again. */
  function fill(container, drawn) {
    container.runs = drawn.runs;
    container.figures ??= {};
    for (const [name, spec] of Object.entries(drawn.charts)) {
      if (!container.figures[name]) {
        const made = container.figures[name] = make(name, Number(container.dataset.level));
        room(container, spec.section).append(made);
        watcher.observe(made);
      }
      const figure = container.figures[name], place = room(container, spec.section);
      if (figure.parentElement !== place) place.append(figure); // it was constant, and is no longer
      figure.classList.toggle("whole", spec.kind === "heat" || container.dataset.wide != null);
      draw(figure, spec, drawn.axes);
    }
  }

  const watcher = new ResizeObserver((entries) => {
    for (const { target: figure } of entries) {
      const { plot } = figure;
      if (!plot && figure.waiting && figure.clientWidth) draw(figure, figure.spec, figure.axes);
      else if (plot && figure.clientWidth && Math.abs(plot.width - figure.clientWidth) > 1) plot.setSize({ width: widthOf(figure), height: heightOf(figure) });
    }
  });

  async function follow(container) {
    let stamp = container.dataset.stamp;
    while (container.isConnected) {
      await new Promise((resolve) => setTimeout(resolve, POLL));
      if (document.hidden) continue;
      let reply;
      try {
        reply = await fetch(container.dataset.live, { headers: stamp ? { "If-None-Match": stamp } : {} });
      } catch { continue; /* the banner says that the studio was stopped; it may come back */ }
      if (reply.status !== 200) continue;
      stamp = reply.headers.get("ETag");
      const { drawn, texts } = await reply.json();
      fill(container, drawn);
      for (const [name, text] of Object.entries(texts)) {
        for (const element of document.querySelectorAll(`[data-text="${name}"]`)) if (element.textContent !== text) element.textContent = text;
        for (const element of document.querySelectorAll(`[data-html="${name}"]`)) if (element.innerHTML !== text) element.innerHTML = text;
      }
    }
  }

  function redraw() {
    remember();
    for (const figure of document.querySelectorAll(".chart")) if (figure.spec) draw(figure, figure.spec, figure.axes);
  }


  function controls() {
    const form = document.querySelector("#chart-controls");
    if (!form) return;
    const { smooth, x, log } = form.elements;
    const told = form.querySelector("#smooth-value");
    form.hidden = false;
    const reach = () => reachOf(Object.assign({}, ...[...document.querySelectorAll(".chart")].map((each) => each.axes)));
    const tell = () => { told.textContent = reach() ? `mean of ${2 * reach() + 1} values, raw values behind` : "none, raw values"; };
    smooth.value = reach(); x.value = view.x; log.checked = view.log;
    tell();
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", (event) => {
      if (x.value !== view.x) Object.assign(view, { from: null, to: null });
      if (event.target === smooth) view.smooth = Number(smooth.value);
      Object.assign(view, { x: x.value, log: log.checked });
      tell();
      redraw();
    });
    form.querySelector("[data-do=reset-zoom]").addEventListener("click", () => zoom(null, null));
  }

  function start(within) {
    for (const container of within.querySelectorAll("[data-charts]:not([data-started])")) {
      container.dataset.started = "";
      fill(container, JSON.parse(container.querySelector("script").textContent));
      if (container.dataset.live) follow(container);
    }
  }

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const figure of document.querySelectorAll(".chart")) if (figure.spec) draw(figure, figure.spec, figure.axes, true);
  });
  /* On paper every section is open, every chart is as wide as the paper, and colours are light. */
  const PAPER = 680;
  function print(on) {
    document.documentElement.toggleAttribute("data-paper", on);
    for (const part of document.querySelectorAll(on ? "details.section:not([open])" : "details[data-shut]")) {
      part.open = on;
      part.toggleAttribute("data-shut", on);
    }
    for (const figure of document.querySelectorAll(".chart")) if (figure.spec) draw(figure, figure.spec, figure.axes, true);
  }
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  document.addEventListener("htmx:afterSwap", () => start(document));
  start(document);
  controls();
})();
