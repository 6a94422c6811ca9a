// The page of a panel: a picture of the server and its text. Nothing in it runs.
"use strict";

function escaped(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

function page(answer) {
  const svg = answer.svg.slice(answer.svg.indexOf("<svg"));
  const text = answer.text ? `<pre>${escaped(answer.text)}</pre>` : "";
  const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";
  return `<!DOCTYPE html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<style>body{background:#fff;color:#222}svg{max-width:100%;height:auto}pre{white-space:pre-wrap}</style></head>
<body><h3>${escaped(answer.title)}</h3>${svg}${text}</body></html>`;
}

module.exports = { page };
