import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask } from '../support/ask.ts';
import { type GithubSigner, startGithubSigner } from '../support/github-signer.ts';
import { forwardedFor, type SlowReport, startSlowReport } from './slow-report.ts';

const BODY = '[]';
const [FIRST, SECOND] = ['192.0.2.1', '192.0.2.2'];

/** Reports hold memory before anybody has proved anything, so there are few places. */
describe('senders of reports to POST /leaks/github', () => {
  let github: GithubSigner;
  let app: TestApp;
  const slow: SlowReport[] = [];

  before(async () => {
    github = await startGithubSigner();
    app = await startApp({
      paymount: {
        leaks: { github: { keysUrl: github.keysUrl } },
        trustedProxies: ['127.0.0.0/8'],
      },
      mount: (host, paymount) => {
        host.use(paymount.leakRouter());
        host.use(paymount.router({ environment: 'test' }));
      },
    });
    // The list of keys is known from now on, so that no report waits for it.
    expect(await reportFrom(FIRST)).to.equal(200);
  });
  afterEach(() => {
    for (const report of slow.splice(0)) report.destroy();
  });
  after(() => Promise.all([app.close(), github.close()]));

  async function reportFrom(address: string): Promise<number> {
    const headers = { ...github.headersFor(BODY), ...forwardedFor(address) };
    const url = `${app.url}/leaks/github`;
    return (await ask(url, { method: 'POST', body: BODY, headers, key: '' })).status;
  }

  /** Signed, and each with a place of its own, since its body is yet to come. */
  async function startSlow(count: number, address: string): Promise<SlowReport[]> {
    const report = { headers: github.headersFor(BODY), bytes: BODY.length };
    const started = await Promise.all(
      Array.from({ length: count }, () => startSlowReport(app.port, address, report)),
    );
    slow.push(...started);
    return started;
  }

  async function finish(reports: readonly SlowReport[]): Promise<number[]> {
    for (const report of reports) report.write(BODY);
    return (await Promise.all(reports.map(({ answer }) => answer))).map(({ status }) => status);
  }

  it('have ten places for each address, and keep no other address out', async () => {
    const ten = await startSlow(10, FIRST);
    const answered: string[] = [];
    const eleventh = reportFrom(FIRST).finally(() => answered.push('the eleventh'));
    expect(await reportFrom(SECOND)).to.equal(200);
    expect(answered, 'before there is a place').to.deep.equal([]);
    expect(await finish(ten)).to.deep.equal(Array(10).fill(200));
    expect(await eleventh).to.equal(200);
  });

  it('have forty places in all, and ten more if their reports were genuine before', async () => {
    expect(await reportFrom(SECOND)).to.equal(200);
    const ends = [11, 12, 13, 14];
    const all = (await Promise.all(ends.map((end) => startSlow(10, `192.0.2.${end}`)))).flat();
    expect(await reportFrom(SECOND)).to.equal(200);
    // A stranger gets the place of a body that has not arrived within half a second.
    expect(await reportFrom('192.0.2.15')).to.equal(200);
    const statuses = await finish(all);
    // The code host is asked to send it again.
    expect(statuses.sort()).to.deep.equal([...Array(39).fill(200), 503]);
  });

  it('have 2 s for a body, however steadily they send it', async () => {
    const report = { headers: github.headersFor(BODY), bytes: 1_000_000 };
    const startedMs = performance.now();
    const sender = await startSlowReport(app.port, FIRST, report);
    slow.push(sender);
    const drip = setInterval(() => sender.write(' '), 20);
    const { status, body } = await sender.answer.finally(() => clearInterval(drip));
    const tookMs = performance.now() - startedMs;
    expect([status, JSON.parse(body).error.code]).to.deep.equal([408, 'body_timeout']);
    expect(tookMs).to.be.within(1_900, 8_000);
    expect(await reportFrom(FIRST)).to.equal(200);
  });
});
