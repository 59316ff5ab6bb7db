import { mintKey } from '@paymount/core/access';
import { PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import { ask, postJson } from '../support/ask.ts';
import { eventually } from '../support/eventually.ts';
import { type LeaksSetup, startLeaksSetup } from './leaks-setup.ts';

const HOUR = 3_600_000;
/** The bound of a revocation, and the request that finds it out. */
const REVOKED_WITHIN_MS = 1_000;

describe('a leaked credential', () => {
  let setup: LeaksSetup;

  before(async () => {
    setup = await startLeaksSetup();
  });
  after(() => setup.close());

  const status = async (key: string): Promise<number> =>
    (await ask(`${setup.url}/v1/balance`, { key })).status;

  async function newEndpoint(key: string): Promise<{ id: string; secret: string }> {
    const body = { url: 'https://example.com/hook', enabled_events: ['*'] };
    const { json } = await postJson(`${setup.url}/v1/webhook_endpoints`, body, { key });
    return { id: String(json['id']), secret: String(json['secret']) };
  }

  it('is revoked, recorded, audited and mailed to its owner in one commit', async () => {
    const account = await setup.newAccount('Café Noir', 'owner@noir.example');
    const { secret, ...key } = await setup.newKey(account, { type: 'restricted', name: 'Till 1' });
    const url = 'https://code.example/noir/blob/1/till.js';
    // The key is cached under a lease after these, and must be forgotten.
    for (let times = 0; times < 5; times += 1) expect(await status(secret)).to.equal(403);
    const verdicts = await setup.paymount.leaks.report([
      { credential: secret, source: 'gitlab', url },
    ]);
    expect(verdicts).to.deep.equal([{ matched: true, action: 'revoked' }]);
    await eventually(
      () => status(secret),
      (found) => found === 401,
      REVOKED_WITHIN_MS,
    );
    const [leak, ...others] = await setup.listLeaks(account);
    expect(others).to.deep.equal([]);
    expect(leak).to.deep.include({
      credential: { kind: 'key', id: key.id },
      redacted: key.redacted,
      source: 'gitlab',
      url,
      action: 'revoked',
      status: 'open',
    });
    expect(await setup.readAudit(account)).to.include.members([
      `key.revoke ${key.id}`,
      `leak.report ${leak?.id}`,
    ]);
    await setup.worker.drain();
    const [mail, ...more] = setup.inbox.mails.filter(({ to }) => to[0] === 'owner@noir.example');
    expect(more).to.deep.equal([]);
    expect(mail?.email.subject).to.equal(
      'A test restricted key of Café Noir leaked and was revoked',
    );
    for (const part of [mail?.email.text, mail?.email.html]) {
      expect(part).to.include(key.redacted);
      expect(part).to.include(`${url} (gitlab)`);
      expect(part).to.include('Last used: never, as far as is known');
    }
    expect(mail?.raw.includes(secret), 'the key was mailed').to.equal(false);
    expect(setup.log.text().includes(secret), 'the key was logged').to.equal(false);
  });

  it('is mailed once for each place, however often it is reported', async () => {
    const account = await setup.newAccount('Twice', 'twice@shop.example');
    const { secret, ...key } = await setup.newKey(account);
    const at = (source: string, url: string) => ({ credential: secret, source, url });
    const places = [at('github', 'https://a.example'), at('github', 'https://b.example')];
    const first = await setup.paymount.leaks.report([...places, ...places]);
    expect(first.map(({ action }) => action)).to.deep.equal(Array(4).fill('revoked'));
    const audit = await setup.readAudit(account);
    const again = await setup.paymount.leaks.report(places);
    expect(again.map(({ action }) => action)).to.deep.equal(Array(2).fill('already_revoked'));
    expect(await setup.readAudit(account)).to.deep.equal(audit);
    expect(await setup.listLeaks(account)).to.have.length(2);

    await setup.paymount.leaks.report([at('github', 'https://c.example')]);
    await setup.paymount.leaks.report([at('scan', 'https://c.example')]);
    expect((await setup.listLeaks(account)).map(({ source }) => source)).to.deep.equal([
      'scan',
      'github',
      'github',
      'github',
    ]);
    await setup.worker.drain();
    const subjects = setup.inbox.mails
      .filter(({ to }) => to[0] === 'twice@shop.example')
      .map(({ email }) => email.subject);
    expect(subjects).to.deep.equal([
      'A test secret key of Twice leaked and was revoked',
      'A revoked test secret key of Twice leaked',
    ]);
    const revocations = (await setup.readAudit(account)).filter((line) =>
      line.startsWith('key.rev'),
    );
    expect(revocations).to.deep.equal([`key.revoke ${key.id}`]);
  });

  it('is revoked once when many report it at once', async () => {
    const account = await setup.newAccount('Crowd', 'crowd@shop.example');
    const [one, two] = [await setup.newKey(account), await setup.newKey(account)];
    const report = (...keys: { secret: string }[]) =>
      setup.paymount.leaks.report(
        keys.map(({ secret }) => ({ credential: secret, source: 'github' })),
      );
    const crowd = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? report(one, two) : report(two, one),
    );
    const actions = (await Promise.all(crowd)).flat().map(({ action }) => action);
    expect(actions.filter((action) => action === 'revoked')).to.have.length(2);
    expect(actions.filter((action) => action === 'already_revoked')).to.have.length(38);
    expect(await setup.listLeaks(account)).to.have.length(2);
  });

  it('is not ours, or no secret, or no credential: then nothing happens', async () => {
    const account = await setup.newAccount('Public');
    const { secret: publishable } = await setup.newKey(account, { type: 'publishable' });
    const verdicts = await setup.paymount.leaks.report(
      [mintKey('secret', 'test'), publishable, 'hunter2', ''].map((credential) => ({
        credential,
        source: 'github',
      })),
    );
    expect(verdicts).to.deep.equal([
      { matched: false, action: 'none' },
      { matched: true, action: 'none' },
      { matched: false, action: 'none' },
      { matched: false, action: 'none' },
    ]);
    expect(await setup.listLeaks(account)).to.deep.equal([]);
  });

  it('is dismissed once', async () => {
    const account = await setup.newAccount('Dismissed');
    const { secret } = await setup.newKey(account);
    await setup.paymount.leaks.report([{ credential: secret, source: 'scan' }]);
    const [leak] = await setup.listLeaks(account);
    if (leak === undefined) throw new Error('There is no leak.');
    const dismissed = await setup.paymount.leaks.dismiss(leak.id);
    expect(dismissed).to.include({ status: 'dismissed', version: 2 });
    expect(await setup.paymount.leaks.dismiss(leak.id)).to.deep.equal(dismissed);
    const dismissals = (await setup.readAudit(account)).filter((line) => line.includes('dismiss'));
    expect(dismissals).to.deep.equal([`leak.dismiss ${leak.id}`]);
  });

  it('that signs deliveries goes on, and its endpoints can all be rotated', async () => {
    const account = await setup.newAccount('Hooks', 'hooks@shop.example');
    const { secret: key } = await setup.newKey(account);
    const [first, second] = [await newEndpoint(key), await newEndpoint(key)];
    setup.clock.advance(HOUR);
    const verdicts = await setup.paymount.leaks.report([
      { credential: first.secret, source: 'github', url: 'https://a.example' },
    ]);
    expect(verdicts).to.deep.equal([{ matched: true, action: 'notified' }]);
    const [leak] = await setup.listLeaks(account);
    if (leak === undefined) throw new Error('There is no leak.');
    expect(leak.redacted).to.equal(`whsec_...${first.secret.slice(-4)}`);
    expect(leak.credential).to.include({ kind: 'signing_secret', endpointId: first.id });
    setup.clock.advance(HOUR);
    const later = await newEndpoint(key);
    const { leaks } = setup.paymount;
    expect(await leaks.endpointsToRotate(leak)).to.deep.equal([first.id, second.id]);

    await setup.worker.drain();
    const mail = setup.inbox.mails.find(({ to }) => to[0] === 'hooks@shop.example');
    expect(mail?.email.subject).to.equal('A test signing secret of Hooks leaked');
    expect(mail?.email.text).to.include(`- ${first.id}\n- ${second.id}\n`);
    expect(mail?.raw.includes(first.secret), 'the secret was mailed').to.equal(false);

    const { rotated, skipped } = await leaks.rotateSigningSecrets(leak.id);
    expect(skipped).to.deep.equal([]);
    expect(rotated.map(({ endpoint }) => endpoint.id)).to.deep.equal([first.id, second.id]);
    expect(new Set([first.secret, second.secret, ...rotated.map(({ secret }) => secret)]).size)
      .to //
      .equal(4);
    const ends = await setup.sql(
      `SELECT endpoint_id, expires_at FROM paymount.endpoint_secrets
       WHERE endpoint_id = ANY ($1) ORDER BY id`,
      [[first.id, second.id, later.id]],
    );
    const dayOn = setup.clock.now().getTime() + 86_400_000;
    const overlaps = ends.map(({ expires_at }) =>
      expires_at instanceof Date
        ? Math.floor(Math.abs(expires_at.getTime() - dayOn) / 60_000)
        : null,
    );
    expect(overlaps).to.deep.equal([0, 0, null, null, null]);
    expect(await leaks.endpointsToRotate(leak)).to.deep.equal([]);
    const nothing = { rotated: [], skipped: [] };
    expect(await leaks.rotateSigningSecrets(leak.id)).to.deep.equal(nothing);
    expect(await setup.readAudit(account)).to.include.members([
      `leak.rotate_signing_secrets ${leak.id}`,
      `endpoint.rotate_secret ${first.id}`,
    ]);
  });

  it('names when and from where the key was used last, and the endpoints to rotate', async () => {
    const account = await setup.newAccount('Used', 'used@shop.example');
    const { secret } = await setup.newKey(account);
    const endpoint = await newEndpoint((await setup.newKey(account)).secret);
    const at = '2026-09-06T07:08:09.000Z';
    await setup.sql(
      `INSERT INTO paymount.key_usage (key_id, last_used_at, last_ip)
       SELECT id, $2, '203.0.113.9' FROM paymount.api_keys WHERE account_id = $1
       ON CONFLICT (key_id) DO UPDATE SET last_used_at = $2, last_ip = excluded.last_ip`,
      [account, at],
    );
    setup.clock.advance(HOUR);
    await setup.paymount.leaks.report([{ credential: secret, source: 'github' }]);
    await setup.worker.drain();
    const mail = setup.inbox.mails.find(({ to }) => to[0] === 'used@shop.example');
    expect(mail?.email.text).to.include('Last used: 6 September 2026, 07:08 UTC from 203.0.113.9');
    expect(mail?.email.text).to.include('an unknown place, reported by github');
    expect(mail?.email.text).to.include(`- ${endpoint.id}\n`);
  });

  it('is refused when the reporter has no name', async () => {
    for (const source of ['', 'x'.repeat(101)]) {
      const refused = await setup.paymount.leaks
        .report([{ credential: 'x', source }])
        .catch((error: unknown) => error);
      expect(PaymountError.is(refused) && refused.code).to.equal('parameter_invalid');
    }
  });
});

describe('a leaked key, where the host only wants to know', () => {
  let setup: LeaksSetup;

  before(async () => {
    setup = await startLeaksSetup({ leakPolicy: 'notify' });
  });
  after(() => setup.close());

  it('stays active, and its owner gets a mail that says so', async () => {
    const account = await setup.newAccount('Calm', 'calm@shop.example');
    const { secret } = await setup.newKey(account);
    const report = [{ credential: secret, source: 'github' }];
    expect(await setup.paymount.leaks.report(report)).to.deep.equal([
      { matched: true, action: 'notified' },
    ]);
    expect(await ask(`${setup.url}/v1/balance`, { key: secret })).to.include({ status: 200 });
    await setup.worker.drain();
    expect(setup.inbox.mails.map(({ email }) => email.subject)).to.deep.equal([
      'A test secret key of Calm leaked and still works',
    ]);
    expect(setup.inbox.mails[0]?.email.text).to.include('revoke this one now');
  });

  it('ends the endpoints that it registered when its owner revokes it', async () => {
    const account = await setup.newAccount('Slow', 'slow@shop.example');
    const { id: keyId, secret } = await setup.newKey(account);
    const body = { url: 'https://example.com/hook', enabled_events: ['*'] };
    const { json } = await postJson(`${setup.url}/v1/webhook_endpoints`, body, { key: secret });
    const id = String(json['id']);
    await setup.paymount.leaks.report([{ credential: secret, source: 'github' }]);
    await setup.worker.drain();
    const [mail] = setup.inbox.mails.filter(({ to }) => to[0] === 'slow@shop.example');
    expect(mail?.email.text).to.include('They are disabled when the key is revoked.');
    expect(mail?.email.text).to.include(id);
    await setup.paymount.keys.revoke(keyId);
    const other = await setup.newKey(account);
    const found = await ask(`${setup.url}/v1/webhook_endpoints/${id}`, { key: other.secret });
    expect(found.json).to.include({ status: 'disabled', disabled_reason: 'access_ended' });
  });
});
