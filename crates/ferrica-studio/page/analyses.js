// Beside the curves: several solvers compared, and the log of events.
'use strict';

const Analyses = (() => {
  const USUAL = ['auto', 'bdf', 'radau', 'dopri5', 'liqss2'];
  const get = (id) => document.getElementById(id);
  const cell = (text) => { const c = document.createElement('td'); c.textContent = text; return c; };

  function offer(solvers) {
    get('compared').replaceChildren(...solvers.map((s) => {
      const label = document.createElement('label'), box = document.createElement('input');
      box.type = 'checkbox';
      box.value = s;
      box.checked = USUAL.includes(s);
      label.append(box, ` ${s}`);
      return label;
    }));
  }
  const chosen = () => [...get('compared').querySelectorAll('input:checked')].map((b) => b.value);

  function showComparison(done) {
    get('comparison').replaceChildren(...done.table.map((r) => {
      const row = document.createElement('tr');
      row.dataset.solver = r.solver;
      if (r.failed) { const why = cell(`${r.failed.code || ''} ${r.failed.message}`); why.colSpan = 4; row.append(cell(r.solver), why); return row; }
      row.append(cell(r.solver), cell(r.largest.toExponential(2)), cell(r.rms.toExponential(2)), cell(r.steps), cell(`${(1e3 * r.seconds).toFixed(1)} ms`));
      return row;
    }));
    get('reference').textContent = `Error of ${done.compared.join(', ')} in parts of their range, against ${done.reference}.`;
    Plots.alone(get('errors'), 'error', done.time, done.columns);
  }

  function showEvents(log) {
    get('event-count').textContent = log.count === 0 ? 'No events.' : `${log.count} event${log.count === 1 ? '' : 's'}${log.count > log.events.length ? `, the first ${log.events.length}` : ''}`;
    get('event-list').replaceChildren(...log.events.map((e) => {
      const row = document.createElement('tr');
      const what = e.changes.map((c) => `${c.name}: ${c.from} → ${c.to}`).join('\n');
      row.append(cell(String(Number(e.time.toPrecision(9)))), cell(what || '—'));
      return row;
    }));
  }

  // Blocks in the order of their evaluation; loops stand out.
  function showBlocks(answer) {
    const loops = answer.blocks.filter((b) => b.kind !== 'assignment');
    const size = (b) => b.iterates.length + b.follow.length;
    const head = document.createElement('p');
    const sizes = loops.map((b) => `${b.kind} of ${size(b)}${b.follow.length ? `, torn to ${b.iterates.length}` : ''}`);
    head.textContent = `${answer.count} block${answer.count === 1 ? "" : "s"}, ${answer.states.length} state${answer.states.length === 1 ? "" : "s"}, ${loops.length ? `${loops.length} loop${loops.length === 1 ? '' : 's'}: ${sizes.slice(0, 12).join('; ')}` : 'no loops'}; ${answer.initial} blocks at the start.`;
    get('blocks').replaceChildren(head, staircase(answer.blocks, size), ...answer.blocks.map((b, k) => {
      const item = document.createElement('details');
      item.className = b.kind;
      const title = document.createElement('summary');
      title.textContent = b.kind === 'assignment' ? `${k + 1}  ${b.follow[0]}` : `${k + 1}  ${b.kind} loop: iterates over ${b.iterates.join(', ')}${b.follow.length ? `; torn: ${b.follow.join(', ')} follow` : ''}`;
      const text = document.createElement('pre');
      text.textContent = b.text;
      item.append(title, text);
      return item;
    }));
  }

  // The block lower triangular form: one square a block along the diagonal.
  function staircase(blocks, size) {
    const count = blocks.reduce((n, b) => n + size(b), 0) || 1;
    const fills = { assignment: 'var(--soft)', linear: 'var(--accent)', nonlinear: 'var(--wrong)' };
    let at = 0;
    const squares = blocks.map((b) => {
      const n = size(b), from = at;
      at += n;
      return `<rect x="${from}" y="${from}" width="${n}" height="${n}" fill="${fills[b.kind]}"/>`;
    });
    const holder = document.createElement('div');
    holder.className = 'staircase';
    holder.innerHTML = `<svg viewBox="0 0 ${count} ${count}" role="img" aria-label="Blocks along the diagonal"><path d="M0 0V${count}H${count}Z" fill="var(--ground)"/>${squares.join('')}</svg>`;
    return holder;
  }

  return { offer, chosen, showComparison, showEvents, showBlocks };
})();
