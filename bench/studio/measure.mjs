// How fast the studio answers: node measure.mjs FERRICA CHROMIUM NAME PARAMETER [arguments of `ferrica studio` …]
//
// Prints times in a browser: first paint, slider to redrawn curves (median of 21), and frames of a result of 10^6 points x 10 curves
// (median of 21 redraws while it is zoomed).
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(join(process.env.PLAYWRIGHT_FOLDER || process.cwd(), 'package.json'));
const { chromium } = require('playwright-core');
const [ferrica, browserPath, name, parameter, ...args] = process.argv.slice(2);
const server = spawn(ferrica, ['studio', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
const url = await new Promise((resolve) => server.stdout.once('data', (d) => resolve(String(d).trim())));
const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
try {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 720 } })).newPage();
  await page.goto(url);
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
  await page.waitForFunction(() => document.getElementById('status').textContent.includes('checked'), null, { timeout: 120000 });
  await page.click('#run');
  await page.waitForFunction(() => document.getElementById('status').textContent.includes('rows in'), null, { timeout: 120000 });
  await page.fill('#filter', parameter);
  const slider = page.locator(`input[aria-label="Slider of ${parameter}"]`);
  await slider.waitFor();
  // From the event of the slider to the frame after the curves of its run are drawn.
  const times = [];
  for (let k = 0; k < 21; k++) {
    times.push(await slider.evaluate((s, k) => new Promise((resolve) => {
      const began = performance.now(), newest = () => state.runs[state.runs.length - 1], before = newest();
      s.value = 0.02 * (k + 1);
      s.dispatchEvent(new Event('input'));
      const look = () => (newest() !== before ? requestAnimationFrame(() => resolve(performance.now() - began)) : setTimeout(look, 0));
      look();
    }), k));
    await page.waitForTimeout(30);
  }
  const many = await page.evaluate(() => new Promise((resolve) => {
    const n = 1e6, time = Float64Array.from({ length: n }, (_, k) => k / n);
    const columns = new Map();
    for (let c = 0; c < 10; c++) { const values = new Float64Array(n); for (let k = 0; k < n; k++) values[k] = Math.sin(k * (c + 1) * 1e-3) + 0.1 * Math.sin(k * 1.7); columns.set(`many${c}`, { values, unit: 'V', factor: 1, offset: 0 }); }
    state.runs.push({ id: -1, label: 'many', shown: true, time, columns, rows: n });
    state.runs.forEach((r) => { r.shown = r.id === -1; });
    Plots.setRuns(state.runs);
    for (const c of columns.keys()) Plots.add(c);
    const canvas = document.querySelector('.panel canvas'), box = canvas.getBoundingClientRect(), frames = [];
    let k = 0;
    const zoom = () => {
      canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: -60, clientX: box.x + box.width / 2, clientY: box.y + 50, cancelable: true }));
      requestAnimationFrame(() => { frames.push(Plots.took()); if (++k < 22) setTimeout(zoom, 20); else resolve(frames); });
    };
    setTimeout(zoom, 500);
  }));
  console.log(`${name}: first paint ${paint.toFixed(0)} ms; slider to curves ${median(times).toFixed(0)} ms (worst ${Math.max(...times).toFixed(0)}); 10^6 x 10 redrawn in ${median(many).toFixed(1)} ms (worst ${Math.max(...many).toFixed(1)})`);
} finally {
  await browser.close();
  server.kill();
}
