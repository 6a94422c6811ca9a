// Panels of curves over time. Of all points in one column of pixels only first, lowest, highest and last are drawn.
'use strict';

const Plots = (() => {
  const COLOURS = ['#1f6fb4', '#dd6b20', '#2b935a', '#c0395b', '#7558c4', '#149da6', '#c99400', '#8a5a44', '#d15fa6', '#5b6775'];
  const place = document.getElementById('panels');
  const order = [];       // names, each with a colour of its own in all panels
  const panels = [];
  let runs = [];          // {id, label, shown, time, columns: Map(name → {values, unit})}
  let range = null;       // shown times
  let active = 0;
  let isDifference = false;
  let wanted = () => {};

  const colour = (name) => {
    if (!order.includes(name)) order.push(name);
    return COLOURS[order.indexOf(name) % COLOURS.length];
  };
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function addPanel() {
    const node = document.createElement('div');
    node.className = 'panel';
    const canvas = document.createElement('canvas');
    const legend = document.createElement('div');
    legend.className = 'legend';
    node.append(canvas, legend);
    place.append(node);
    const panel = { node, canvas, legend, names: [], cursor: null, drag: null };
    panels.push(panel);
    active = panels.length - 1;
    node.addEventListener('pointerdown', () => { active = panels.indexOf(panel); mark(); }, true);
    node.addEventListener('dragover', (e) => e.preventDefault());
    node.addEventListener('drop', (e) => { e.preventDefault(); add(e.dataTransfer.getData('text/plain'), panels.indexOf(panel)); });
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
    wanted(name);
    draw();
  }

  function remove(panel, name) {
    panel.names = panel.names.filter((n) => n !== name);
    if (!panel.names.length && panels.length > 1) {
      panel.node.remove();
      panels.splice(panels.indexOf(panel), 1);
      active = Math.min(active, panels.length - 1);
      mark();
    }
    draw();
  }

  function whole() {
    let low = Infinity, high = -Infinity;
    for (const r of runs) if (r.shown && r.time.length) { low = Math.min(low, r.time[0]); high = Math.max(high, r.time[r.time.length - 1]); }
    return low < high ? [low, high] : [0, 1];
  }

  const index = (time, t) => { let a = 0, b = time.length; while (a < b) { const m = (a + b) >> 1; if (time[m] < t) a = m + 1; else b = m; } return a; };

  function valueAt(run, values, t) {
    const k = Math.min(Math.max(index(run.time, t), 1), run.time.length - 1);
    const [t0, t1] = [run.time[k - 1], run.time[k]];
    return t1 > t0 ? values[k - 1] + (values[k] - values[k - 1]) * Math.min(Math.max((t - t0) / (t1 - t0), 0), 1) : values[k];
  }

  // Curves of a panel: a run with the values of a name; with `difference`, earlier runs against the newest one.
  function curves(panel) {
    const shown = runs.filter((r) => r.shown);
    const newest = runs[runs.length - 1];
    const out = [];
    for (const name of panel.names) for (const run of shown) {
      const column = run.columns.get(name);
      if (!column) continue;
      let values = column.values;
      if (isDifference) {
        const base = newest && newest.columns.get(name);
        if (!base || run === newest) continue;
        values = Float64Array.from(run.time, (t, k) => column.values[k] - valueAt(newest, base.values, t));
      }
      out.push({ name, run, values, unit: column.unit, isNewest: run === newest });
    }
    return out;
  }

  function ticks(low, high, count) {
    const rough = (high - low) / Math.max(count, 1);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) || rough;
    const out = [];
    for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-9; v += step) out.push(Math.abs(v) < step * 1e-9 ? 0 : v);
    return out;
  }
  const PREFIXES = { '-12': 'p', '-9': 'n', '-6': 'µ', '-3': 'm', 0: '', 3: 'k', 6: 'M', 9: 'G' };
  const short = (v) => Number.isFinite(v) ? String(Number(v.toPrecision(5))) : String(v);
  // A power of a thousand and its letter, for units that take one.
  function prefix(largest, unit) {
    if (!/^(V|A|W|N|Hz|F|H|Ω|Pa|J|m|s|C|T|Wb|N·m|S)$/.test(unit) || !(largest > 0)) return [1, unit];
    const power = Math.min(Math.max(3 * Math.floor(Math.log10(largest) / 3 + 1e-9), -12), 9);
    return [10 ** power, PREFIXES[power] + unit];
  }

  function drawPanel(panel) {
    const area = panel.canvas.getBoundingClientRect();
    const dense = window.devicePixelRatio || 1;
    const [w, h] = [Math.max(area.width, 40), Math.max(area.height, 30)];
    panel.canvas.width = w * dense;
    panel.canvas.height = h * dense;
    const g = panel.canvas.getContext('2d');
    g.scale(dense, dense);
    const list = curves(panel);
    const [from, to] = range || whole();
    let low = Infinity, high = -Infinity;
    for (const c of list) {
      const [a, b] = [Math.max(index(c.run.time, from) - 1, 0), Math.min(index(c.run.time, to) + 1, c.run.time.length)];
      for (let k = a; k < b; k++) { const v = c.values[k]; if (v < low) low = v; if (v > high) high = v; }
    }
    if (!(low <= high)) { low = 0; high = 1; }
    if (low === high) { low -= Math.abs(low) * 0.05 || 0.5; high += Math.abs(high) * 0.05 || 0.5; }
    const units = [...new Set(list.map((c) => c.unit))];
    const [factor, unit] = units.length === 1 ? prefix(Math.max(Math.abs(low), Math.abs(high)), units[0]) : [1, units.join(', ')];
    const margin = (high - low) * 0.05;
    low -= margin; high += margin;
    const edge = { left: 52, right: 10, top: 16, bottom: 20 };
    const x = (t) => edge.left + (t - from) / (to - from) * (w - edge.left - edge.right);
    const y = (v) => h - edge.bottom - (v - low) / (high - low) * (h - edge.top - edge.bottom);
    panel.scale = { from, to, x, edge, w };
    g.font = '11px sans-serif';
    g.lineWidth = 1;
    g.fillStyle = css('--soft');
    g.strokeStyle = css('--line');
    g.textAlign = 'center';
    for (const t of ticks(from, to, w / 90)) { g.beginPath(); g.moveTo(x(t), edge.top); g.lineTo(x(t), h - edge.bottom); g.stroke(); g.fillText(short(t), x(t), h - 6); }
    g.textAlign = 'right';
    for (const v of ticks(low / factor, high / factor, h / 45)) { const p = y(v * factor); g.beginPath(); g.moveTo(edge.left, p); g.lineTo(w - edge.right, p); g.stroke(); g.fillText(short(v), edge.left - 4, p + 4); }
    g.textAlign = 'left';
    g.fillText((isDifference ? 'difference ' : '') + (unit ? `[${unit}]` : ''), 4, 11);
    g.textAlign = 'right';
    g.fillText('time [s]', w - edge.right, 11);
    g.save();
    g.beginPath();
    g.rect(edge.left, edge.top, w - edge.left - edge.right, h - edge.top - edge.bottom);
    g.clip();
    for (const c of list) curve(g, c, from, to, x, y, w - edge.left - edge.right);
    if (panel.cursor !== null) { g.strokeStyle = css('--soft'); g.beginPath(); g.moveTo(x(panel.cursor), 0); g.lineTo(x(panel.cursor), h); g.stroke(); }
    if (panel.drag) { g.fillStyle = css('--accent'); g.globalAlpha = 0.15; g.fillRect(Math.min(...panel.drag), 0, Math.abs(panel.drag[1] - panel.drag[0]), h); }
    g.restore();
    legend(panel, list, factor, unit);
  }

  function curve(g, c, from, to, x, y, width) {
    const { time } = c.run;
    const [a, b] = [Math.max(index(time, from) - 1, 0), Math.min(index(time, to) + 1, time.length)];
    g.strokeStyle = colour(c.name);
    g.lineWidth = c.isNewest ? 1.6 : 1;
    g.setLineDash(order.indexOf(c.name) >= COLOURS.length ? [7, 3] : c.isNewest ? [] : [4, 3]);
    g.beginPath();
    const line = (k) => g.lineTo(x(time[k]), y(c.values[k]));
    if (b - a <= 4 * width) {
      for (let k = a; k < b; k++) line(k);
    } else {
      const step = (to - from) / width;
      for (let k = a; k < b;) {
        const end = time[k] + step;
        let first = k, least = k, most = k;
        for (; k < b && time[k] < end; k++) { if (c.values[k] < c.values[least]) least = k; if (c.values[k] > c.values[most]) most = k; }
        if (k === first) k++;
        [first, Math.min(least, most), Math.max(least, most), k - 1].forEach(line);
      }
    }
    g.stroke();
    g.setLineDash([]);
  }

  function legend(panel, list, factor, unit) {
    panel.legend.replaceChildren(...panel.names.map((name) => {
      const item = document.createElement('span');
      item.dataset.name = name;
      const swatch = document.createElement('span');
      swatch.className = 'swatch';
      swatch.style.background = colour(name);
      const newest = list.filter((c) => c.name === name).pop();
      let text = name;
      if (newest && newest.values.length) {
        const v = panel.cursor === null ? newest.values[newest.values.length - 1] : valueAt(newest.run, newest.values, panel.cursor);
        item.dataset.value = v;
        text += ` = ${short(v / factor)} ${unit}`;
      }
      const close = document.createElement('button');
      close.textContent = '×';
      close.title = `Remove ${name}`;
      close.onclick = () => remove(panel, name);
      item.append(swatch, text, close);
      return item;
    }));
  }

  function listen(panel) {
    const { canvas } = panel;
    const time = (e) => { const s = panel.scale, area = canvas.getBoundingClientRect(); return s.from + (e.clientX - area.left - s.edge.left) / (s.w - s.edge.left - s.edge.right) * (s.to - s.from); };
    canvas.addEventListener('pointermove', (e) => {
      if (!panel.scale) return;
      const t = Math.min(Math.max(time(e), panel.scale.from), panel.scale.to);
      panels.forEach((p) => { p.cursor = t; });
      if (panel.drag) panel.drag[1] = e.clientX - canvas.getBoundingClientRect().left;
      draw();
    });
    canvas.addEventListener('pointerleave', () => { panels.forEach((p) => { p.cursor = null; }); draw(); });
    canvas.addEventListener('pointerdown', (e) => { const at = e.clientX - canvas.getBoundingClientRect().left; panel.drag = [at, at]; panel.begun = time(e); canvas.setPointerCapture(e.pointerId); });
    canvas.addEventListener('pointerup', (e) => {
      if (panel.drag && Math.abs(panel.drag[1] - panel.drag[0]) > 6) range = [panel.begun, time(e)].sort((a, b) => a - b);
      panel.drag = null;
      draw();
    });
    canvas.addEventListener('dblclick', () => { range = null; draw(); });
    canvas.addEventListener('wheel', (e) => {
      e.preventDefault();
      const [from, to] = range || whole(), at = time(e), f = Math.exp(e.deltaY * 0.0015);
      range = [at - (at - from) * f, at + (to - at) * f];
      draw();
    }, { passive: false });
  }

  let due = false;
  function draw() {
    if (due) return;
    due = true;
    requestAnimationFrame(() => { due = false; panels.forEach(drawPanel); });
  }

  addEventListener('resize', draw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  return {
    add, addPanel, draw,
    names: () => [...new Set(panels.flatMap((p) => p.names))],
    setRuns: (list) => { runs = list; draw(); },
    setDifference: (on) => { isDifference = on; draw(); },
    all: () => { range = null; draw(); },
    onWant: (f) => { wanted = f; },
    canvases: () => panels.map((p) => p.canvas),
  };
})();
