// Panels of curves. Of all points in one column of pixels only first, lowest, highest and last are drawn.
'use strict';

const Plots = (() => {
  const COLOURS = ['#1f6fb4', '#dd6b20', '#2b935a', '#c0395b', '#7558c4', '#149da6', '#c99400', '#8a5a44', '#d15fa6', '#5b6775'];
  const place = document.getElementById('panels');
  const order = [];       // names, each with a colour of its own in all panels
  const panels = [];
  let runs = [];          // {id, label, shown, time, columns: Map(name → {values, unit, factor, offset, literals})}
  const ranges = {};      // shown places on the horizontal axis, of times and of frequencies
  let active = 0;
  let mode = 'values';    // or difference, spectrum
  let now = null;         // while a run is played: nothing is drawn beyond
  let wanted = () => {}, wantedSpectrum = () => {}, looked = () => {};

  // Beyond ten names the colours come again, in dashes.
  const colour = (name) => {
    if (!order.includes(name)) order.push(name);
    return COLOURS[order.indexOf(name) % COLOURS.length];
  };
  const dashes = (name) => [[], [7, 3], [2, 2.5], [9, 3, 2, 3]][Math.floor(order.indexOf(name) / COLOURS.length) % 4];
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const axis = () => (mode === 'spectrum' ? 'frequency' : 'time');

  // Lowest and highest value of each block of samples, made once: what is seen of a million points costs as little as of a thousand.
  const BLOCK = 64;
  const summaries = new WeakMap();
  function summary(values) {
    let s = summaries.get(values);
    if (!s) {
      const n = Math.ceil(values.length / BLOCK);
      s = { low: new Float64Array(n), high: new Float64Array(n) };
      for (let b = 0; b < n; b++) {
        let low = Infinity, high = -Infinity;
        for (let k = b * BLOCK, end = Math.min(k + BLOCK, values.length); k < end; k++) { const v = values[k]; if (v < low) low = v; if (v > high) high = v; }
        s.low[b] = low; s.high[b] = high;
      }
      summaries.set(values, s);
    }
    return s;
  }
  function extremes(values, a, b) {
    let low = Infinity, high = -Infinity, k = a;
    const one = () => { const v = values[k]; if (v < low) low = v; if (v > high) high = v; k++; };
    if (b - a > 2 * BLOCK) {
      const s = summary(values);
      while (k % BLOCK) one();
      for (; k + BLOCK <= b; k += BLOCK) { const i = k / BLOCK; if (s.low[i] < low) low = s.low[i]; if (s.high[i] > high) high = s.high[i]; }
    }
    while (k < b) one();
    return [low, high];
  }

  function newPanel(into) {
    const node = document.createElement('div');
    node.className = 'panel';
    const canvas = document.createElement('canvas');
    const legend = document.createElement('div');
    legend.className = 'legend';
    node.append(canvas, legend);
    into.append(node);
    return { node, canvas, legend, names: [], cursor: null, drag: null };
  }

  function addPanel() {
    const panel = newPanel(place);
    panels.push(panel);
    active = panels.length - 1;
    panel.node.addEventListener('pointerdown', () => { active = panels.indexOf(panel); mark(); }, true);
    panel.node.addEventListener('dragover', (e) => e.preventDefault());
    panel.node.addEventListener('drop', (e) => { e.preventDefault(); add(e.dataTransfer.getData('text/plain'), panels.indexOf(panel)); });
    listen(panel);
    mark();
    draw();
    return panel;
  }

  function mark() { panels.forEach((p, k) => p.node.classList.toggle('active', k === active)); }

  function add(name, to = active) {
    if (!name) return;
    if (!panels.length) addPanel();
    const panel = panels[Math.min(to, panels.length - 1)];
    if (!panel.names.includes(name)) panel.names.push(name);
    colour(name);
    Promise.resolve(wanted(name)).then(() => apart(panel, name));
    draw();
  }

  // What has names for its values goes into a low panel of its own.
  function apart(panel, name) {
    const known = runs.map((r) => r.columns.get(name)).find(Boolean);
    if (!known || !known.literals || panel.isLow || panel.names.length < 2) {
      if (known && known.literals && panel.names.length === 1) low(panel);
      return draw();
    }
    panel.names = panel.names.filter((n) => n !== name);
    const own = addPanel();
    own.names = [name];
    low(own);
    active = panels.indexOf(panel);
    mark();
    draw();
  }
  function low(panel) { panel.isLow = true; panel.node.classList.add('low'); }

  function remove(panel, name) {
    panel.names = panel.names.filter((n) => n !== name);
    if (!panel.names.length && panels.length > 1) {
      panel.node.remove();
      panels.splice(panels.indexOf(panel), 1);
      active = Math.min(active, panels.length - 1);
      mark();
    }
    if (!panel.names.length) { panel.isLow = false; panel.node.classList.remove('low'); }
    draw();
  }

  function whole() {
    let low = Infinity, high = -Infinity;
    const take = (x) => { if (x.length) { low = Math.min(low, x[0]); high = Math.max(high, x[x.length - 1]); } };
    for (const r of runs) {
      if (!r.shown) continue;
      if (mode !== 'spectrum') take(r.time);
      else for (const s of (r.spectra || new Map()).values()) if (s.x) take(s.x);
    }
    return low < high ? [low, high] : [0, 1];
  }

  const index = (time, t) => { let a = 0, b = time.length; while (a < b) { const m = (a + b) >> 1; if (time[m] < t) a = m + 1; else b = m; } return a; };

  // At an event the value behind it, or the one before.
  function valueAt(x, values, t, isBefore = false) {
    let found = index(x, t);
    if (!isBefore) while (found < x.length && x[found] <= t) found++;
    const k = Math.min(Math.max(found, 1), x.length - 1);
    const [t0, t1] = [x[k - 1], x[k]];
    return t1 > t0 ? values[k - 1] + (values[k] - values[k - 1]) * Math.min(Math.max((t - t0) / (t1 - t0), 0), 1) : values[k];
  }

  // Curves of a panel: places, values of a name, and how they are shown.
  function curves(panel) {
    if (panel.own) return panel.own;
    const shown = runs.filter((r) => r.shown);
    const newest = shown[shown.length - 1];
    const out = [];
    for (const run of shown) {
      for (const name of panel.names) {
        const column = run.columns.get(name);
        if (!column) continue;
        const base = { name, run, isNewest: run === newest, unit: column.unit, factor: column.factor ?? 1, offset: column.offset ?? 0, prefixes: column.prefixes, literals: column.literals, first: column.first || 0 };
        if (mode === 'spectrum') {
          if (column.literals) continue;
          const s = spectrumOf(run, name);
          if (s && s.x) out.push({ ...base, x: s.x, values: s.values, offset: 0 });
        } else if (mode === 'difference') {
          const against = newest.columns.get(name);
          if (run === newest || !against) continue;
          let values = (run.differences ||= new Map()).get(name);
          if (!values || values.against !== newest.id) {
            const list = new Float64Array(run.time.length);
            for (let k = 0; k < list.length; k++) list[k] = column.values[k] - valueAt(newest.time, against.values, run.time[k], run.time[k + 1] === run.time[k]);
            values = { against: newest.id, list };
            run.differences.set(name, values);
          }
          out.push({ ...base, x: run.time, values: values.list, offset: 0, literals: null });
        } else {
          out.push({ ...base, x: run.time, values: column.values });
        }
      }
    }
    return out;
  }

  // Of the times that are shown; asked for once.
  function spectrumOf(run, name) {
    const [from, to] = ranges.time || [null, null];
    const key = `${name} ${from} ${to}`;
    run.spectra ||= new Map();
    if (!run.spectra.has(key)) {
      run.spectra.set(key, {});
      Promise.resolve(wantedSpectrum(run, name, from, to)).then((s) => {
        if (s && !s.failed) { run.spectra.set(key, { x: Float64Array.from(s.frequency), values: Float64Array.from(s.amplitude) }); draw(); }
      });
    }
    return run.spectra.get(key);
  }

  function ticks(low, high, count) {
    const raw = (high - low) / Math.max(count, 1), power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 2.5, 5, 10].find((n) => raw / power <= n * 1.0001) * power;
    const out = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && out.length < 50; k++) out.push(k * step);
    return out;
  }
  const short = (v) => (Math.abs(v) >= 1e5 || (v !== 0 && Math.abs(v) < 1e-4) ? v.toExponential(3).replace(/\.?0+e/, 'e') : String(Number(v.toPrecision(5)))).replace('-', '−');
  const PREFIXES = { '-15': 'f', '-12': 'p', '-9': 'n', '-6': 'µ', '-3': 'm', 3: 'k', 6: 'M', 9: 'G', 12: 'T' };
  // The same rule as in pictures of `ferrica plot`: which units take prefixes is said with the column.
  function prefix(largest, unit, isUsual) {
    if (!isUsual || largest === 0 || (largest >= 0.1 && largest < 1e4)) return [1, unit];
    const power = 3 * Math.floor(Math.log10(largest) / 3 + 1e-9);
    return PREFIXES[power] && (power < 0 || !/^(s|K|bar)\b/.test(unit)) ? [10 ** power, PREFIXES[power] + unit] : [1, unit];
  }
  const superscript = (n) => String(n).replace(/./g, (c) => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[c]));

  function drawPanel(panel) {
    const area = panel.canvas.getBoundingClientRect();
    const dense = window.devicePixelRatio || 1;
    const [w, h] = [Math.max(area.width, 40), Math.max(area.height, 30)];
    panel.canvas.width = w * dense;
    panel.canvas.height = h * dense;
    const g = panel.canvas.getContext('2d');
    g.scale(dense, dense);
    const list = curves(panel);
    const literals = list.length && list.every((c) => c.literals) && mode === 'values' ? list[0].literals : null;
    const [from, to] = panel.own ? panel.span : ranges[axis()] || whole();
    const shown = (c, v) => v * c.factor + c.offset;
    let low = Infinity, high = -Infinity;
    for (const c of list) {
      const [a, b] = [Math.max(index(c.x, from) - 1, 0), Math.min(index(c.x, to) + 1, c.x.length)];
      const [l, m] = extremes(c.values, a, b).map((v) => shown(c, v));
      if (l < low) low = l;
      if (m > high) high = m;
    }
    if (panel.isLog) { high = Math.max(high, 1e-15); low = Math.max(low, high * 1e-12, 1e-16); [low, high] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high) + 1e-9)]; }
    if (literals) [low, high] = [list[0].first - 0.2, list[0].first + literals.length - 0.8];
    if (!(low <= high)) { low = 0; high = 1; }
    if (low === high) { low -= Math.abs(low) * 0.05 || 0.5; high += Math.abs(high) * 0.05 || 0.5; }
    const units = [...new Set(list.map((c) => c.unit))];
    const isUsual = list.length > 0 && list.every((c) => c.prefixes);
    const [factor, unit] = units.length === 1 ? prefix(Math.max(Math.abs(low), Math.abs(high)), units[0], isUsual && !panel.isLog) : [1, units.join(', ')];
    if (!literals && !panel.isLog) { const margin = (high - low) * 0.05; low -= margin; high += margin; }
    g.font = '11px sans-serif';
    const yTicks = panel.isLog ? [] : ticks(low / factor, high / factor, h / 45);
    const labels = literals || yTicks.map(short);
    const edge = { left: Math.max(40, ...labels.map((t) => g.measureText(t).width + 12)), right: 10, top: 16, bottom: panel.isLow ? 6 : 20 };
    const x = (t) => edge.left + (t - from) / (to - from) * (w - edge.left - edge.right);
    const y = (v) => h - edge.bottom - (v - low) / (high - low) * (h - edge.top - edge.bottom);
    panel.scale = { from, to, x, edge, w };
    g.lineWidth = 1;
    g.fillStyle = css('--soft');
    g.strokeStyle = css('--line');
    const across = (p, text) => { g.beginPath(); g.moveTo(edge.left, p); g.lineTo(w - edge.right, p); g.stroke(); g.fillText(text, edge.left - 5, p + 4); };
    g.textAlign = 'center';
    for (const t of ticks(from, to, w / 90)) { g.beginPath(); g.moveTo(x(t), edge.top); g.lineTo(x(t), h - edge.bottom); g.stroke(); if (!panel.isLow) g.fillText(short(t), x(t), h - 6); }
    g.textAlign = 'right';
    if (literals) literals.forEach((text, k) => across(y(list[0].first + k), text));
    else if (panel.isLog) for (let e = low, every = Math.max(1, Math.ceil((high - low) / (h / 30))); e <= high; e += every) across(y(e), `10${superscript(e)}`);
    else yTicks.forEach((v) => across(y(v * factor), short(v)));
    g.textAlign = 'left';
    g.fillText((mode === 'values' || panel.own ? panel.title || '' : `${mode} `) + (unit && unit !== '1' ? `[${unit}]` : ''), 4, 11);
    g.textAlign = 'right';
    if (!panel.isLow) g.fillText(panel.own || mode !== 'spectrum' ? 'time [s]' : 'frequency [Hz]', w - edge.right, 11);
    g.save();
    g.beginPath();
    g.rect(edge.left, edge.top, w - edge.left - edge.right, h - edge.top - edge.bottom);
    g.clip();
    const put = panel.isLog ? (v) => y(Math.log10(Math.max(v, 1e-300))) : y;
    for (const c of list) curve(g, c, from, now === null || panel.own || mode === 'spectrum' ? to : Math.min(now, to), x, (v) => put(shown(c, v)), (w - edge.left - edge.right) * (to > from ? 1 : 0), to);
    const cursor = panel.cursor ?? (mode === 'spectrum' ? null : now);
    if (cursor !== null && !panel.own) { g.strokeStyle = css('--soft'); g.beginPath(); g.moveTo(x(cursor), 0); g.lineTo(x(cursor), h); g.stroke(); }
    if (panel.drag) { g.fillStyle = css('--accent'); g.globalAlpha = 0.15; g.fillRect(Math.min(...panel.drag), 0, Math.abs(panel.drag[1] - panel.drag[0]), h); }
    g.restore();
    legend(panel, list, cursor);
  }

  function curve(g, c, from, until, x, y, width, to) {
    const [a, b] = [Math.max(index(c.x, from) - 1, 0), Math.min(index(c.x, until) + 1, c.x.length)];
    g.strokeStyle = colour(c.name);
    g.lineWidth = c.isNewest ? 1.6 : 1;
    g.setLineDash(c.isNewest ? dashes(c.name) : [4, 3]);
    g.beginPath();
    const line = (k) => g.lineTo(x(c.x[k]), y(c.values[k]));
    const isHeld = c.literals;
    if (b - a <= 4 * width || isHeld) {
      for (let k = a; k < b; k++) {
        // Between rows a discrete value is held.
        if (isHeld && k > a && c.values[k] !== c.values[k - 1]) g.lineTo(x(c.x[k]), y(c.values[k - 1]));
        if (!isHeld || k === a || k + 1 === b || c.values[k] !== c.values[k - 1]) line(k);
      }
    } else {
      const step = (to - from) / width;
      for (let k = a, n = 0; k < b; n++) {
        const end = Math.max(Math.min(index(c.x, from + (n + 1) * step), b), k);
        if (end === k) { if (n > width + 1) { line(k); k++; } continue; }
        const [low, high] = extremes(c.values, k, end), at = x(c.x[k]);
        line(k);
        g.lineTo(at, y(low));
        g.lineTo(at, y(high));
        line(end - 1);
        k = end;
      }
    }
    g.stroke();
    g.setLineDash([]);
  }

  function shownValue(c, v) {
    if (c.literals) return c.literals[Math.round(v) - c.first] ?? String(v);
    const value = v * c.factor + c.offset;
    const [factor, unit] = prefix(Math.abs(value), c.unit, c.prefixes);
    return `${short(value / factor)} ${unit === '1' ? '' : unit}`;
  }

  function legend(panel, list, cursor) {
    panel.legend.replaceChildren(...panel.names.map((name) => {
      const item = document.createElement('span');
      item.dataset.name = name;
      const swatch = document.createElement('span');
      swatch.className = 'swatch';
      swatch.style.background = colour(name);
      const newest = list.filter((c) => c.name === name).pop();
      let text = name;
      if (newest && newest.values.length && mode !== 'spectrum') {
        const v = cursor === null || cursor === undefined ? newest.values[newest.values.length - 1] : valueAt(newest.x, newest.values, cursor);
        item.dataset.value = v;
        if (!panel.own) text += ` = ${shownValue(newest, v)}`;
      }
      item.append(swatch, text);
      if (!panel.own) {
        const close = document.createElement('button');
        close.textContent = '×';
        close.title = `Remove ${name}`;
        close.setAttribute('aria-label', close.title);
        close.onclick = () => remove(panel, name);
        item.append(close);
      }
      return item;
    }));
  }

  function listen(panel) {
    const { canvas } = panel;
    const place = (e) => { const s = panel.scale, area = canvas.getBoundingClientRect(); return s.from + (e.clientX - area.left - s.edge.left) / (s.w - s.edge.left - s.edge.right) * (s.to - s.from); };
    canvas.addEventListener('pointermove', (e) => {
      if (!panel.scale) return;
      const t = Math.min(Math.max(place(e), panel.scale.from), panel.scale.to);
      panels.forEach((p) => { p.cursor = t; });
      if (panel.drag) panel.drag[1] = e.clientX - canvas.getBoundingClientRect().left;
      if (mode !== 'spectrum') looked(t);
      draw();
    });
    canvas.addEventListener('pointerleave', () => { panels.forEach((p) => { p.cursor = null; }); looked(null); draw(); });
    canvas.addEventListener('pointerdown', (e) => { const at = e.clientX - canvas.getBoundingClientRect().left; panel.drag = [at, at]; panel.begun = place(e); canvas.setPointerCapture(e.pointerId); });
    canvas.addEventListener('pointerup', (e) => {
      if (panel.drag && Math.abs(panel.drag[1] - panel.drag[0]) > 6) ranges[axis()] = [panel.begun, place(e)].sort((a, b) => a - b);
      panel.drag = null;
      draw();
    });
    canvas.addEventListener('dblclick', () => { ranges[axis()] = null; draw(); });
    canvas.addEventListener('wheel', (e) => {
      e.preventDefault();
      const [from, to] = ranges[axis()] || whole(), at = place(e), f = Math.exp(e.deltaY * 0.0015);
      ranges[axis()] = [at - (at - from) * f, at + (to - at) * f];
      draw();
    }, { passive: false });
  }

  let due = false, took = 0;
  function draw() {
    if (due) return;
    due = true;
    requestAnimationFrame(() => { due = false; const began = performance.now(); panels.forEach(drawPanel); took = performance.now() - began; });
  }

  // A panel of its own with given curves over time, such as errors of several solvers.
  function alone(into, title, time, columns) {
    into.replaceChildren();
    const panel = newPanel(into);
    Object.assign(panel, { title, isLog: true, names: [...columns.keys()], span: [time[0], time[time.length - 1]] });
    panel.own = [...columns].map(([name, c]) => ({ name, x: time, values: c.values, isNewest: true, unit: '', factor: 1, offset: 0 }));
    requestAnimationFrame(() => drawPanel(panel));
    return panel;
  }

  addEventListener('resize', draw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  return {
    add, addPanel, draw, alone, drawPanel, whole, valueAt, shownValue, short,
    names: () => [...new Set(panels.flatMap((p) => p.names))],
    setRuns: (list) => { runs = list; draw(); },
    setMode: (m) => { mode = m; draw(); },
    setNow: (t) => { now = t; draw(); },
    all: () => { ranges[axis()] = null; draw(); },
    onWant: (f) => { wanted = f; },
    onSpectrum: (f) => { wantedSpectrum = f; },
    onLook: (f) => { looked = f; },
    took: () => took,
    canvases: () => panels.map((p) => p.canvas),
  };
})();
