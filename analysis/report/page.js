"use strict";
// The report's behaviour: sort and filter tables, draw the chosen plot, show the chosen ladder.
const payload = JSON.parse(document.getElementById("payload").textContent);
const $ = (id) => document.getElementById(id);

function sortKey(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.sort ?? cell.textContent;
  const number = text === "" ? NaN : Number(text);
  return { text, number, missing: text === "" };
}

function sortTable(header) {
  const body = header.closest("table").tBodies[0];
  const direction = header.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  for (const other of header.parentNode.cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", direction === 1 ? "ascending" : "descending");
  const keyed = Array.from(body.rows, (row) => ({ row, key: sortKey(row, header.cellIndex) }));
  const numeric = keyed.every(({ key }) => key.missing || !Number.isNaN(key.number));
  keyed.sort((one, other) => {
    if (one.key.missing !== other.key.missing) return one.key.missing ? 1 : -1;  // what is missing stays at the end
    return direction * (numeric ? one.key.number - other.key.number : one.key.text.localeCompare(other.key.text, "en"));
  });
  body.append(...keyed.map(({ row }) => row));
}

for (const header of document.querySelectorAll(".scroll thead th")) header.addEventListener("click", () => sortTable(header));

const headers = Array.from($("table").tHead.rows[0].cells, (header) => header.textContent);
// A word is looked for in "column:text" of every cell, so that both "hopper" and "n:2^20" find something.
const resultRows = Array.from($("table").tBodies[0].rows, (row) => ({ row, text: Array.from(row.cells, (cell, index) => headers[index] + ":" + cell.textContent).join(" ").toLowerCase() }));

function matches(row, name, value) {
  if (name === "family") return row.cells[0].textContent.startsWith(value + "/");
  return row.cells[headers.indexOf(name)].textContent === value;
}

function filterRows() {
  const words = $("find").value.toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = Array.from(document.querySelectorAll(".filter"), (select) => [select.dataset.column, select.value]).filter(([, value]) => value);
  let count = 0;
  for (const { row, text } of resultRows) {
    const kept = words.every((word) => text.includes(word)) && chosen.every(([name, value]) => matches(row, name, value));
    row.hidden = !kept;
    count += kept;
  }
  $("count").textContent = `${count} of ${resultRows.length} cells`;
}

$("find").addEventListener("input", filterRows);
for (const select of document.querySelectorAll(".filter")) select.addEventListener("change", filterRows);
filterRows();

$("ladder")?.addEventListener("change", (event) => {
  document.querySelectorAll(".ladder").forEach((ladder, index) => { ladder.hidden = index !== Number(event.target.value); });
});

const symbols = ["circle", "square", "triangle-up", "diamond", "triangle-down", "pentagon", "x", "star"];
const libraries = { cub: ["#000000", "dash", "x-thin-open"], thrust: ["#666666", "dashdot", "cross-thin-open"], cublas: ["#000000", "dot", "star"], cufft: ["#444444", "dot", "hash-open"], std: ["#888888", "dot", "asterisk-open"] };
const logarithmicMetrics = new Set(["time", "error", "ratio"]);

function options(select, pairs) {
  select.replaceChildren(...pairs.map(([value, text]) => new Option(text, value)));
}

function currentGroup() { return payload.groups[Number($("group").value)]; }

function traces(group, metric, hidden) {
  const places = new Map(Array.from(new Set(group.lines.map((line) => line.series)), (series, index) => [series, index]));
  const within = new Map();
  return group.lines.map((line) => {
    const library = libraries[line.series];
    const colour = library ? library[0] : payload.colours[places.get(line.series) % payload.colours.length];
    const index = within.get(line.series) ?? 0;
    within.set(line.series, index + 1);
    const values = line.metrics[metric];
    const bars = values.low.length ? { type: "data", symmetric: false, thickness: 1, width: 3,
      array: values.high.map((high, at) => high === null ? 0 : high - values.y[at]),
      arrayminus: values.low.map((low, at) => low === null ? 0 : values.y[at] - low) } : undefined;
    return { x: line.n, y: values.y, error_y: bars, name: line.name, type: group.x === "entry" ? "bar" : "scatter", mode: "lines+markers", hovertext: line.tuning,
      hovertemplate: "%{y:.4g} at %{x} %{hovertext}<extra>%{fullData.name}</extra>",
      line: { color: colour, dash: library ? library[1] : ["solid", "dot", "dashdot", "longdash"][index % 4] },
      marker: { symbol: library ? library[2] : symbols[index % symbols.length], size: 7, color: colour },
      visible: hidden.has(line.series) ? false : (line.shown || group.lines.length <= 8 ? true : "legendonly") };
  });
}

function draw() {
  const group = currentGroup();
  const metric = $("metric").value;
  const hidden = new Set(Array.from(document.querySelectorAll("#series input:not(:checked)"), (box) => box.value));
  const layout = { margin: { l: 70, r: 10, t: 35, b: 50 }, barmode: "overlay", font: { family: "system-ui, DejaVu Sans, sans-serif", size: 12 }, hovermode: "closest",
    xaxis: group.x === "entry" ? { type: "category", automargin: true } : { type: "log", title: { text: "n (elements, log axis)" }, tickvals: ticks(group), ticktext: ticks(group).map((n) => "2<sup>" + Math.round(Math.log2(n)) + "</sup>"), ticks: "outside", tickcolor: "#8c959f", gridcolor: "#e3e7eb" },
    yaxis: { type: $("logarithmic").checked ? "log" : "linear", rangemode: "tozero", title: { text: group.metrics[metric] + ($("logarithmic").checked ? " (log axis)" : "") }, gridcolor: "#e3e7eb" },
    plot_bgcolor: "#ffffff", paper_bgcolor: "#ffffff", showlegend: true, legend: { font: { size: 11 } } };
  Plotly.react("plot", traces(group, metric, hidden), layout, { displaylogo: false, responsive: true });
}

function ticks(group) {
  const sizes = group.lines.flatMap((line) => line.n);
  const low = Math.ceil(Math.log2(Math.min(...sizes))), high = Math.floor(Math.log2(Math.max(...sizes)));
  const step = Math.max(1, Math.ceil((high - low) / 10));
  return Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, index) => 2 ** (low + index * step));
}

function chooseMetric() {
  $("logarithmic").checked = logarithmicMetrics.has($("metric").value);
  draw();
}

function chooseGroup() {
  const group = currentGroup();
  const known = Object.entries(group.metrics).filter(([name]) => group.lines.some((line) => line.metrics[name].y.some((value) => value !== null)));
  const before = $("metric").value;
  options($("metric"), known);
  if (known.some(([name]) => name === before)) $("metric").value = before;
  const legend = document.querySelector("#series legend");
  $("series").replaceChildren(legend, ...Array.from(new Set(group.lines.map((line) => line.series)), (series) => {
    const label = document.createElement("label"), box = document.createElement("input");
    Object.assign(box, { type: "checkbox", value: series, checked: true });
    box.addEventListener("change", draw);
    label.append(box, " " + series);
    return label;
  }));
  chooseMetric();
}

if (payload.groups.length) {
  options($("group"), payload.groups.map((group, index) => [index, group.caption]));
  $("group").addEventListener("change", chooseGroup);
  $("metric").addEventListener("change", chooseMetric);
  $("logarithmic").addEventListener("change", draw);
  chooseGroup();
} else {
  $("plots").hidden = true;
}
