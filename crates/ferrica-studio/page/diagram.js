// Pictures that can be moved and enlarged.
'use strict';

// Zoom with the wheel or plus and minus, move by dragging or with the arrows, all with 0.
function movable(frame) {
  let box = null, whole = null, drag = null;
  const pointers = new Map();

  // The box of all that is drawn, with a margin: the page of a picture may be much larger.
  const MARGIN = 0.03;
  function drawn(picture) {
    const page = [...picture.children].find((n) => n.tagName === 'rect');
    const shapes = [...picture.children].filter((n) => n !== page && n instanceof SVGGraphicsElement && n.tagName !== 'defs');
    const boxes = shapes.map((n) => n.getBBox()).filter((b) => b.width > 0 || b.height > 0);
    if (!boxes.length) return null;
    const [left, top] = [Math.min(...boxes.map((b) => b.x)), Math.min(...boxes.map((b) => b.y))];
    const [width, height] = [Math.max(...boxes.map((b) => b.x + b.width)) - left, Math.max(...boxes.map((b) => b.y + b.height)) - top];
    const gap = MARGIN * Math.max(width, height);
    return [left - gap, top - gap, width + 2 * gap, height + 2 * gap];
  }

  function svg() { return frame.querySelector('svg'); }

  function apply() {
    const picture = svg();
    if (picture && box) picture.setAttribute('viewBox', box.join(' '));
  }

  function zoom(factor, x = 0.5, y = 0.5) {
    if (!box) return;
    const [left, top, width, height] = box;
    box = [left + width * (1 - factor) * x, top + height * (1 - factor) * y, width * factor, height * factor];
    apply();
  }

  function move(dx, dy) {
    if (!box) return;
    box = [box[0] + dx * box[2], box[1] + dy * box[3], box[2], box[3]];
    apply();
  }

  frame.addEventListener('wheel', (e) => {
    e.preventDefault();
    const area = frame.getBoundingClientRect();
    zoom(Math.exp(e.deltaY * 0.0015), (e.clientX - area.left) / area.width, (e.clientY - area.top) / area.height);
  }, { passive: false });
  frame.addEventListener('pointerdown', (e) => {
    pointers.set(e.pointerId, [e.clientX, e.clientY]);
    drag = { x: e.clientX, y: e.clientY, moved: false };
  });
  frame.addEventListener('pointermove', (e) => {
    if (!pointers.has(e.pointerId) || !drag) return;
    const area = frame.getBoundingClientRect();
    if (pointers.size === 2) {
      const spread = () => { const [a, b] = [...pointers.values()]; return Math.hypot(a[0] - b[0], a[1] - b[1]); };
      const before = spread();
      pointers.set(e.pointerId, [e.clientX, e.clientY]);
      zoom(before / Math.max(spread(), 1));
      drag.moved = true;
      return;
    }
    pointers.set(e.pointerId, [e.clientX, e.clientY]);
    const [dx, dy] = [e.clientX - drag.x, e.clientY - drag.y];
    if (!drag.moved && Math.hypot(dx, dy) < 5) return;
    drag.moved = true;
    move(-dx / area.width, -dy / area.height);
    drag.x = e.clientX; drag.y = e.clientY;
  });
  const up = (e) => pointers.delete(e.pointerId);
  frame.addEventListener('pointerup', up);
  frame.addEventListener('pointerleave', up);
  frame.addEventListener('pointercancel', up);
  frame.addEventListener('keydown', (e) => {
    const step = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[e.key];
    if (step) { move(...step); e.preventDefault(); }
    if (e.key === '+') zoom(0.8);
    if (e.key === '-') zoom(1.25);
    if (e.key === '0') { box = whole && [...whole]; apply(); }
  });

  return {
    show(text) {
      frame.innerHTML = text;
      const picture = svg();
      if (!picture) return;
      const before = String(whole);
      whole = drawn(picture) || (picture.getAttribute('viewBox') || '0 0 100 100').split(' ').map(Number);
      // While one types the picture stays as it was zoomed, if its size does.
      if (!box || String(whole) !== before) box = [...whole];
      apply();
      picture.removeAttribute('width');
      picture.removeAttribute('height');
    },
    wasMoved: () => Boolean(drag && drag.moved),
  };
}

const Diagram = (() => {
  const frame = document.getElementById('diagram');
  const view = movable(frame);
  let chosen = () => {}, opened = () => {};

  const component = (e) => e.target.closest && e.target.closest('.component');
  frame.addEventListener('click', (e) => {
    if (view.wasMoved()) return;
    frame.querySelectorAll('.chosen').forEach((g) => g.classList.remove('chosen'));
    const group = component(e);
    if (group) group.classList.add('chosen');
    chosen(group ? group.id : '');
  });
  frame.addEventListener('dblclick', (e) => {
    const group = component(e);
    if (group) opened(group.id);
  });
  // With the keyboard: Tab to a component, Enter chooses it, Enter again opens it.
  frame.addEventListener('keydown', (e) => {
    const group = component(e);
    if (e.key !== 'Enter' || !group) return;
    if (group.classList.contains('chosen')) { opened(group.id); return; }
    frame.querySelectorAll('.chosen').forEach((g) => g.classList.remove('chosen'));
    group.classList.add('chosen');
    chosen(group.id);
  });
  function show(text) {
    view.show(text);
    for (const group of frame.querySelectorAll('.component')) {
      group.setAttribute('tabindex', '0');
      group.setAttribute('role', 'button');
      group.setAttribute('aria-label', group.id);
    }
  }
  // The same diagram at another instant of a run: groups stay, so that focus and choice do, and lines keep their colours.
  function renew(text) {
    const sheet = document.createElement('template');
    sheet.innerHTML = text;
    const from = sheet.content.querySelector('svg'), to = frame.querySelector('svg');
    if (!from || !to) return;
    const isGroup = (n) => n.matches('g[id]');
    const groups = new Map([...to.children].filter(isGroup).map((n) => [n.id, n]));
    for (const group of from.children) {
      const old = isGroup(group) && !group.matches('.connection') && groups.get(group.id);
      if (old && old.innerHTML !== group.innerHTML) old.replaceChildren(...group.childNodes);
    }
    const loose = (svg) => [...svg.children].filter((n) => !isGroup(n));
    const whole = (list) => list.map((n) => n.outerHTML).join('');
    if (whole(loose(from)) === whole(loose(to))) return;
    const first = [...to.children].find(isGroup) || null, before = loose(to);
    loose(from).forEach((n) => to.insertBefore(n, first));
    before.forEach((n) => n.remove());
  }
  return {
    show,
    renew,
    onChoose: (f) => { chosen = f; },
    onOpen: (f) => { opened = f; },
  };
})();
