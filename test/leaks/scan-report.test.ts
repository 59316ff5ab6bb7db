import { mintKey } from '@paymount/core/access';
import { expect } from 'chai';
import { runCommand } from '../../packages/paymount/src/commands/program.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { paymount } from '../support/run-command.ts';
import { type Folder, newFolder } from './git-repository.ts';

const TOKEN = { PAYMOUNT_ADMIN_TOKEN: 'token-of-an-admin' };

function verdict(matched: boolean, action: string) {
  const headers = { 'content-type': 'application/json' };
  return { status: 200, headers, body: JSON.stringify({ matched, action }) };
}

describe('paymount scan --report', () => {
  const ours = mintKey('secret', 'live');
  const foreign = mintKey('restricted', 'test');
  let folder: Folder;
  let management: Receiver;

  beforeEach(async () => {
    folder = await newFolder();
    management = await startReceiver();
    await folder.write('a.txt', `${ours}\n${ours}\n`);
  });

  afterEach(() => Promise.all([folder.remove(), management.close()]));

  it('posts each credential once to the management API, and prints what was done', async () => {
    await folder.write('b.txt', `x ${ours}\n${foreign}\n`);
    management.otherwise(({ body }) =>
      body.includes(ours) ? verdict(true, 'revoked') : verdict(false, 'none'),
    );
    const base = `${management.url}/manage/`;
    const outcome = await paymount(TOKEN, 'scan', folder.path, '--report', base);
    expect(outcome.exitCode).to.equal(1);
    expect([...outcome.out].sort().slice(-2)).to.deep.equal([
      `reported rk_test_pm...${foreign.slice(-4)}: not one of ours`,
      `reported sk_live_pm...${ours.slice(-4)}: revoked`,
    ]);
    expect(outcome.said).not.to.include(ours);
    expect(management.requests).to.have.length(2);
    for (const { method, path, headers, body } of management.requests) {
      expect({ method, path }).to.deep.equal({ method: 'POST', path: '/manage/leaks' });
      expect(headers.authorization).to.equal('Bearer token-of-an-admin');
      const sent = JSON.parse(body.toString());
      expect(Object.keys(sent)).to.deep.equal(['credential', 'source', 'url']);
      expect([ours, foreign].includes(sent.credential)).to.equal(true);
      expect(sent.source).to.equal('scan');
      expect(sent.url).to.match(/\/[ab]\.txt$/);
    }
  });

  it('prints what it found, and ends with 1, when the management API does not take it', async () => {
    const body = JSON.stringify({ error: { code: 'permission_denied', message: 'no' } });
    management.script({ status: 403, body }, { redirect: 'http://127.0.0.1:9/leaks' });
    const found = [1, 2].map(
      (line) => `${folder.path}/a.txt:${line}:1: secret key sk_live_pm...${ours.slice(-4)}`,
    );
    const refused = await paymount(TOKEN, 'scan', folder.path, '--report', management.url);
    expect(refused.exitCode).to.equal(1);
    expect(refused.out).to.deep.equal(found);
    expect(refused.err[0]).to.equal(
      `paymount: The management API at ${management.url} refused a report with status 403 (permission_denied). The admin of PAYMOUNT_ADMIN_TOKEN needs the permission leaks.write. The rest is not reported.`,
    );
    const args = ['scan', folder.path, '--json', '--report', management.url];
    const redirected = await paymount(TOKEN, ...args);
    expect(redirected.exitCode).to.equal(1);
    const { findings, reported, report_failure } = JSON.parse(redirected.out.join());
    expect(findings).to.have.length(2);
    expect(reported).to.deep.equal([]);
    expect(report_failure).to.include('cannot be reached');
  });

  it('says what to do about a token or an address that the management API does not take', async () => {
    const body = JSON.stringify({ error: { code: 'admin_unauthenticated', message: 'no' } });
    management.script({ status: 401, body }, { status: 404, body: 'Cannot POST' });
    const report = async (path: string): Promise<string | undefined> => {
      const base = `${management.url}${path}`;
      return (await paymount(TOKEN, 'scan', folder.path, '--report', base)).err[0];
    };
    const refused = `paymount: The management API at ${management.url} refused a report with status`;
    expect(await report('/manage')).to.equal(
      `${refused} 401 (admin_unauthenticated). Set PAYMOUNT_ADMIN_TOKEN to a valid token of an admin. The rest is not reported.`,
    );
    expect(await report('/manage/leaks')).to.equal(
      `${refused} 404. There is no route for reports at /manage/leaks/leaks: --report is the URL of the management API, without /leaks. The rest is not reported.`,
    );
  });

  it('has printed what it found before it reports', async () => {
    const out: string[] = [];
    const printed: number[] = [];
    management.otherwise(() => {
      printed.push(out.length);
      return verdict(true, 'revoked');
    });
    const terminal = {
      env: TOKEN,
      print: (line: string) => out.push(line),
      printError: () => undefined,
    };
    await runCommand(['scan', folder.path, '--report', management.url], terminal);
    expect(printed).to.deep.equal([2]);
  });

  it('waits as long as the management API asks for, and comes back', async () => {
    const headers = { 'retry-after': '1' };
    management.script({ status: 429, headers, body: '{}' }, verdict(true, 'revoked'));
    const sinceMs = performance.now();
    const outcome = await paymount(TOKEN, 'scan', folder.path, '--report', management.url);
    expect(performance.now() - sinceMs).to.be.greaterThan(990);
    expect(outcome.out.at(-1)).to.equal(`reported sk_live_pm...${ours.slice(-4)}: revoked`);
    expect(management.requests).to.have.length(2);
  });

  it('does not wait for hours, nor come back for ever', async () => {
    management.script({ status: 429, headers: { 'retry-after': '3600' }, body: '{}' });
    const long = await paymount(TOKEN, 'scan', folder.path, '--report', management.url);
    expect(long.exitCode).to.equal(1);
    expect(long.err.join()).to.include('refused a report with status 429');
    expect(management.requests).to.have.length(1);
    management.otherwise(() => ({ status: 429, headers: { 'retry-after': '0' }, body: '{}' }));
    const often = await paymount(TOKEN, 'scan', folder.path, '--report', management.url);
    expect(often.exitCode).to.equal(1);
    expect(management.requests).to.have.length(1 + 5);
  });

  it('sends nothing without a token, and nothing but over TLS', async () => {
    const tokenless = await paymount({}, 'scan', folder.path, '--report', management.url);
    expect(tokenless.exitCode).to.equal(2);
    expect(tokenless.err.join()).to.include('PAYMOUNT_ADMIN_TOKEN');
    for (const base of ['http://admin.example.com', 'ftp://127.0.0.1/', 'nowhere']) {
      const outcome = await paymount(TOKEN, 'scan', folder.path, '--report', base);
      expect(outcome.exitCode, base).to.equal(2);
      expect(outcome.out, base).to.deep.equal([]);
    }
    expect(management.requests).to.have.length(0);
  });

  it('shows its progress to those who watch, and takes it away at the end', async () => {
    const shown: string[] = [];
    const terminal = { env: {}, print: () => undefined, printError: () => undefined };
    const watched = { ...terminal, progress: (text: string) => shown.push(text) };
    await runCommand(['scan', folder.path], watched);
    expect(shown).to.deep.equal(['Scanned 1 file, 0.0 MB; 2 found', '']);
    shown.length = 0;
    await runCommand(['scan', folder.path, '--json'], watched);
    expect(shown).to.deep.equal([]);
  });
});
