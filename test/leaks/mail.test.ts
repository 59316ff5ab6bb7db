import { expect } from 'chai';
import type { PaymountOptions } from 'paymount';
import { startWorker } from 'paymount/worker';
import { startError, startHost } from '../support/host.ts';
import { makeSealingKeys } from '../support/make.ts';
import { type SmtpInbox, startSmtpInbox } from '../support/smtp-inbox.ts';
import { testCertificate } from '../support/test-certificate.ts';
import { type LeaksSetup, startLeaksSetup } from './leaks-setup.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Has a key of a new account leak, so that a mail is written. */
async function leak(setup: LeaksSetup, name: string, email?: string): Promise<void> {
  const account = await setup.newAccount('Shop', email);
  // Earlier versions took names of several lines.
  await setup.sql('UPDATE paymount.accounts SET name = $2 WHERE id = $1', [account, name]);
  const { secret } = await setup.newKey(account);
  await setup.paymount.leaks.report([{ credential: secret, source: 'github' }]);
}

describe('e-mail', () => {
  let setup: LeaksSetup;

  before(async () => {
    setup = await startLeaksSetup();
  });
  after(() => setup.close());

  const mailsTo = (address: string) => setup.inbox.mails.filter(({ to }) => to.includes(address));

  it('goes out with both a plain and an HTML part, and an id of its own', async () => {
    await leak(setup, 'Forms', 'forms@shop.example');
    await setup.worker.drain();
    const [mail, ...others] = mailsTo('forms@shop.example');
    expect(others).to.deep.equal([]);
    expect(mail?.from).to.equal('payments@shop.example');
    expect(mail?.email.from).to.include({ name: 'Payments', address: 'payments@shop.example' });
    expect(mail?.email.to?.map(({ address }) => address)).to.deep.equal(['forms@shop.example']);
    const [{ id } = {}] = await setup.sql('SELECT id FROM paymount.mails WHERE to_address = $1', [
      'forms@shop.example',
    ]);
    expect(mail?.email.messageId).to.equal(`<${String(id)}@shop.example>`);
    expect(mail?.raw).to.match(/^Auto-Submitted: auto-generated\r$/m);
    expect(mail?.raw).to.match(/^Content-Type: multipart\/alternative;/m);
    expect(mail?.email.text).to.match(/^A secret key of Forms was found where it must not be\./);
    expect(mail?.email.html).to.include('<p>A secret key of Forms was found');
  });

  it('holds no header and no markup that its words could have smuggled in', async () => {
    const name = 'A\r\nBcc: thief@evil.example\r\n\r\n<script>alert("1" & \'2\')</script>';
    await leak(setup, name, 'smuggled@shop.example');
    await setup.worker.drain();
    const [mail] = mailsTo('smuggled@shop.example');
    expect(mail?.to).to.deep.equal(['smuggled@shop.example']);
    expect(mail?.email.bcc).to.equal(undefined);
    const [head = ''] = mail?.raw.split('\r\n\r\n') ?? [];
    expect(head).not.to.match(/^bcc:/im);
    expect(mail?.email.subject).to.equal(
      `A test secret key of A Bcc: thief@evil.example <script>alert("1" & '2')</script> leaked and was revoked`,
    );
    expect(mail?.email.text).to.match(
      /^A secret key of A Bcc: thief@evil\.example <script>.* was found where it must not be\.\n\n- /,
    );
    expect(mail?.email.html).not.to.include('<script>');
    expect(mail?.email.html).to.include('&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)');
  });

  it('goes to one address only, whatever the address holds', async () => {
    const before = setup.inbox.mails.length;
    for (const several of ['one@a.example,two', 'one(two)@a.example', '<one>two@a.example']) {
      const refused = await setup.newAccount('Refused', several).catch((error: unknown) => error);
      expect(refused).to.include({ code: 'parameter_invalid', param: 'email' });
      // As an older version may have stored it.
      const account = await setup.newAccount('Stored', 'one@a.example');
      await setup.sql('UPDATE paymount.accounts SET email = $2 WHERE id = $1', [account, several]);
      const { secret, ...key } = await setup.newKey(account);
      await setup.paymount.leaks.report([{ credential: secret, source: 'github' }]);
      const [row] = await setup.sql('SELECT status FROM paymount.api_keys WHERE id = $1', [key.id]);
      expect(row).to.deep.equal({ status: 'revoked' });
    }
    await setup.worker.drain();
    expect(setup.inbox.mails).to.have.length(before);
    expect(setup.log.text()).to.include(
      'No mail about a leak can be sent: the e-mail address is not valid.',
    );
  });

  it('is tried again after 1 minute up to 6 hours, ten times in all', async () => {
    await leak(setup, 'Later', 'later@shop.example');
    setup.inbox.refuse(Number.POSITIVE_INFINITY);
    const row = async () => {
      const sql = 'SELECT attempt, due_at, failed_at FROM paymount.mails WHERE to_address = $1';
      const [found] = await setup.sql(sql, ['later@shop.example']);
      return found as { attempt: number; due_at: Date; failed_at: Date | null };
    };
    const waits: number[] = [];
    for (let tries = 1; tries < 10; tries += 1) {
      await setup.worker.drain();
      const { attempt, due_at, failed_at } = await row();
      expect([attempt, failed_at]).to.deep.equal([tries, null]);
      const wait = due_at.getTime() - setup.clock.now().getTime();
      waits.push(Math.round(wait / MINUTE));
      setup.clock.advance(wait + 1);
    }
    expect(waits).to.deep.equal([1, 5, 15, 30, 60, 120, 240, 360, 360]);
    expect(setup.log.text()).not.to.include('is given up');
    await setup.worker.drain();
    expect((await row()).failed_at).to.be.instanceOf(Date);
    expect(setup.log.text()).to.include('A mail could not be sent, and is given up.');
    setup.inbox.refuse(0);
    setup.clock.advance(DAY);
    await setup.worker.drain();
    expect(mailsTo('later@shop.example')).to.deep.equal([]);
  });

  it('arrives after the server was down for a while, and once', async () => {
    await leak(setup, 'Down', 'down@shop.example');
    setup.inbox.refuse(2);
    for (let minutes = 0; minutes < 30; minutes += 5) {
      await setup.worker.drain();
      setup.clock.advance(5 * MINUTE);
    }
    expect(mailsTo('down@shop.example')).to.have.length(1);
  });

  it('is sent once, though several workers run', async () => {
    const others = await Promise.all([startWorker(setup.paymount), startWorker(setup.paymount)]);
    for (let index = 0; index < 5; index += 1) {
      await leak(setup, `Many ${index}`, `many${index}@shop.example`);
    }
    await Promise.all([setup.worker, ...others].map((worker) => worker.drain()));
    await Promise.all(others.map((worker) => worker.close()));
    for (let index = 0; index < 5; index += 1) {
      expect(mailsTo(`many${index}@shop.example`), `${index}`).to.have.length(1);
    }
  });

  it('is forgotten after 90 days', async () => {
    setup.clock.advance(91 * DAY);
    await setup.worker.drain();
    expect(await setup.sql('SELECT id FROM paymount.mails')).to.deep.equal([]);
  });
});

describe('e-mail, as it is configured', () => {
  const closing: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function setupWith(options: Partial<PaymountOptions>): Promise<LeaksSetup> {
    const setup = await startLeaksSetup(options);
    closing.push(() => setup.close());
    return setup;
  }

  it('goes to the operator when the account has no address', async () => {
    const inbox: SmtpInbox = await startSmtpInbox();
    closing.push(() => inbox.close());
    const setup = await setupWith({
      mail: { smtp: inbox.url, from: 'pay@shop.example', operator: 'ops@shop.example' },
    });
    await leak(setup, 'Nameless');
    await leak(setup, 'Named', 'named@shop.example');
    await setup.worker.drain();
    expect(inbox.mails.map(({ to }) => to[0]).sort()).to.deep.equal([
      'named@shop.example',
      'ops@shop.example',
    ]);
  });

  it('waits without a mailer, and of what waited only what is recent goes out', async () => {
    const setup = await setupWith({ mail: { operator: 'ops@shop.example' } });
    await leak(setup, 'Old');
    setup.clock.advance(7 * DAY + 1);
    await leak(setup, 'Recent');
    await setup.worker.drain();
    expect(setup.log.text().match(/A credential leaked\./g)).to.have.length(2);
    expect(setup.inbox.mails).to.deep.equal([]);

    const sent: string[] = [];
    const mailer = { send: async ({ subject }: { subject: string }) => void sent.push(subject) };
    const { clock, log } = setup;
    const host = await startHost(setup, { paymount: { clock, logger: log.logger, mailer } });
    const worker = await startWorker(host.paymount);
    closing.push(async () => {
      await worker.close();
      await host.close();
    });
    await worker.drain();
    expect(sent).to.deep.equal(['A test secret key of Recent leaked and was revoked']);
    expect(setup.log.text()).to.include('A mail was dropped: it is older than 7 days.');
  });

  it('is sent over TLS only to a server with a trusted certificate', async () => {
    const { key, cert, ca } = testCertificate;
    const inbox = await startSmtpInbox({ key, cert });
    closing.push(() => inbox.close());
    const smtp = { host: 'localhost', port: inbox.port, secure: true, tls: { ca } };
    const setup = await setupWith({ mail: { smtp, from: 'pay@shop.example' } });
    await leak(setup, 'Sealed', 'sealed@shop.example');
    await setup.worker.drain();
    expect(inbox.mails.map(({ to }) => to)).to.deep.equal([['sealed@shop.example']]);

    const url = `smtps://localhost:${inbox.port}`;
    const wary = await setupWith({ mail: { smtp: url, from: 'pay@shop.example' } });
    await leak(wary, 'Wary', 'wary@shop.example');
    await wary.worker.drain();
    expect(inbox.mails).to.have.length(1);
    expect(wary.log.text()).to.include('A mail could not be sent; Paymount tries again.');
  });

  it('is refused at boot when an option is wrong, without repeating a password', async () => {
    const mailer = { send: async () => undefined };
    const wrong: [Partial<PaymountOptions>, RegExp][] = [
      [{ mail: { smtp: 'smtp://mail.example' } }, /needs `mail\.from`/],
      [{ mail: { smtp: 'smtp://mail.example', from: 'x@y.example' }, mailer }, /not both/],
      [{ mail: { smtp: 'http://u:hunter2@mail.example', from: 'x@y.example' } }, /smtp:\/\//],
      [{ mail: { smtp: 'smtp://', from: 'x@y.example' } }, /name a host/],
      [{ mail: { smtp: 'smtp://mail.example', from: 'nobody' } }, /must be an address/],
      [{ mail: { smtp: 'smtp://mail.example', from: 'a@b.example, c@d.example' } }, /an address/],
      // What an account's own address may not be, either.
      [{ mail: { smtp: 'smtp://mail.example', from: 'Shop <pay..s@shop.example>' } }, /an address/],
    ];
    for (const [options, expected] of wrong) {
      const database = 'postgres://nobody@127.0.0.1:1/none';
      const refused = await startError({ database, sealingKeys: makeSealingKeys(), ...options });
      expect(refused?.message).to.match(expected);
      expect(String(refused)).not.to.include('hunter2');
    }
  });
});
