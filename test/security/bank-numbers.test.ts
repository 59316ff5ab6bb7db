import { randomInt } from 'node:crypto';
import { expect } from 'chai';
import type { OperationId, Outcome, Processor, ProcessorOperation } from 'paymount/processor';
import { startApp, type TestApp } from '../support/app.ts';
import { postForm, postJson, type Reply } from '../support/ask.ts';
import { everyRow } from '../support/canary-remains.ts';
import { fakeClock } from '../support/clock.ts';
import { BANK_NUMBERS, MANDATE } from '../support/debit-shop.ts';
import { LiveBank } from '../support/live-bank.ts';
import { toldLog } from './captured-log.ts';

const DAY = 86_400_000;

/** A bank that takes any number in live, and gets it again with each debit. */
class NumberBank extends LiveBank {
  override readonly capabilities: Processor['capabilities'];
  readonly seen: ProcessorOperation['paymentMethod'][] = [];
  fails = false;

  constructor(clock: ReturnType<typeof fakeClock>, rawBankAccounts: boolean) {
    super(clock);
    const methods = ['card', 'us_bank_account'] as const;
    this.capabilities = { ...new LiveBank(clock).capabilities, methods, rawBankAccounts };
  }

  override tokenize(...[input, context]: Parameters<Processor['tokenize']>) {
    if (!('usBankAccount' in input)) return super.tokenize(input, context);
    const { usBankAccount } = input;
    const last4 = usBankAccount.accountNumber.slice(-4);
    const facts = { type: input.type, usBankAccount: { ...usBankAccount, last4 } };
    return Promise.resolve({ result: 'tokenized', facts } as const);
  }

  override authorize(operation: ProcessorOperation): Promise<Outcome> {
    this.seen.push(operation.paymentMethod);
    if (this.fails) throw new Error('The line is dead.');
    return this.lookup(operation.operationId);
  }

  override async lookup(operationId: OperationId): Promise<Outcome> {
    const expectedBy = new Date(Date.now() + DAY).toISOString();
    return { outcome: 'pending', processorReference: `n_${operationId}`, expectedBy };
  }
}

function liveNumber(): string {
  return `7${Array.from({ length: 11 }, () => randomInt(10)).join('')}`;
}

describe('Numbers of bank accounts in live', () => {
  const log = toldLog();
  const clock = fakeClock();
  const bank = new NumberBank(clock, true);
  let app: TestApp;

  before(async () => {
    app = await startApp({
      environment: 'live',
      paymount: { clock, processors: { live: bank }, logger: log.logger },
    });
  });
  after(() => app.close());

  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    postJson(`${app.url}${path}`, body, { key: app.secretKey, headers });

  it('are in no row, no answer and no line of the log, and reach the processor only', async () => {
    const number = liveNumber();
    const tokenNumber = liveNumber();
    const sent = { ...BANK_NUMBERS, account_number: number };
    const body = { type: 'us_bank_account', us_bank_account: sent, mandate_data: MANDATE };
    const key = { 'idempotency-key': 'bank-1' };
    const made = await post('/v1/payment_methods', body, key);
    expect(made.status, made.text).to.equal(200);
    const replayed = await post('/v1/payment_methods', body, key);
    expect(replayed.text).to.equal(made.text);
    const token = await postForm(
      `${app.url}/v1/tokens`,
      `bank_account[account_number]=${tokenNumber}&bank_account[routing_number]=110000000`,
      { key: app.publishableKey },
    );
    expect(token.status, token.text).to.equal(200);
    const payment_method = made.json['id'];
    const charge = { amount: 700, currency: 'usd', payment_method };
    const charged = await post('/v1/charges', charge);
    expect(charged.json, charged.text).to.include({ status: 'pending' });
    expect(bank.seen.at(-1)?.bankAccount?.accountNumber).to.equal(number);
    bank.fails = true;
    const again = await post('/v1/payment_methods', body);
    const failing = await post('/v1/charges', { ...charge, payment_method: again.json['id'] });
    bank.fails = false;
    expect(failing.json, failing.text).to.include({ status: 'pending' });
    clock.advance(60_000);
    await app.worker.drain();
    const bad = await post('/v1/payment_methods', {
      ...body,
      us_bank_account: { ...sent, routing_number: '110000001' },
    });
    expect(bad.error['code']).to.equal('routing_number_invalid');
    const rows = await everyRow(app.databaseUrl);
    expect(rows).to.contain(String(payment_method));
    const answers = [made, replayed, token, charged, again, failing, bad].map(({ text }) => text);
    for (const [what, text] of Object.entries({
      rows,
      log: log.told() + log.written(),
      answers: answers.join(),
    })) {
      for (const secret of [number, tokenNumber]) {
        expect(text.includes(secret), `a number is in the ${what}`).to.equal(false);
        const hex = Buffer.from(secret).toString('hex');
        expect(text.includes(hex), `a number is in the ${what}, as hex`).to.equal(false);
      }
    }
  });

  it('have one fingerprint in tokens and payment methods, and are no part of that of a request', async () => {
    const sent = { ...BANK_NUMBERS, account_number: liveNumber() };
    const print = async (path: string, body: object) => {
      const { json } = await post(path, body);
      const shown = (json['us_bank_account'] ?? json['bank_account']) as { fingerprint: string };
      return shown.fingerprint;
    };
    const ofMethod = { type: 'us_bank_account', us_bank_account: sent };
    const prints = [
      await print('/v1/payment_methods', ofMethod),
      await print('/v1/payment_methods', ofMethod),
      await print('/v1/tokens', { bank_account: sent }),
    ];
    expect(new Set(prints).size).to.equal(1);
    const key = { 'idempotency-key': 'bank-2' };
    const first = await post('/v1/payment_methods', ofMethod, key);
    const other = { ...ofMethod, us_bank_account: { ...sent, account_number: liveNumber() } };
    const second = await post('/v1/payment_methods', other, key);
    expect(second.text).to.equal(first.text);
  });

  it('are refused where the processor takes none', async () => {
    const own = fakeClock();
    const processors = { live: new NumberBank(own, false) };
    const closed = await startApp({ environment: 'live', paymount: { clock: own, processors } });
    try {
      const ask = (path: string, body: object): Promise<Reply> =>
        postJson(`${closed.url}${path}`, body, { key: closed.secretKey });
      const bodies = {
        '/v1/payment_methods': { type: 'us_bank_account', us_bank_account: BANK_NUMBERS },
        '/v1/tokens': { bank_account: BANK_NUMBERS },
      };
      for (const [path, body] of Object.entries(bodies)) {
        const { status, error } = await ask(path, body);
        expect([status, error['code']]).to.deep.equal([400, 'operation_not_supported']);
        expect(error['param']).to.match(/bank_account\[account_number\]$/);
      }
    } finally {
      await closed.close();
    }
  });
});
