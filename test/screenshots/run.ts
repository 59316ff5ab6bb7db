import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { childProgram } from '../support/child-program.ts';
import { PROGRAM } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { SHOTS, type Shot } from './shots.ts';

/**
 * `npm run screenshots`: makes the pictures of the guides from the demo with a week of traffic, in
 * Chromium. It needs a minute, and `chromium` from the distribution.
 */
const DEMO = new URL('../../example-host/src/demo.ts', import.meta.url);
const IMAGES = new URL('../../docs/how-to/images/', import.meta.url);
const LIMIT_MS = 300_000;
const SIZE = { width: 1_280, height: 800 };

interface DemoFacts {
  readonly dashboard: { readonly url: string };
  readonly oauth: { readonly loginAs: { readonly name: string; readonly password: string } };
}

const folder = await mkdtemp(join(tmpdir(), 'paymount-screenshots-'));
const demo = spawn(process.execPath, [await childProgram(DEMO), '--week'], {
  cwd: folder,
  env: { ...process.env, PORT: '0' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  await ready(demo);
  await takeAll(JSON.parse(await readFile(join(folder, '.paymount/demo.json'), 'utf8')));
} finally {
  if (demo.exitCode === null && demo.kill('SIGINT')) await once(demo, 'close');
  await rm(folder, { recursive: true, force: true });
}

async function ready({ stdout }: ChildProcess): Promise<void> {
  let said = '';
  stdout?.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  await eventually(() => said.includes('Ctrl-C') || demo.exitCode !== null, Boolean, LIMIT_MS);
  if (demo.exitCode !== null) throw new Error(said);
}

async function takeAll({ dashboard, oauth }: DemoFacts): Promise<void> {
  const browser = await chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: SIZE, reducedMotion: 'reduce' });
    await page.goto(dashboard.url);
    await page.getByLabel('Name').fill(oauth.loginAs.name);
    await page.getByLabel('Password').fill(oauth.loginAs.password);
    await page.getByRole('button').first().click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    for (const shot of SHOTS) await take(page, shot);
  } finally {
    await browser.close();
  }
}

async function take(page: Page, { name, scheme = 'light', open }: Shot): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme });
  await open(page);
  await page.waitForLoadState('networkidle');
  const { pathname } = new URL(`${name}.png`, IMAGES);
  await page.screenshot({ path: pathname });
  process.stdout.write(`${pathname}\n`);
}
