import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Access, Client } from './client.ts';
import { runClient } from './run-client.ts';

const ACCESS: Access = {
  API_URL: 'http://127.0.0.1:1/payments',
  API_ORIGIN: 'http://127.0.0.1:1',
  SECRET_KEY: 'a key',
  RECEIVER_MODULE: 'file:///receiver.js',
  MANAGEMENT_URL: 'http://127.0.0.1:9/admin',
  ADMIN_TOKEN: 'a token',
  REVOKED_KEY: 'another key',
};

describe('the runner of clients', () => {
  let folders: string;
  before(async () => {
    folders = await mkdtemp(join(tmpdir(), 'paymount-runner-'));
    await mkdir(join(folders, 'shell'));
    await writeFile(join(folders, 'shell', 'program.sh'), 'echo ok create; echo "ok $API_URL"\n');
  });
  after(() => rm(folders, { recursive: true }));

  /** A program of two lines of shell, with changes. */
  const outcomeOf = (changes: Partial<Client>, access = async () => ACCESS) => {
    const client: Client = {
      name: 'shell',
      tools: [{ name: 'a shell', probe: 'true' }],
      folders: ['shell'],
      commands: ['true', 'sh program.sh'],
      checks: ['create'],
      ...changes,
    };
    return runClient(client, access, folders);
  };

  it('passes a program that reports every check', async () => {
    const checks = ['create', 'http://127.0.0.1:1/payments'];
    expect(await outcomeOf({ checks })).to.deep.equal({
      status: 'passed',
      reason: 'create, http://127.0.0.1:1/payments',
    });
  });

  it('fails a program that ends well and leaves out a check', async () => {
    expect(await outcomeOf({ checks: ['create', 'refund'] })).to.deep.equal({
      status: 'failed',
      reason: 'It did not report: refund.',
      output: '$ sh program.sh\nok create\nok http://127.0.0.1:1/payments\n',
    });
  });

  it('fails at the first command that fails, and shows what it printed', async () => {
    expect(await outcomeOf({ commands: ['echo no network; exit 7', 'sh program.sh'] })).to.include({
      status: 'failed',
      reason: '`echo no network; exit 7` ended with exit code 7.',
      output: '$ echo no network; exit 7\nno network\n',
    });
  });

  it('skips and names a client whose language is not installed, and creates no account', async () => {
    const tools = [
      { name: 'a shell', probe: 'true' },
      { name: 'Go', probe: 'no-such-program version' },
      { name: 'Maven', probe: 'false' },
    ];
    const refuse = () => Promise.reject(new Error('An account was made.'));
    expect(await outcomeOf({ tools }, refuse)).to.deep.equal({
      status: 'skipped',
      reason: 'this machine has no Go and no Maven',
    });
  });

  it('fails a program that prints a key, and does not print it again', async () => {
    const key = ['sk', 'test', 'a'.repeat(40)].join('_');
    const commands = ['printf "ok create\\nthe key is %s\\n" "$SECRET_KEY"'];
    const outcome = await outcomeOf({ commands }, async () => ({ ...ACCESS, SECRET_KEY: key }));
    expect(outcome).to.deep.equal({
      status: 'failed',
      reason: 'It printed a secret: API key sk_test_....',
      output: '',
    });
  });
});
