// A run played along the clock, and its values on the diagram: connections in the colour of their potential or signal, with numbers;
// shapes that follow variables (DynamicSelect) as they are at the instant.
'use strict';

const Animation = (() => {
  const frame = document.getElementById('diagram');
  const slider = document.getElementById('play-time'), button = document.getElementById('play'), speed = document.getElementById('speed'), told = document.getElementById('clock');
  const show = document.getElementById('show-values');
  const NAMESPACE = 'http://www.w3.org/2000/svg';
  const MOST = 200;          // connections
  const WITH_NUMBERS = 60;
  let run = null, links = [], time = null, timer = 0, loaded = null, moves = false;

  // From blue over grey to red.
  function ramp(part) {
    const [a, b, p] = part < 0.5 ? [[31, 111, 180], [150, 150, 150], part * 2] : [[150, 150, 150], [200, 40, 40], part * 2 - 1];
    return `rgb(${a.map((v, k) => Math.round(v + (b[k] - v) * p)).join(',')})`;
  }

  // What a connection carries: the signal itself, or what is not a flow in its connector.
  const POTENTIALS = ['v', 'phi', 's', 'T', 'p', 'V_m', 'signal'];
  function carried(end, known) {
    if (known.has(end)) return end;
    const inside = POTENTIALS.map((p) => `${end}.${p}`).find((n) => known.has(n));
    return inside || null;
  }

  async function load(newRun, variables) {
    run = newRun;
    links = [];
    loaded = null;
    clear();
    if (!run) return;
    slider.min = run.time[0];
    slider.max = run.time[run.time.length - 1];
    slider.step = (slider.max - slider.min) / 1000 || 1;
    if (time === null) slider.value = slider.max;
    redraw(time ?? Number(slider.max));
    if (show.checked) await bind(variables);
  }

  // Shapes that follow the run come from the server: one picture at a time, the newest instant next.
  let isDrawing = false, waiting = null;
  async function redraw(t) {
    if (!moves || !run || !run.id) return;
    if (isDrawing) { waiting = t; return; }
    isDrawing = true;
    try {
      const of = run.id, answer = await drawn(of, t);
      if (answer.svg && run && run.id === of) Diagram.renew(answer.svg);
    } catch { /* The page says elsewhere that the server has gone. */ }
    isDrawing = false;
    if (waiting !== null) { const next = waiting; waiting = null; redraw(next); }
  }

  // Finds the connections of the diagram and asks for their values.
  async function bind(variables) {
    const known = new Set(variables.map((v) => v.name));
    const found = [];
    for (const group of [...frame.querySelectorAll('.connection')].slice(0, MOST)) {
      // The first end has the whole path, the second one is named inside of the opened component.
      const [from, to] = group.id.split('--');
      const name = carried(from, known) || carried(to, known);
      if (name) found.push({ group, name });
    }
    const key = `${run.id} ${found.map((f) => f.name).join()}`;
    if (loaded !== key) {
      const missing = [...new Set(found.map((f) => f.name))].filter((n) => !run.columns.has(n));
      if (missing.length) await wanted(run, missing);
      loaded = key;
    }
    links = found.filter((f) => run.columns.has(f.name));
    const ends = new Map();
    for (const link of links) {
      const column = run.columns.get(link.name);
      let [low, high] = ends.get(column.unit) || [Infinity, -Infinity];
      for (const v of column.values) { if (v < low) low = v; if (v > high) high = v; }
      ends.set(column.unit, [low, high]);
    }
    // Lines of one node have one number; it stands where it covers no other one, or not at all.
    const taken = [], told = new Set(), icons = [...frame.querySelectorAll('.component')].map((g) => g.getBBox());
    for (const link of links) {
      const column = run.columns.get(link.name);
      link.ends = ends.get(column.unit);
      const { values } = column, key = [column.unit, values[0], values[values.length >> 2], values[values.length >> 1], values[values.length - 1]].join();
      if (told.size < WITH_NUMBERS && !told.has(key) && number(link, taken, icons)) told.add(key);
    }
    paint(time ?? Number(slider.max));
  }

  // Beside a stretch of the line, the longest first, where no icon is if there is such a place; false where there is no room.
  function number(link, taken, icons) {
    link.group.querySelectorAll('text.value').forEach((t) => t.remove());
    const path = link.group.querySelector('path');
    if (!path) return false;
    const points = [...path.getAttribute('d').matchAll(/(-?[\d.e+-]+)[ ,](-?[\d.e+-]+)/g)].map((m) => [Number(m[1]), Number(m[2])]);
    const stretches = points.slice(1).map((b, k) => [Math.hypot(b[0] - points[k][0], b[1] - points[k][1]), points[k], b]);
    stretches.sort((a, b) => b[0] - a[0]);
    const places = stretches.flatMap(([, a, b]) => [0.5, 0.25, 0.75].map((p) => [a[0] + p * (b[0] - a[0]), a[1] + p * (b[1] - a[1])]));
    const text = document.createElementNS(NAMESPACE, 'text');
    const box = frame.querySelector('svg').viewBox.baseVal;
    const size = Math.min(box.width, box.height * 1.4) * 0.028;
    // Numbers have some eight letters, with their unit.
    const covers = (x, y) => taken.some(([a, b]) => Math.abs(a - x) < 5 * size && Math.abs(b - y) < 1.1 * size);
    const hides = ([x, y]) => icons.some((i) => x + 2.5 * size > i.x && x - 2.5 * size < i.x + i.width && y > i.y && y - size < i.y + i.height);
    const open = places.filter(([x, y]) => !covers(x, y));
    const free = open.find((p) => !hides(p)) || open[0];
    if (!free) return false;
    taken.push(free);
    text.setAttribute('class', 'value');
    // Inside of what is shown, at the edge too.
    text.setAttribute('x', Math.max(box.x + 2.5 * size, Math.min(free[0], box.x + box.width - 2.5 * size)));
    text.setAttribute('y', free[1] - box.width * 0.004);
    text.setAttribute('text-anchor', 'middle');
    text.setAttribute('font-size', size);
    link.group.append(text);
    link.text = text;
    return true;
  }

  function paint(t) {
    for (const link of links) {
      const column = run.columns.get(link.name);
      const v = Plots.valueAt(run.time, column.values, t);
      const [low, high] = link.ends;
      const shade = ramp(high > low ? (v - low) / (high - low) : 0.5);
      link.group.querySelectorAll('path').forEach((p) => { p.style.stroke = shade; });
      link.group.dataset.value = v;
      if (link.text) { link.text.textContent = Plots.shownValue(column, v); link.text.style.fill = shade; }
    }
  }

  function clear() {
    frame.querySelectorAll('text.value').forEach((t) => t.remove());
    frame.querySelectorAll('.connection path').forEach((p) => { p.style.stroke = ''; });
    links = [];
  }

  function at(t) {
    time = t;
    told.textContent = t === null ? '' : `t = ${Plots.short(t)} s`;
    if (t !== null) slider.value = t;
    Plots.setNow(t);
    if (run) { paint(t ?? Number(slider.max)); redraw(t ?? Number(slider.max)); }
  }

  // One second of the model takes one second of the clock, times the speed.
  function play() {
    if (timer) return stop();
    if (!run) return undefined;
    const from = time !== null && time < Number(slider.max) ? time : Number(slider.min);
    const began = performance.now();
    button.textContent = '❚❚';
    const step = () => {
      const t = from + (performance.now() - began) / 1000 * Number(speed.value);
      at(Math.min(t, Number(slider.max)));
      timer = t < Number(slider.max) ? requestAnimationFrame(step) : stop();
    };
    timer = requestAnimationFrame(step);
    return undefined;
  }
  function stop() {
    cancelAnimationFrame(timer);
    timer = 0;
    button.textContent = '▶';
    return 0;
  }

  let wanted = async () => {}, drawn = async () => ({});
  button.onclick = play;
  slider.oninput = () => { stop(); at(Number(slider.value)); };
  slider.ondblclick = () => { stop(); at(null); };
  return {
    load, bind, clear,
    onWant: (f) => { wanted = f; },
    onDraw: (f) => { drawn = f; },
    setMoves: (m) => { moves = m; },
    look: (t) => { if (!timer && run) { const at = t ?? time ?? Number(slider.max); if (links.length) paint(at); redraw(at); } },
    isOn: () => show.checked,
    reset: () => { stop(); at(null); },
  };
})();
