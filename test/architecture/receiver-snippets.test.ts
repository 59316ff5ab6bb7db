import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { verify } from 'paymount-receiver';
import { hasProgram } from '../support/local-program.ts';
import { readPage } from '../support/read-pages.ts';
import { skipUnless } from '../support/skip.ts';
import { type SignatureCase, vectors } from '../support/vector.ts';
import { RECEIVER_PROGRAMS, type ReceiverProgram } from './receiver-programs.ts';

/** Go compiles its standard library when it runs for the first time. */
const RUN_LIMIT_MS = 180_000;
const page = readPage('docs/how-to/verify-signatures.md');

describe('signatures, as other languages verify them', () => {
  const cases = [...vectors.service_signature, ...vectors.webhook_signature];

  it('have code for six languages, and deliveries to accept and to refuse', () => {
    const shown = page.blocks.map(({ language }) => language);
    expect(shown).to.deep.equal(['js', 'python', 'ruby', 'go', 'php', 'java']);
    expect(RECEIVER_PROGRAMS.map(({ language }) => language)).to.deep.equal(shown);
    expect(cases.filter(({ valid }) => valid).length).to.equal(19);
    expect(cases.filter(({ valid }) => !valid).length).to.equal(24);
  });

  it('are verified alike by paymount-receiver', () => {
    const answers = vectors.service_signature.map((one) => ({ ...one, valid: isAccepted(one) }));
    expect(answers).to.deep.equal(vectors.service_signature);
  });

  for (const program of RECEIVER_PROGRAMS) {
    it(`are verified by the code of ${page.file} for ${program.language}`, async function () {
      for (const tool of program.tools) skipUnless(hasProgram(tool), `the program ${tool}`, this);
      const answers = await runOn(cases, program);
      const wrong = cases.filter(({ valid }, index) => answers[index] !== String(valid));
      expect(answers.length, answers.join('\n')).to.equal(cases.length);
      expect(wrong.map(({ name }) => name)).to.deep.equal([]);
    }).timeout(RUN_LIMIT_MS);
  }
});

function isAccepted({ body, header, secrets, now }: SignatureCase): boolean {
  const headers = { 'service-signature': header ?? '' };
  try {
    verify({ body, headers, secrets, now: new Date(now * 1000) });
    return true;
  } catch {
    return false;
  }
}

/** @returns what the program printed for each delivery */
async function runOn(
  cases: readonly SignatureCase[],
  { language, file, others, command }: ReceiverProgram,
): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'paymount-receiver-'));
  try {
    const code = page.blocks.find((block) => block.language === language)?.code ?? '';
    for (const [name, text] of Object.entries({ ...others, [file]: code })) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    const child = spawn('/bin/sh', ['-c', command], { cwd: folder, timeout: RUN_LIMIT_MS });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes: Buffer) => {
        said += bytes.toString();
      });
    }
    child.stdin.end(cases.map((one) => `${toLine(one)}\n`).join(''));
    expect(await once(child, 'close'), said).to.deep.equal([0, null]);
    return said.trimEnd().split('\n');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function toLine(one: SignatureCase): string {
  const kind = one.header === undefined ? 'webhook' : 'service';
  const header = one.header ?? one.signature ?? '';
  const texts = [one.body, one.id ?? '', one.timestamp ?? '', header];
  const encoded = texts.map((text) => Buffer.from(text).toString('base64'));
  return [kind, one.now, one.secrets.join(','), ...encoded].join('\t');
}
