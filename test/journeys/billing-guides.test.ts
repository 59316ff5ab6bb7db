import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ofToday } from '../support/depth.ts';
import { eventually } from '../support/eventually.ts';
import { type CodeBlock, readPage } from '../support/read-pages.ts';

const PAGES = [
  'sell-a-plan',
  'change-a-plan',
  'when-a-renewal-fails',
  'pause-a-subscription',
  'move-subscriptions-in',
  'give-access-by-state',
  'send-invoices-and-receipts',
];
/** A page has about fifty requests, and a process for each. */
const LIMIT_MS = 120_000;
/** Stands between what the blocks print. */
const MARK = '--- block';

describe('The guides of billing', function () {
  this.timeout(LIMIT_MS);
  let app: TestApp;
  /** Its address is known before the app starts. */
  let front: Server;

  before(async () => {
    front = createServer().listen(0, '127.0.0.1');
    await once(front, 'listening');
    const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}/invoices`;
    app = await startApp({
      paymount: { invoices: { urls: { test: url } } },
      mount(host, paymount) {
        host.use(paymount.router({ environment: 'test' }));
        host.use('/invoices', paymount.invoiceRouter({ environment: 'test', requireTls: false }));
        front.on('request', host);
      },
    });
  });
  after(async () => {
    front.close();
    await app.close();
  });

  for (const page of ofToday(PAGES)) {
    it(`print what they say, as pasted: ${page}`, async () => {
      const { blocks } = readPage(`docs/how-to/${page}.md`);
      const pasted = blocks.filter(({ language }) => language === 'sh');
      const printed = await paste(pasted);
      const expected = pasted.map((block) => shownAfter(block, blocks));
      expect(printed.map((text, index) => expected[index] && text)).to.deep.equal(expected);
      expect(expected.filter(Boolean)).not.to.deep.equal([]);
    });
  }

  /** What each block prints. A worker does its work meanwhile. */
  async function paste(blocks: readonly CodeBlock[]): Promise<readonly string[]> {
    const script = blocks.map(({ code }) => `echo '${MARK}'\n${code}`).join('\n');
    const child = spawn('/bin/sh', ['-e', '-c', script], {
      env: { PATH: process.env['PATH'], BASE_URL: app.url, KEY: app.secretKey },
    });
    let [said, errors, hasEnded] = ['', '', false];
    child.stdout.on('data', (bytes: Buffer) => {
      said += bytes.toString();
    });
    child.stderr.on('data', (bytes: Buffer) => {
      errors += bytes.toString();
    });
    const closed = once(child, 'close').finally(() => {
      hasEnded = true;
    });
    await eventually(() => app.worker.drain().then(() => hasEnded), Boolean, LIMIT_MS);
    expect(await closed, `${errors}\n${said}`).to.deep.equal([0, null]);
    return said.split(`${MARK}\n`).slice(1);
  }
});

/** The text that a page shows directly after a block as what it prints; undefined: it shows none. */
function shownAfter(block: CodeBlock, blocks: readonly CodeBlock[]): string | undefined {
  const next = blocks[blocks.indexOf(block) + 1];
  const isShown = next?.language === 'text' && next.marks.includes('printed');
  return isShown ? next.code : undefined;
}
