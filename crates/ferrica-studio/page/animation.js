// A run played along the clock, and its values on the diagram: connections in the colour of their potential or signal, with numbers.
'use strict';

const Animation = (() => {
  const frame = document.getElementById('diagram');
  const slider = document.getElementById('play-time'), button = document.getElementById('play'), speed = document.getElementById('speed'), told = document.getElementById('clock');
  const show = document.getElementById('show-values');
  const NAMESPACE = 'http://www.w3.org/2000/svg';
  const MOST = 200;          // connections
  const WITH_NUMBERS = 60;
  let run = null, links = [], time = null, timer = 0, loaded = null;

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
    if (show.checked) await bind(variables);
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
    const taken = [], told = new Set();
    for (const link of links) {
      const column = run.columns.get(link.name);
      link.ends = ends.get(column.unit);
      const { values } = column, key = [column.unit, values[0], values[values.length >> 2], values[values.length >> 1], values[values.length - 1]].join();
      if (told.size < WITH_NUMBERS && !told.has(key) && number(link, taken)) told.add(key);
    }
    paint(time ?? Number(slider.max));
  }

  // Beside the middle of a stretch of the line, the longest first; false where there is no room.
  function number(link, taken) {
    link.group.querySelectorAll('text.value').forEach((t) => t.remove());
    const path = link.group.querySelector('path');
    if (!path) return false;
    const points = [...path.getAttribute('d').matchAll(/(-?[\d.e+-]+)[ ,](-?[\d.e+-]+)/g)].map((m) => [Number(m[1]), Number(m[2])]);
    const stretches = points.slice(1).map((b, k) => [Math.hypot(b[0] - points[k][0], b[1] - points[k][1]), (points[k][0] + b[0]) / 2, (points[k][1] + b[1]) / 2]);
    stretches.sort((a, b) => b[0] - a[0]);
    const text = document.createElementNS(NAMESPACE, 'text');
    const box = frame.querySelector('svg').viewBox.baseVal;
    const size = Math.min(box.width, box.height * 1.4) * 0.028;
    // Numbers have some eight letters, with their unit.
    const covers = (x, y) => taken.some(([a, b]) => Math.abs(a - x) < 5 * size && Math.abs(b - y) < 1.1 * size);
    const free = stretches.find(([, x, y]) => !covers(x, y));
    if (!free) return false;
    taken.push([free[1], free[2]]);
    text.setAttribute('class', 'value');
    text.setAttribute('x', free[1]);
    text.setAttribute('y', free[2] - box.width * 0.004);
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
    if (run) paint(t ?? Number(slider.max));
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

  let wanted = async () => {};
  button.onclick = play;
  slider.oninput = () => { stop(); at(Number(slider.value)); };
  slider.ondblclick = () => { stop(); at(null); };
  return {
    load, bind, clear,
    onWant: (f) => { wanted = f; },
    look: (t) => { if (!timer && run && links.length) paint(t ?? time ?? Number(slider.max)); },
    isOn: () => show.checked,
    reset: () => { stop(); at(null); },
  };
})();
