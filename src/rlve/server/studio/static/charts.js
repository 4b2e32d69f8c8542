/* Draws what charts.py describes: curves with uPlot, heat maps on a canvas. Redraws live runs as they grow. */
"use strict";

(() => {
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const colour = (index) => css(`--c${index % 8}`);
  const HEIGHT = 230;
  const POLL = 2000;
  const drawn = new Map();

  const formats = {
    share: (value) => (value == null ? "–" : `${Math.round(value * 1000) / 10}%`),
    level: (value) => (value == null ? "–" : String(Math.round(value * 100) / 100)),
    number: (value) => (value == null ? "–" : Number(value.toPrecision(4)).toLocaleString("en-GB")),
  };

  function options(spec, width) {
    const format = formats[spec.scale] || formats.number;
    const axis = {
      stroke: css("--soft"), font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif",
      grid: { stroke: css("--line"), width: 1 }, ticks: { show: false },
    };
    const whole = spec.x.length && spec.x.every(Number.isInteger);
    const range = {
      share: () => [0, 1],
      level: (u, low, high) => [0, Math.max(1, Math.ceil(high || 0)) + 0.2],
      number: (u, low, high) => {
        if (low == null) return [0, 1];
        const room = (high - low || Math.abs(high) || 1) * 0.08;
        return [low >= 0 && low < high * 0.6 ? 0 : low - room, high + room];
      },
    }[spec.scale];
    return {
      width, height: HEIGHT,
      scales: { x: { time: false, range: (u, low, high) => (low === high ? [low - 1, high + 1] : [low, high]) }, y: { range } },
      axes: [
        { ...axis, size: 28, values: (u, marks) => marks.map((v) => (whole && !Number.isInteger(v) ? "" : v.toLocaleString("en-GB"))) },
        { ...axis, size: 56, values: (u, marks) => marks.map((v) => (spec.scale === "level" && !Number.isInteger(v) ? "" : format(v))) },
      ],
      cursor: { points: { size: 6 }, drag: { x: true, y: false } },
      series: [
        { label: spec.along, value: (u, v) => (v == null ? "–" : v.toLocaleString("en-GB")) },
        ...spec.series.map((series) => ({
          label: series.name,
          stroke: colour(series.colour || 0) + (series.faint ? "38" : ""),
          width: series.faint ? 1 : 2,
          dash: series.dashed ? [6, 4] : undefined,
          paths: series.stairs ? uPlot.paths.stepped({ align: 1 }) : undefined,
          points: { show: Boolean(series.points), size: 6, fill: colour(series.colour || 0) },
          spanGaps: Boolean(series.points),
          value: (u, v) => format(v),
        })),
      ],
      hooks: spec.target == null ? {} : { draw: [(u) => target(u, spec.target)] },
    };
  }

  function target(u, value) {
    const y = Math.round(u.valToPos(value, "y", true)) + 0.5;
    u.ctx.save();
    u.ctx.strokeStyle = css("--soft");
    u.ctx.setLineDash([2, 4]);
    u.ctx.beginPath();
    u.ctx.moveTo(u.bbox.left, y);
    u.ctx.lineTo(u.bbox.left + u.bbox.width, y);
    u.ctx.stroke();
    u.ctx.restore();
  }

  function draw(figure, spec) {
    drawn.get(figure)?.destroy?.();
    const holder = figure.querySelector(".holder");
    holder.replaceChildren();
    figure.querySelector("h3").textContent = spec.title;
    figure.querySelector(".note").textContent = spec.note || "";
    if (spec.kind === "heat") {
      drawn.set(figure, heat(holder, spec));
    } else {
      const data = [spec.x, ...spec.series.map((series) => series.values)];
      const plot = new uPlot(options(spec, Math.max(200, figure.clientWidth)), data, holder);
      const rows = holder.querySelectorAll(".u-series");
      spec.series.forEach((series, i) => { if (series.faint) rows[i + 1].hidden = true; });
      plot.root.setAttribute("role", "img");
      plot.root.setAttribute("aria-label", spoken(spec));
      drawn.set(figure, plot);
    }
    figure.spec = spec;
  }

  function spoken(spec) {
    const ends = spec.series.filter((series) => !series.faint).map((series) => {
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

  function heat(holder, spec) {
    const height = spec.names.length, width = spec.x.length;
    let highest = 1;
    for (const row of spec.rows) for (const value of row) if (value > highest) highest = value;
    const canvas = document.createElement("canvas");
    canvas.className = "heat";
    canvas.width = width;
    canvas.height = height;
    canvas.style.height = `${Math.min(720, Math.max(160, height * 3))}px`;
    const pen = canvas.getContext("2d"), image = pen.createImageData(width, height);
    spec.rows.forEach((row, y) => row.forEach((value, x) => {
      image.data.set([...shade(value / highest), 255], 4 * (y * width + x));
    }));
    pen.putImageData(image, 0, 0);
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${spec.title} of ${height} environments over ${spec.along}, up to ${highest}`);
    const legend = document.createElement("div");
    legend.className = "legend-bar";
    const scale = document.createElement("canvas");
    scale.width = 64; scale.height = 1;
    const line = scale.getContext("2d"), colours = line.createImageData(64, 1);
    for (let i = 0; i < 64; i++) colours.data.set([...shade(i / 63), 255], 4 * i);
    line.putImageData(colours, 0, 0);
    const readout = document.createElement("span");
    const rest = `${spec.along} ${spec.x[0]} to ${spec.x[width - 1]}`;
    readout.textContent = rest;
    legend.append("0", scale, String(highest), readout);
    canvas.addEventListener("mousemove", (event) => {
      const box = canvas.getBoundingClientRect();
      const x = Math.min(width - 1, Math.floor((event.clientX - box.left) / box.width * width));
      const y = Math.min(height - 1, Math.floor((event.clientY - box.top) / box.height * height));
      if (x >= 0 && y >= 0) readout.textContent = `${spec.names[y]}: h = ${spec.rows[y][x]} at ${spec.along} ${spec.x[x]}`;
    });
    canvas.addEventListener("mouseleave", () => { readout.textContent = rest; });
    holder.append(canvas, legend);
    return { destroy() {} };
  }

  function figure(name) {
    const made = document.createElement("figure");
    made.className = "chart";
    made.dataset.name = name;
    made.innerHTML = '<h3></h3><div class="holder"></div><p class="note"></p>';
    return made;
  }

  /* A container holds all its charts as JSON; a live one is fetched again and again. */
  function fill(container, charts) {
    for (const [name, spec] of Object.entries(charts)) {
      let chart = [...container.querySelectorAll(".chart")].find((element) => element.dataset.name === name);
      if (!chart) {
        chart = figure(name);
        container.append(chart);
        watcher.observe(chart);
      }
      chart.classList.toggle("whole", spec.kind === "heat" || name === "levels" || container.dataset.wide != null);
      draw(chart, spec);
    }
  }

  const watcher = new ResizeObserver((entries) => {
    for (const { target: chart } of entries) {
      const plot = drawn.get(chart);
      if (plot?.setSize && Math.abs(plot.width - chart.clientWidth) > 1) plot.setSize({ width: Math.max(200, chart.clientWidth), height: HEIGHT });
    }
  });

  async function follow(container) {
    let stamp = container.dataset.stamp;
    while (container.isConnected) {
      await new Promise((resolve) => setTimeout(resolve, POLL));
      if (document.hidden) continue;
      let reply;
      try {
        reply = await fetch(container.dataset.live, { headers: { "If-None-Match": stamp } });
      } catch { continue; /* the studio was stopped, and may come back */ }
      if (reply.status !== 200) continue;
      stamp = reply.headers.get("ETag");
      const { charts, texts } = await reply.json();
      fill(container, charts);
      for (const [name, text] of Object.entries(texts)) {
        for (const element of document.querySelectorAll(`[data-text="${name}"]`)) element.textContent = text;
      }
    }
  }

  function start(within) {
    for (const container of within.querySelectorAll("[data-charts]:not([data-started])")) {
      container.dataset.started = "";
      fill(container, JSON.parse(container.querySelector("script").textContent));
      if (container.dataset.live) follow(container);
    }
  }

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const [chart] of drawn) if (chart.isConnected) draw(chart, chart.spec);
  });
  document.addEventListener("htmx:afterSwap", () => start(document));
  start(document);
})();
