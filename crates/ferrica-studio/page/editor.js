// The text: colours behind a text area, messages at their places.
'use strict';

const Editor = (() => {
  const source = document.getElementById('source');
  const colours = document.getElementById('colours');
  const lines = document.getElementById('lines');
  const list = document.getElementById('messages');
  const KEYWORDS = new Set(('algorithm and annotation block break class connect connector constant constrainedby der discrete each else elseif '
    + 'elsewhen encapsulated end enumeration equation expandable extends external false final flow for function if import impure in initial '
    + 'inner input loop model not operator or outer output package parameter partial protected public pure record redeclare replaceable return '
    + 'stream then true type when while within').split(' '));
  const TYPES = new Set(['Real', 'Integer', 'Boolean', 'String', 'Clock']);
  const WORDS = /(\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|("(?:\\[\s\S]|[^"\\])*(?:"|$))|('(?:\\.|[^'\\\n])*')|(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)/g;
  let messages = [];

  const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

  function coloured(text) {
    let out = '', at = 0;
    for (const found of text.matchAll(WORDS)) {
      out += escaped(text.slice(at, found.index));
      const [word, comment, string, quoted, number, name] = found;
      const kind = comment ? 'c' : string ? 's' : number ? 'n' : name && KEYWORDS.has(name) ? 'k' : name && TYPES.has(name) ? 't' : '';
      out += kind && !quoted ? `<span class="${kind}">${escaped(word)}</span>` : escaped(word);
      at = found.index + word.length;
    }
    return out + escaped(text.slice(at)) + '\n';
  }

  // Pieces of the text, in order, with the class of the message that is about them.
  function marks(text) {
    const starts = [0];
    for (let k = 0; k < text.length; k++) if (text[k] === '\n') starts.push(k + 1);
    const out = [];
    for (const m of messages) {
      if (!m.line || m.line > starts.length) continue;
      const start = Math.min(starts[m.line - 1] + (m.column || 1) - 1, text.length);
      const word = /^[\w.]+/.exec(text.slice(start));
      out.push([start, start + (word ? word[0].length : 1), m.error ? 'bad' : 'odd']);
    }
    return out.sort((a, b) => a[0] - b[0]);
  }

  function paint() {
    const text = source.value;
    let html = '', at = 0;
    for (const [start, end, kind] of marks(text)) {
      if (start < at) continue;
      html += coloured(text.slice(at, start)).slice(0, -1) + `<span class="${kind}">` + coloured(text.slice(start, end)).slice(0, -1) + '</span>';
      at = end;
    }
    colours.innerHTML = html + coloured(text.slice(at));
    const wrong = new Set(messages.filter((m) => m.error).map((m) => m.line));
    const count = text.split('\n').length;
    lines.innerHTML = Array.from({ length: count }, (_, k) => wrong.has(k + 1) ? `<span class="wrong">${k + 1}</span>` : k + 1).join('\n') + '\n';
  }

  function show(found) {
    messages = found;
    list.replaceChildren(...found.map((m) => {
      const item = document.createElement('li');
      item.className = m.error ? 'wrong' : 'warning';
      item.tabIndex = 0;
      const code = document.createElement('b');
      code.textContent = `${m.code} ${m.line ? `line ${m.line}` : ''} `;
      item.append(code, m.message);
      if (m.hint) {
        const hint = document.createElement('span');
        hint.className = 'hint';
        hint.textContent = m.hint;
        item.append(hint);
      }
      item.onclick = () => go(m);
      item.onkeydown = (e) => { if (e.key === 'Enter') go(m); };
      return item;
    }));
    paint();
  }

  function go(m) {
    if (!m.line) return;
    const before = source.value.split('\n').slice(0, m.line - 1).join('\n').length + (m.line > 1 ? 1 : 0);
    const at = before + (m.column || 1) - 1;
    source.focus();
    source.setSelectionRange(at, at);
  }

  function set(text, editable) {
    source.value = text;
    source.readOnly = !editable;
    paint();
  }

  source.addEventListener('keydown', (e) => {
    if (e.key !== 'Tab' || e.shiftKey || e.ctrlKey) return;
    e.preventDefault();
    source.setRangeText('  ', source.selectionStart, source.selectionEnd, 'end');
    source.dispatchEvent(new Event('input'));
  });
  source.addEventListener('input', paint);
  return { set, show, text: () => source.value, onInput: (f) => source.addEventListener('input', f) };
})();
