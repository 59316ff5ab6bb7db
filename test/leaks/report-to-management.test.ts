import { expect } from 'chai';
import { type AdminApp, MOUNT, startAdminApp } from '../support/admin-app.ts';
import { ask } from '../support/ask.ts';
import { eventually } from '../support/eventually.ts';
import { paymount } from '../support/run-command.ts';
import { type SmtpInbox, startSmtpInbox } from '../support/smtp-inbox.ts';
import { type Folder, newRepository } from './git-repository.ts';

describe('a leak, from the repository to the rotation', () => {
  let inbox: SmtpInbox;
  let app: AdminApp;
  let repository: Folder;

  before(async () => {
    [inbox, repository] = await Promise.all([startSmtpInbox(), newRepository()]);
    const mail = { smtp: inbox.url, from: 'pay@shop.example', operator: 'ops@shop.example' };
    app = await startAdminApp({ paymount: { mail } });
  });
  after(async () => {
    await app.close();
    await Promise.all([inbox.close(), repository.remove()]);
  });

  it('is found, reported, revoked, mailed, rotated and dismissed', async () => {
    const key = app.secretKey;
    // In process, where no key is looked up: over HTTP a machine that is busy may answer 503.
    const { id, secret = '' } = await app.paymount.webhookEndpoints.create(app.acting, {
      url: 'https://example.com/hook',
      enabled_events: ['*'],
    });
    await repository.write('deploy.env', `KEY=${key}\nHOOK=${secret}\n`);
    const commit = await repository.commit('deploy');
    await repository.git('rm', '--quiet', 'deploy.env');
    await repository.commit('oops');
    app.clock.advance(60_000);

    const base = app.url + MOUNT;
    const token = await app.token(['security']);
    const args = ['scan', repository.path, '--history', '--report', base];
    const outcome = await paymount({ PAYMOUNT_ADMIN_TOKEN: token }, ...args);
    expect(outcome.exitCode).to.equal(1);
    expect(outcome.out.filter((line) => line.startsWith('reported '))).to.deep.equal([
      `reported sk_test_pm...${key.slice(-4)}: revoked`,
      `reported whsec_...${secret.slice(-4)}: notified`,
    ]);
    const status = async () => (await ask(`${app.url}/v1/balance`, { key })).status;
    expect(await eventually(status, (found) => found !== 503)).to.equal(401);

    const { json: list } = await app.admin('/leaks?status=open');
    const leaks = list['data'] as { id: string; url: string; source: string; action: string }[];
    expect(leaks.map(({ action }) => action).sort()).to.deep.equal(['notified', 'revoked']);
    for (const { url, source } of leaks) {
      expect([url, source]).to.deep.equal([`${commit}:deploy.env`, 'scan']);
    }
    const [leak] = leaks;
    const { json: shown } = await app.admin(`/leaks/${leak?.id}`);
    expect(shown['endpoints_to_rotate']).to.deep.equal([id]);
    const rotated = await app.admin(`/leaks/${leak?.id}/rotate_signing_secrets`, { body: {} });
    expect(rotated.status).to.equal(200);
    const { json: after } = await app.admin(`/leaks/${leak?.id}`);
    expect(after['endpoints_to_rotate']).to.deep.equal([]);
    const { json: dismissed } = await app.admin(`/leaks/${leak?.id}/dismiss`, { method: 'POST' });
    expect(dismissed['status']).to.equal('dismissed');

    await app.worker.drain();
    expect(inbox.mails.map(({ to, email }) => `${to[0]}: ${email.subject}`).sort()).to.deep.equal([
      'ops@shop.example: A test secret key of Test shop leaked and was revoked',
      'ops@shop.example: A test signing secret of Test shop leaked',
    ]);

    const again = await paymount({ PAYMOUNT_ADMIN_TOKEN: token }, ...args);
    expect(again.out.at(-2)).to.match(/^reported .*: already_revoked$/);
    await app.worker.drain();
    expect(inbox.mails).to.have.length(2);
  });

  it('is not reported by who may not', async () => {
    const token = await app.token(['viewer']);
    const args = ['scan', repository.path, '--history', '--report', app.url + MOUNT];
    const { exitCode, err } = await paymount({ PAYMOUNT_ADMIN_TOKEN: token }, ...args);
    expect(exitCode).to.equal(1);
    expect(err.join()).to.include('403 (permission_denied)');
  });
});
