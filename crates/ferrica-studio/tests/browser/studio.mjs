// Drives the studio in a browser: node studio.mjs FERRICA FILE.mo CHROMIUM [FOLDER for screenshots]
//
// Prints one line a step that held and ends with code 1 at the first that did not.
import { spawn, execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync, mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const require = createRequire(join(process.env.PLAYWRIGHT_FOLDER || process.cwd(), 'package.json'));
const { chromium } = require('playwright-core');
const [ferrica, file, browserPath, pictures] = process.argv.slice(2);
const original = readFileSync(file, 'utf8');

const server = spawn(ferrica, ['studio', file], { stdio: ['ignore', 'pipe', 'inherit'] });
const url = await new Promise((resolve) => server.stdout.once('data', (d) => resolve(String(d).trim())));
const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
const check = (holds, what) => { if (!holds) throw new Error(what); console.log(`ok: ${what}`); };
const near = (a, b, part) => Math.abs(a - b) <= part * Math.max(Math.abs(a), Math.abs(b));
let code = 1;
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  const page = await context.newPage();
  const hosts = new Set();
  page.on('request', (r) => { if (r.url().startsWith('http')) hosts.add(new URL(r.url()).host); });
  page.on('pageerror', (e) => { console.error(e); process.exitCode = 1; });
  const status = (text) => page.waitForFunction((t) => document.getElementById('status').textContent.includes(t), text, { timeout: 60000 });
  const shot = async (name) => { if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`) }); };
  const final = (name) => page.locator(`.legend [data-name="${name}"]`).first().getAttribute('data-value').then(Number);

  await page.goto(url);
  await status('checked');
  await page.waitForSelector('#diagram svg #R');
  check(true, 'the page opens with the diagram');

  const broken = original.replace('Resistor R', 'Resistr R');
  await page.fill('#source', broken);
  await page.waitForSelector('#colours .bad');
  check((await page.textContent('#messages')).includes('E0202'), 'a mistake is marked at its place, with its code');
  check(await page.locator('#diagram svg #R').count() === 1, 'the last good diagram stays');
  await page.fill('#source', original);
  await status('checked');
  check(await page.locator('#messages li').count() === 0, 'mended text has no messages');

  await page.click('#run');
  await status('rows in');
  await page.waitForSelector('.legend [data-name="C.v"][data-value]');
  const expected = (set) => {
    const out = join(mkdtempSync(join(tmpdir(), 'studio-')), 'r.csv');
    execFileSync(ferrica, ['run', file, '-o', out, '--quiet', ...set]);
    const rows = readFileSync(out, 'utf8').trim().split('\n');
    const column = rows[0].split(',').indexOf('C.v');
    return Number(rows[rows.length - 1].split(',')[column]);
  };
  check(near(await final('C.v'), expected([]), 1e-9), 'the final value is that of `ferrica run`');

  await page.click('#diagram svg #R', { force: true });
  await page.waitForFunction(() => document.getElementById('selected').textContent.includes('R'));
  const slider = page.locator('input[aria-label="Slider of R.R"]');
  await slider.focus();
  for (let k = 0; k < 30; k++) await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => document.getElementById('stop').disabled);
  await status('rows in');
  const R = await page.locator('input[aria-label="R.R"]').inputValue();
  await page.waitForFunction((r) => [...document.querySelectorAll('#runs li')].pop().textContent.includes(`R.R=${Number(Number(r).toPrecision(4))}`), R);
  await page.waitForTimeout(300);
  check(near(await final('C.v'), expected(['-p', `R.R=${R}`]), 1e-9), `a slider gives the value of \`ferrica run -p R.R=${R}\``);
  check(await page.locator('#runs li').count() === 2, 'two runs lie over each other');
  console.log(`slider to plot: ${(await page.evaluate(() => state.latency)).toFixed(0)} ms`);
  await shot('light-1280');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForTimeout(200);
  await shot('dark-1280');
  await page.setViewportSize({ width: 820, height: 1180 });
  await page.waitForTimeout(200);
  await shot('dark-tablet');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 720 });

  await page.focus('#diagram svg #C');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.getElementById('selected').textContent.includes('C'));
  check((await page.textContent('#values')).includes('Capacitance'), 'a component is chosen with the keyboard; its parameters have descriptions');
  await page.waitForFunction(() => [...document.querySelectorAll('#values tr')].some((r) => r.children[0].textContent === 'v' && r.children[1].textContent.startsWith('4.')));
  check(true, 'its variables have their last values');
  await page.dblclick('#diagram svg #R', { force: true });
  await page.waitForFunction(() => document.getElementById('path').textContent.includes('› R'));
  check(true, 'a component opens');
  await page.click('[data-shows=bond]');
  await page.waitForSelector('#bond-picture svg');
  check((await page.textContent('#bond-report')).length > 20, 'the bond graph comes with its diagnosis');
  await shot('bond');
  await page.click('[data-shows=blocks]');
  await page.waitForSelector('#blocks details');
  check((await page.textContent('#blocks')).includes('der(C.v)') && await page.locator('#blocks svg rect').count() > 3, 'the sorted blocks are shown, with the form of the system');
  await shot('blocks');
  await page.click('[data-shows=diagram]');
  await page.click('#path button');
  await page.waitForSelector('#diagram svg #C');

  // Values on the diagram, at the end and along the clock.
  await page.check('#show-values');
  await page.waitForSelector('#diagram text.value');
  const onDiagram = () => page.locator('#diagram [id="R.n--C.p"]').getAttribute('data-value').then(Number);
  check(near(await onDiagram(), await final('C.v'), 1e-9), 'a connection shows the potential at the end of the run');
  await page.selectOption('#speed', '1');
  await page.click('#play');
  await page.waitForFunction(() => /t = 0\.[1-9]/.test(document.getElementById('clock').textContent));
  const early = await onDiagram();
  check(early < await page.evaluate(() => { const r = state.runs[state.runs.length - 1]; return r.columns.get('C.v').values[r.rows - 1]; }), 'the run plays along the clock');
  await shot('playing');
  await page.waitForFunction(() => document.getElementById('clock').textContent === 't = 1 s');
  await page.dblclick('#play-time');

  // A run along the clock: a text with an input, whose slider acts while the curves grow.
  await page.fill('#source', 'model RC input Real u(start = 1); Real h(start = 1, fixed = true); equation 0.2*der(h) = u - h; end RC;');
  await page.waitForSelector('input[aria-label="u"]');
  await page.fill('#stop-time', '60');
  await page.check('#live');
  await page.click('#run');
  await page.waitForFunction(() => { const r = state.runs[state.runs.length - 1]; return r && r.isLive && r.rows > 5; });
  const inflow = page.locator('input[aria-label="u"]');
  await inflow.fill('3');
  await inflow.press('Enter');
  await page.waitForFunction(() => { const r = state.runs[state.runs.length - 1]; return r.columns.get('h').values[r.rows - 1] > 2.5; });
  await shot('live');
  await page.click('#stop');
  await status('stopped');
  const clock = await page.evaluate(() => { const r = state.runs[state.runs.length - 1]; return r.time[r.rows - 1]; });
  check(clock > 0.3 && clock < 60, 'a run along the clock takes an input at once, and can be stopped');
  await page.uncheck('#live');
  await page.fill('#source', original);
  await page.waitForSelector('#diagram svg #C');
  await page.fill('#stop-time', '1');
  await page.click('#run');
  await status('rows in');

  // A formula is a curve; earlier runs against the newest one; frequencies.
  await page.fill('#find', 'source.v - C.v');
  await page.press('#find', 'Enter');
  await page.waitForSelector('.legend [data-name="source.v - C.v"][data-value]');
  check(near(await final('source.v - C.v'), 5 - await final('C.v'), 1e-9), 'a formula is drawn');
  await page.fill('#find', '');
  await page.selectOption('#mode', 'difference');
  await page.waitForTimeout(200);
  await shot('difference');
  await page.selectOption('#mode', 'spectrum');
  await page.waitForFunction(() => [...(state.runs[state.runs.length - 1].spectra || new Map()).values()].some((s) => s.x && s.x.length > 10));
  check(true, 'the spectrum comes');
  await shot('spectrum');
  await page.selectOption('#mode', 'values');

  await page.click('[data-shows=events]');
  await page.waitForFunction(() => document.getElementById('event-list').children.length > 0);
  check((await page.textContent('#event-list')).startsWith('0.1'), 'the event of the step is in the log');
  await shot('events');
  await page.click('[data-shows=compare]');
  await page.click('#compare-run');
  await page.waitForSelector('#comparison tr[data-solver=bdf]', { timeout: 60000 });
  check(await page.locator('#errors canvas').count() === 1, 'solvers are compared, with their errors over time');
  await page.waitForTimeout(200);
  await shot('compare');
  await page.click('[data-shows=curves]');
  await page.click('[data-shows=library]');
  await page.waitForSelector('#classes li');
  await page.fill('#search', 'basic resistor');
  await page.waitForFunction(() => [...document.querySelectorAll('#classes li')].some((l) => l.textContent.includes('Basic.Resistor')));
  check(true, 'the library is searched');
  await page.click('[data-shows=editor]');

  // Another page, meanwhile, has a run that takes long; stopping it disturbs nobody.
  const other = await context.newPage();
  await other.goto(url);
  await other.waitForFunction(() => document.getElementById('status').textContent.includes('checked'));
  await other.selectOption('#solver', 'euler');
  await other.fill('#stop-time', '1000000');
  await other.fill('#step', '1e-5');
  await other.click('#run');
  await other.waitForFunction(() => document.getElementById('status').textContent.includes('running'));
  await page.click('#run');
  await status('rows in');
  check(true, 'a page runs while another one is busy');
  const cpu = () => { const f = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')[1].split(' '); return Number(f[11]) + Number(f[12]); };
  await other.click('#stop');
  await other.waitForFunction(() => document.getElementById('status').textContent.includes('stopped'), null, { timeout: 20000 });
  check(true, 'a long run stops');
  await other.click('#run');
  await other.waitForFunction(() => document.getElementById('status').textContent.includes('running'));
  await other.close();
  // Ticks of the processor: a run that goes on takes some fifty in half a second.
  let ticks = 50;
  for (let k = 0; k < 40 && ticks > 2; k++) { const before = cpu(); await page.waitForTimeout(500); ticks = cpu() - before; }
  check(ticks <= 2, 'a closed page ends its run');

  // Shapes of icons follow a run, at its end and where the slider is.
  const gauge = `model Gauge Real u; annotation(Icon(graphics={Text(extent={{-100,-50},{100,50}}, textString=DynamicSelect("still", String(u, significantDigits=2)))})); end Gauge;
    model RC Gauge gauge(u=10*time) annotation(Placement(transformation(extent={{-20,-20},{20,20}}))); annotation(experiment(StopTime=1)); end RC;`;
  const says = (text) => page.waitForFunction((t) => document.querySelector('#diagram #gauge')?.textContent.includes(t), text, { timeout: 20000 });
  await page.fill('#source', gauge);
  await page.waitForSelector('#diagram svg #gauge');
  await page.click('#defaults');
  const end = Number(await page.locator('#play-time').getAttribute('max'));
  await says(String(10 * end));
  await page.locator('#play-time').evaluate((s) => { s.value = 0.35; s.dispatchEvent(new Event('input')); });
  await says('3.5');
  check(true, 'shapes that follow variables move with the run');

  await page.fill('#source', original.replace('R=100', 'R=200'));
  await status('checked');
  await page.click('#save');
  await status('saved');
  check(readFileSync(file, 'utf8').includes('R=200'), 'saving writes the file');
  check([...hosts].every((h) => h === new URL(url).host), 'no other host was asked');
  code = process.exitCode || 0;
} catch (e) {
  console.error(`FAILED: ${e.message}`);
} finally {
  writeFileSync(file, original);
  await browser.close();
  server.kill();
}
process.exit(code);
