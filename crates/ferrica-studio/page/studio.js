// What belongs together: text, model, values and runs.
'use strict';

const $ = (id) => document.getElementById(id);
const token = new URLSearchParams(location.search).get('token') || '';
const tab = crypto.randomUUID ? crypto.randomUUID() : String(Math.random());
const state = { model: null, set: {}, component: '', runs: [], parameters: [], variables: [], states: [] };

async function ask(what, wish = {}) {
  const answer = await fetch(`/api/${what}`, { method: 'POST', headers: { 'X-Ferrica-Token': token, 'Content-Type': 'application/json' }, body: JSON.stringify({ tab, ...wish }) });
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return answer;
}
const json = async (what, wish) => (await ask(what, wish)).json();

function say(text, isWrong = false) {
  $('status').textContent = text;
  $('status').classList.toggle('wrong', isWrong);
}

// The text.

let checking = 0;
async function check() {
  const number = ++checking;
  const answer = await json('check', { text: state.editable ? Editor.text() : null, model: $('model').value || undefined });
  if (number !== checking) return;
  Editor.show(answer.diagnostics || []);
  if (!answer.ok) {
    say(`${answer.diagnostics.length} message${answer.diagnostics.length === 1 ? '' : 's'}; the picture shows the last good text`, true);
    return;
  }
  const isOther = state.model !== answer.model;
  Object.assign(state, { model: answer.model, parameters: [...answer.inputs.map((p) => ({ ...p, isInput: true })), ...answer.parameters], variables: answer.variables, states: answer.states });
  if (isOther) {
    state.set = {};
    state.component = '';
    $('stop-time').value = answer.stop ?? 1;
  }
  // A component that the text no longer has is not chosen any more.
  if (state.chosen && !state.variables.some((v) => v.name.startsWith(`${state.chosen}.`))) state.chosen = '';
  for (const name of Object.keys(state.set)) if (!state.parameters.some((p) => p.name === name)) delete state.set[name];
  const models = answer.models || [answer.model];
  $('model').replaceChildren(...models.map((m) => new Option(m, m, false, m === answer.model)));
  $('title').textContent = answer.model;
  document.title = `${answer.model} – Ferrica studio`;
  say('checked');
  showParameters();
  showVariables();
  await showModel();
}

let pause = 0;
Editor.onInput(() => { clearTimeout(pause); pause = setTimeout(() => check().catch((e) => say(e.message, true)), 250); });
$('model').onchange = () => check();
$('save').onclick = async () => {
  const answer = await json('save', { text: Editor.text() });
  say(answer.failed ? answer.failed.message : `saved ${answer.saved}`, Boolean(answer.failed));
};

// The model.

async function showModel() {
  const shown = document.querySelector('#model-pane [aria-selected=true]').dataset.shows;
  if (shown === 'bond') {
    const answer = await json('bond');
    bondView.show(answer.svg || '');
    $('bond-report').textContent = answer.failed ? answer.failed.message : answer.report;
  } else if (shown === 'blocks') {
    const answer = await json('blocks');
    if (answer.failed) $('blocks').textContent = answer.failed.message;
    else Analyses.showBlocks(answer);
  } else {
    const answer = await json('diagram', { component: state.component });
    if (answer.failed) { say(answer.failed.message, true); return; }
    Diagram.show(answer.svg);
    Animation.setMoves(answer.moves);
    await animate();
  }
  showPath();
}

// The newest run on the diagram.
async function animate() {
  const newest = state.runs[state.runs.length - 1];
  await Animation.load(newest || null, state.variables);
}
Animation.onWant(fetchColumns);
Animation.onDraw((id, time) => json('diagram', { component: state.component, run: id, time }));
$('show-values').onchange = () => { if ($('show-values').checked) animate(); else Animation.clear(); };

function showPath() {
  const parts = state.component ? state.component.split('.') : [];
  const link = (text, to) => { const b = document.createElement('button'); b.textContent = text; b.onclick = () => open(to); return b; };
  $('path').replaceChildren(link(state.model || '', ''), ...parts.flatMap((p, k) => [' › ', link(p, parts.slice(0, k + 1).join('.'))]));
}

function open(component) {
  state.component = component;
  showModel();
  choose(component);
}

const bondView = movable($('bond-picture'));
Diagram.onChoose(choose);
Diagram.onOpen(open);

function choose(component) {
  state.chosen = component || state.component;
  showParameters();
  fetchLast();
}

// Parameters.

function showParameters() {
  const of = state.chosen || '';
  const words = $('filter').value.toLowerCase();
  $('selected').textContent = of ? `Parameters of ${of}` : 'Parameters';
  const list = state.parameters.filter((p) => (!of || p.name.startsWith(`${of}.`)) && p.name.toLowerCase().includes(words) && p.value !== null);
  $('values').replaceChildren(...list.slice(0, 200).map(row));
  if (of) $('values').append(...state.variables.filter((v) => v.name.startsWith(`${of}.`)).slice(0, 100).map(valueRow));
}

function row(p) {
  const value = state.set[p.name] ?? p.value;
  const line = document.createElement('tr');
  const name = document.createElement('td');
  name.textContent = state.chosen ? p.name.slice(state.chosen.length + 1) : p.name;
  name.title = p.name;
  name.classList.toggle('changed', p.name in state.set);
  const number = document.createElement('input');
  number.type = 'number';
  number.step = 'any';
  number.value = value;
  number.setAttribute('aria-label', p.name);
  const slider = document.createElement('input');
  slider.type = 'range';
  slider.setAttribute('aria-label', `Slider of ${p.name}`);
  // A positive value moves over two decades, others around their value.
  const isScaled = p.value > 0;
  const about = document.createElement('td');
  about.className = 'about';
  about.textContent = p.name in state.set ? `default ${Plots.short(p.value)}` : p.description || '';
  line.title = `${p.description || ''}${p.description ? '; ' : ''}default ${p.value} ${p.unit}`;
  const span = Math.abs(p.value) || 1;
  [slider.min, slider.max, slider.step] = isScaled ? [-1, 1, 0.01] : [p.value - span, p.value + span, span / 100];
  slider.value = isScaled ? Math.log10(value / p.value) : value;
  const unit = document.createElement('td');
  unit.textContent = p.unit;
  const change = (v, kind) => {
    if (!Number.isFinite(v)) return;
    state.set[p.name] = v;
    name.classList.add('changed');
    // A run along the clock takes an input at once; with another parameter it begins again.
    if (going && going.isLive) {
      if (p.isInput) ask('input', { name: p.name, value: v });
      else if (kind !== 'quick') { next = 'new'; ask('stop'); }
      return;
    }
    run(kind);
  };
  slider.oninput = () => { const v = isScaled ? Number((p.value * 10 ** slider.value).toPrecision(6)) : Number(slider.value); number.value = v; change(v, 'quick'); };
  slider.onchange = () => change(state.set[p.name], 'settled');
  number.onchange = () => { const v = Number(number.value); slider.value = isScaled ? Math.log10(v / p.value) : v; change(v, 'new'); };
  const cells = [number, slider].map((n) => { const c = document.createElement('td'); c.append(n); return c; });
  line.append(name, cells[0], unit, cells[1], about);
  return line;
}

function valueRow(v) {
  const line = document.createElement('tr');
  const last = state.last && state.last.values[v.name];
  const texts = [v.name.slice(state.chosen.length + 1), last === undefined || last === null ? '' : Plots.short(last), v.unit, '', v.description || ''];
  line.append(...texts.map((t) => { const c = document.createElement('td'); c.textContent = t; return c; }));
  line.lastChild.className = 'about';
  line.children[1].dataset.last = v.name;
  line.title = v.description || v.name;
  line.onclick = () => Plots.add(v.name);
  return line;
}

// Last values of the variables of the chosen component.
async function fetchLast() {
  const newest = state.runs[state.runs.length - 1], of = state.chosen || '';
  if (!newest || !of || (state.last && state.last.run === newest.id && state.last.of === of)) return;
  const names = state.variables.filter((v) => v.name.startsWith(`${of}.`)).slice(0, 100).map((v) => v.name);
  const values = await json('values', { run: newest.id, names });
  state.last = { run: newest.id, of, values: values.failed ? {} : values };
  // The rows stay: a slider may be in use.
  for (const cell of document.querySelectorAll('[data-last]')) { const v = state.last.values[cell.dataset.last]; if (typeof v === 'number') cell.textContent = Plots.short(v); }
}

$('filter').oninput = showParameters;
$('defaults').onclick = () => { state.set = {}; showParameters(); run(); };

// Runs.

const number = (id) => { const v = Number($(id).value); return $(id).value.trim() && Number.isFinite(v) ? v : undefined; };
let going = null, next = null;

// One run at a time; while one goes on, the newest wish waits. A slider that moves asks for `quick` runs with only what is shown, and for a
// `settled` one with all variables when it rests; both take the place of the run that it made before.
async function run(kind = 'new') {
  if (going) {
    next = kind;
    return;
  }
  if (kind === 'new' && $('live').checked) {
    await live();
    return;
  }
  const isQuick = kind === 'quick';
  going = { isQuick };
  $('stop').disabled = false;
  const began = performance.now();
  try {
    const shown = Plots.names(), columns = wantedColumns();
    const wish = { set: state.set, solver: $('solver').value, tolerance: number('tolerance'), stop: number('stop-time'), step: number('step'), points: number('points'), columns, quick: isQuick };
    const done = await receive(await ask('run', wish), running);
    if (done.failed) {
      say(done.stopped ? 'stopped' : `${done.failed.code || ''} ${done.failed.message}`, !done.stopped);
    } else {
      keep(done, kind);
      if (!shown.length) different(done).forEach((c) => Plots.add(c));
      say(`${done.rows} rows in ${(1e3 * done.seconds).toFixed(0)} ms${done.terminated ? `; ended: ${done.terminated}` : ''}`);
      state.latency = performance.now() - began;
    }
  } catch (e) {
    say(e.message, true);
  }
  going = null;
  $('stop').disabled = true;
  if (next !== null) { const again = next; next = null; run(again); }
}

// What is shown of this model, or at first some states; a formula is no name of a variable.
function wantedColumns() {
  const known = new Set(state.variables.map((v) => v.name));
  const shown = Plots.names().filter((n) => known.has(n) || / /.test(n));
  return shown.length ? shown : state.states.slice(0, 12).concat(state.variables.slice(0, state.states.length ? 0 : 4).map((v) => v.name));
}

// Each line of an answer as soon as it is there.
async function* lines(answer) {
  const reader = answer.body.getReader(), decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const parts = text.split('\n');
    text = parts.pop();
    for (const part of parts) if (part) yield JSON.parse(part);
  }
}

// A run along the clock: its curves grow while it goes on.
async function live() {
  going = { isLive: true };
  $('stop').disabled = false;
  let r = null, store = null;
  const append = (row) => {
    if (r.rows === store[0].length) store = store.map((a) => { const b = new Float64Array(2 * a.length); b.set(a); return b; });
    row.forEach((v, k) => { store[k][r.rows] = v ?? NaN; });
    r.rows += 1;
    r.time = store[0].subarray(0, r.rows);
    [...r.columns.values()].forEach((c, k) => { c.values = store[k + 1].subarray(0, r.rows); });
    if (r.rows === 2) {
      state.runs.push(r);
      if (state.runs.length > 8) state.runs.shift();
      Animation.reset();
      if (!Plots.names().some((n) => r.columns.has(n))) [...r.columns.keys()].slice(0, 4).forEach((c) => Plots.add(c));
      showRuns();
    } else if (r.rows > 2) Plots.setRuns(state.runs);
  };
  try {
    const wish = { set: state.set, solver: $('solver').value, tolerance: number('tolerance'), stop: number('stop-time'), step: number('step'), speed: Number($('speed').value), columns: wantedColumns(), component: state.component };
    for await (const line of lines(await ask('live', wish))) {
      if (line.begun) {
        const columns = new Map(line.begun.columns.map((c) => [c.name, { ...c, values: new Float64Array(0) }]));
        store = Array.from({ length: columns.size + 1 }, () => new Float64Array(1024));
        r = { id: 0, run: 0, rows: 0, time: new Float64Array(0), columns, isMoving: false, isLive: true, shown: true, label: `along the clock: ${$('solver').value}` };
      } else if (line.row) {
        append(line.row);
        if (line.svg) Diagram.renew(line.svg);
        say(`t = ${Plots.short(line.row[0])} s${line.late > 0.2 ? `, ${line.late.toFixed(1)} s behind the clock` : ''}`);
      } else if (line.failed) say(`${line.failed.code || ''} ${line.failed.message}`, true);
      else if (line.ended !== 'done') say(line.ended);
    }
  } catch (e) {
    say(e.message, true);
  }
  going = null;
  $('stop').disabled = true;
  animate();
  if (next !== null) { next = null; run(); }
}

const running = (s, t, what) => say(`running${what ? ` ${what}` : ''}, ${s.toFixed(1)} s${t === null ? '' : `, t = ${Number(t.toPrecision(4))} s`}`);

// Several solvers, each against an exact run.
async function compare() {
  if (going) return;
  going = { isQuick: false };
  $('stop').disabled = false;
  try {
    const shown = Plots.names();
    const columns = state.states.length ? state.states.slice(0, 200) : shown;
    const wish = { set: state.set, tolerance: number('tolerance'), stop: number('stop-time'), step: number('step'), columns, solvers: Analyses.chosen() };
    const done = await receive(await ask('compare', wish), running);
    if (done.failed) say(`${done.failed.code || ''} ${done.failed.message}`, true);
    else { Analyses.showComparison(done); say(`${done.table.length} solvers compared`); }
  } catch (e) {
    say(e.message, true);
  }
  going = null;
  $('stop').disabled = true;
}
$('compare-run').onclick = compare;

async function showEvents() {
  const newest = state.runs[state.runs.length - 1];
  if (!newest || $('events').hidden) return;
  const log = await json('events', { run: newest.id });
  if (!log.failed) Analyses.showEvents(log);
}

// Names of columns that are not the same as an earlier one, nor its mirror image: aliases are shown once, under the shortest name.
function different(done) {
  const dots = (n) => n.split('.').length;
  const out = [];
  for (const name of [...done.columns.keys()].sort((a, b) => dots(a) - dots(b))) {
    const { values } = done.columns.get(name);
    const like = (list, sign) => list.every((v, k) => v === sign * values[k]);
    const isSame = (other) => [1, -1].some((sign) => like(done.columns.get(other).values, sign));
    if (!out.some(isSame)) out.push(name);
  }
  return out.slice(0, 4);
}

// Lines while the run goes on, then the numbers.
async function receive(answer, progress) {
  const reader = answer.body.getReader();
  let bytes = new Uint8Array(0), head = null;
  const rest = [];
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    if (head) { rest.push(value); continue; }
    const joined = new Uint8Array(bytes.length + value.length);
    joined.set(bytes);
    joined.set(value, bytes.length);
    bytes = joined;
    for (let end = bytes.indexOf(10); end >= 0 && !head; end = bytes.indexOf(10)) {
      const line = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
      bytes = bytes.subarray(end + 1);
      if (line.seconds !== undefined) progress(line.seconds, line.time ?? null, line.what);
      else if (line.failed) return line;
      else { head = line.done; rest.push(bytes.slice()); }
    }
  }
  if (!head) throw new Error('the answer broke off');
  const all = new Uint8Array(rest.reduce((n, r) => n + r.length, 0));
  let at = 0;
  for (const r of rest) { all.set(r, at); at += r.length; }
  const column = (k) => new Float64Array(all.buffer, 8 * k * head.rows, head.rows);
  const columns = new Map(head.columns.map((c, k) => [c.name, { ...c, values: column(k + 1) }]));
  return { ...head, time: column(0), columns };
}

// A slider replaces the run that it made last; other runs stay beside each other.
function keep(done, kind) {
  const isQuick = kind === 'quick';
  const last = state.runs[state.runs.length - 1];
  if (kind !== 'new' && last && last.isMoving) state.runs.pop();
  const values = Object.entries(state.set).map(([n, v]) => `${n}=${Number(v.toPrecision(4))}`).join(' ');
  state.runs.push({ ...done, id: done.run, isMoving: kind !== 'new', shown: true, label: `${done.run}: ${$('solver').value}${values ? ` ${values}` : ''}` });
  if (state.runs.length > 8) state.runs.shift();
  Animation.reset();
  showRuns();
  if (!isQuick) { showEvents(); fetchLast(); animate(); }
}

function showRuns() {
  $('runs').replaceChildren(...state.runs.map((r) => {
    const item = document.createElement('li');
    const label = document.createElement('label');
    const box = document.createElement('input');
    box.type = 'checkbox';
    box.checked = r.shown;
    box.onchange = () => { r.shown = box.checked; Plots.setRuns(state.runs); };
    label.append(box, ` ${r.label}`);
    item.append(label);
    return item;
  }));
  Plots.setRuns(state.runs);
}

async function fetchColumns(r, names) {
  const more = await receive(await ask('columns', { run: r.id, columns: names }), () => {});
  if (!more.failed) for (const name of names) if (more.columns.has(name)) r.columns.set(name, more.columns.get(name));
}
Plots.onWant(async (name) => {
  for (const r of state.runs) if (!r.columns.has(name)) await fetchColumns(r, [name]);
  Plots.setRuns(state.runs);
});
Plots.onSpectrum((r, name, from, to) => json('spectrum', { run: r.id, name, from: from ?? undefined, to: to ?? undefined }));
Plots.onLook((t) => Animation.look(t));

$('run').onclick = () => run();
$('stop').onclick = () => ask('stop');
addEventListener('pagehide', () => { fetch('/api/stop', { method: 'POST', keepalive: true, headers: { 'X-Ferrica-Token': token }, body: JSON.stringify({ tab }) }); });

// Variables.

function showVariables() {
  const words = $('find').value.toLowerCase();
  const list = state.variables.filter((v) => v.name.toLowerCase().includes(words)).slice(0, 400);
  $('names').replaceChildren(...list.map((v) => {
    const item = document.createElement('li');
    item.tabIndex = 0;
    item.draggable = true;
    item.dataset.name = v.name;
    item.textContent = v.name;
    const more = document.createElement('small');
    more.textContent = ` ${v.unit ? `[${v.unit}] ` : ''}${v.description || ''}`;
    item.append(more);
    item.onclick = () => Plots.add(v.name);
    item.onkeydown = (e) => { if (e.key === 'Enter') Plots.add(v.name); };
    item.ondragstart = (e) => e.dataTransfer.setData('text/plain', v.name);
    return item;
  }));
}
$('find').oninput = showVariables;
$('find').onkeydown = (e) => { if (e.key === 'Enter' && $('find').value.trim()) Plots.add($('names').children.length === 1 ? $('names').firstChild.dataset.name : $('find').value.trim()); };
$('add-panel').onclick = () => Plots.addPanel();
$('mode').onchange = () => Plots.setMode($('mode').value);
$('reset-zoom').onclick = Plots.all;

async function exported(format) {
  const newest = state.runs[state.runs.length - 1];
  if (!newest) return;
  const answer = await ask('export', { run: newest.id, columns: Plots.names(), format });
  download(await answer.blob(), `${state.model}.${format}`);
}
function download(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
$('export-csv').onclick = () => exported('csv');
$('export-svg').onclick = () => exported('svg');
$('export-png').onclick = () => {
  const all = Plots.canvases();
  const sheet = document.createElement('canvas');
  sheet.width = Math.max(...all.map((c) => c.width), 1);
  sheet.height = all.reduce((n, c) => n + c.height, 0) || 1;
  const g = sheet.getContext('2d');
  g.fillStyle = getComputedStyle(document.body).getPropertyValue('--paper') || '#fff';
  g.fillRect(0, 0, sheet.width, sheet.height);
  let y = 0;
  for (const c of all) { g.drawImage(c, 0, y); y += c.height; }
  sheet.toBlob((blob) => download(blob, `${state.model}.png`));
};

// Libraries.

async function classes(list) {
  $('classes').replaceChildren(...list.map((c) => {
    const item = document.createElement('li');
    item.tabIndex = 0;
    item.textContent = `${c.open ? '▸ ' : ''}${c.name}`;
    const more = document.createElement('small');
    more.textContent = ` ${c.kind}${c.description ? ` – ${c.description}` : ''}`;
    item.append(more);
    const go = async () => { if (c.open) { classes([{ name: c.name.split('.').slice(0, -1).join('.'), kind: 'back', open: true }, ...await json('classes', { package: c.name })]); } about(c.name); };
    item.onclick = go;
    item.onkeydown = (e) => { if (e.key === 'Enter') go(); };
    return item;
  }));
}

async function about(name) {
  if (!name) return;
  const found = await json('about', { class: name });
  if (found.failed) return;
  const title = document.createElement('h3');
  title.textContent = `${found.kind} ${found.name}`;
  const text = document.createElement('p');
  text.textContent = found.description || '';
  const icon = document.createElement('div');
  icon.innerHTML = found.icon || '';
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', '');
  frame.title = `Documentation of ${found.name}`;
  frame.srcdoc = found.documentation || '<p>No documentation.</p>';
  $('about').replaceChildren(icon, title, text, frame);
}
let searching = 0;
$('search').oninput = () => {
  clearTimeout(searching);
  searching = setTimeout(async () => classes($('search').value.trim() ? await json('search', { words: $('search').value }) : await json('classes', { package: '' })), 250);
};

// Tabs and keys.

for (const button of document.querySelectorAll('[data-shows]')) {
  button.onclick = async () => {
    for (const other of button.parentElement.querySelectorAll('[data-shows]')) {
      other.setAttribute('aria-selected', String(other === button));
      $(other.dataset.shows).hidden = other !== button;
    }
    if (button.closest('#model-pane')) showModel();
    if (button.dataset.shows === 'events') showEvents();
    if (button.dataset.shows === 'curves') Plots.draw();
    if (button.dataset.shows === 'library' && !$('classes').children.length) classes(await json('classes', { package: '' }));
  };
}
addEventListener('keydown', (e) => {
  if ((e.ctrlKey || e.metaKey) && e.key === 'Enter') { e.preventDefault(); run(); }
  if ((e.ctrlKey || e.metaKey) && e.key === 's') { e.preventDefault(); if (state.editable) $('save').click(); }
  if (e.key === 'Escape' && going) ask('stop');
});

(async () => {
  const opened = await json('open');
  state.editable = opened.editable;
  $('save').disabled = !opened.editable;
  Editor.set(opened.text || '', opened.editable);
  $('solver').replaceChildren(...opened.solvers.map((s) => new Option(s, s)));
  $('solver').value = 'auto';
  Analyses.offer(opened.solvers);
  Plots.addPanel();
  await check();
})().catch((e) => say(e.message, true));
