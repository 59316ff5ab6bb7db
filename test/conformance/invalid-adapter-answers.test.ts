import { checkProcessor } from '@paymount/testing';
import { expect } from 'chai';
import request from 'supertest';
import { startApp, type TestApp } from '../support/app.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { SILENT } from '../support/host.ts';
import { sharedMemory } from '../support/operation-memory.ts';
import { type Mangle, SloppyBank } from './sloppy-bank.ts';

const SECOND = 1_000;
const DAY = 24 * 60 * 60 * SECOND;
const LONE = String.fromCharCode(0xd83d);
const NUL = String.fromCharCode(0);

/** Changes approvals, and leaves every other answer as it is. */
function approvals(change: Record<string, unknown>): Mangle {
  return (outcome) => (outcome.outcome === 'approved' ? { ...outcome, ...change } : outcome);
}

class Approval {
  readonly #facts: Parameters<Mangle>[0];
  constructor(facts: Parameters<Mangle>[0]) {
    this.#facts = facts;
  }
  get outcome() {
    return this.#facts.outcome;
  }
  get processorReference() {
    return 'processorReference' in this.#facts ? this.#facts.processorReference : undefined;
  }
  get amount() {
    return 'amount' in this.#facts ? this.#facts.amount : undefined;
  }
  get currency() {
    return 'currency' in this.#facts ? this.#facts.currency : undefined;
  }
}

function circular(outcome: Parameters<Mangle>[0]): unknown {
  const answer: Record<string, unknown> = { ...outcome };
  answer['self'] = answer;
  return answer;
}

function throwing(outcome: Parameters<Mangle>[0]): unknown {
  return Object.defineProperty({ ...outcome }, 'amount', {
    get: () => {
      throw new Error('the connection was closed');
    },
  });
}

const refused = () => {
  throw new Error('the connection was closed');
};

/** What adapters answer that nobody checked, and what the core makes of it. */
const TAKEN: Record<string, Mangle> = {
  'fee: undefined': approvals({ fee: undefined }),
  'availableOn: a time with an offset': approvals({ availableOn: '2026-11-24T10:00:00+01:00' }),
  'networkTransactionId: null': approvals({ networkTransactionId: null }),
  'availableOn: undefined': approvals({ availableOn: undefined }),
  'availableOn: a date': approvals({ availableOn: '2026-11-24' }),
  'availableOn: a Date': approvals({ availableOn: new Date('2026-11-24T09:00:00Z') }),
  'members of its own': approvals({ raw: { code: 100 }, latencyMs: 12 }),
  'currency: in upper case': (outcome) =>
    'currency' in outcome ? { ...outcome, currency: outcome.currency.toUpperCase() } : outcome,
  'a reference with a NUL': (outcome) =>
    'processorReference' in outcome
      ? { ...outcome, processorReference: `${outcome.processorReference}${NUL}` }
      : outcome,
  'a network id with half of a surrogate pair': approvals({ networkTransactionId: `n_1${LONE}` }),
  'an object of a class': (outcome) =>
    outcome.outcome === 'approved' ? new Approval(outcome) : outcome,
  'members on the prototype': (outcome) => Object.create(outcome),
  'an answer that holds itself': circular,
  'a frozen answer without prototype': (outcome) =>
    Object.freeze(Object.assign(Object.create(null), outcome)),
};

/** The member that the error line names; empty for the answer as a whole. */
const LOST: Record<string, [Mangle, path: string, issue: string]> = {
  'fee: a text': [
    approvals({ fee: '35' }),
    'fee',
    'must be an integer from 0 to 99999999, or absent; it is a text of 2 characters',
  ],
  'fee: half a cent': [
    approvals({ fee: 0.5 }),
    'fee',
    'must be an integer from 0 to 99999999, or absent; it is of type number',
  ],
  'availableOn: a time without a zone': [
    approvals({ availableOn: '2026-11-24T10:00:00' }),
    'availableOn',
    'must be an ISO 8601 time with an offset, a date, or a Date, from 1970 to 9999, or absent; it is a text of 19 characters',
  ],
  'availableOn: the year 0': [
    approvals({ availableOn: '0000-01-01T00:00:00Z' }),
    'availableOn',
    'must be an ISO 8601 time with an offset, a date, or a Date, from 1970 to 9999, or absent; it is a text of 20 characters',
  ],
  'availableOn: the last Date there is': [
    approvals({ availableOn: new Date(8.64e15) }),
    'availableOn',
    'must be an ISO 8601 time with an offset, a date, or a Date, from 1970 to 9999, or absent; it is of type object',
  ],
  'availableOn: no Date at all': [
    approvals({ availableOn: new Date(Number.NaN) }),
    'availableOn',
    'must be an ISO 8601 time with an offset, a date, or a Date, from 1970 to 9999, or absent; it is of type object',
  ],
  'amount: in euros': [
    approvals({ amount: 42.5 }),
    'amount',
    'must be an integer; it is of type number',
  ],
  'amount: a bigint': [
    approvals({ amount: 4200n }),
    'amount',
    'must be an integer; it is of type bigint',
  ],
  'currency: absent': [
    approvals({ currency: undefined }),
    'currency',
    'must be an ISO 4217 code; it is absent',
  ],
  'no reference': [
    approvals({ processorReference: '' }),
    'processorReference',
    'must be a text of 1 to 1000 characters; it is a text of 0 characters',
  ],
  'a reference of a megabyte': [
    approvals({ processorReference: 'x'.repeat(1024 * 1024) }),
    'processorReference',
    'must be a text of 1 to 1000 characters; it is a text of 1048576 characters',
  ],
  'outcome: a word of its own': [
    approvals({ outcome: 'settled' }),
    'outcome',
    'must be one of approved, declined, pending, action_required, rejected; it is a text of 7 characters',
  ],
  'a getter that throws': [throwing, '', 'throws when it is read'],
  'a Proxy that throws': [
    (outcome) => new Proxy(outcome, { get: (_, key) => (key === 'then' ? undefined : refused()) }),
    '',
    'throws when it is read',
  ],
  nothing: [() => undefined, '', 'must be an object; it is absent'],
  'a text': [(outcome) => JSON.stringify(outcome), '', 'must be an object; it is a text of'],
};

describe('an adapter that returns invalid answers', () => {
  let app: TestApp;
  let clock: FakeClock;
  let mangle: Mangle = (outcome) => outcome;
  const errors: Record<string, unknown>[] = [];

  before(async () => {
    clock = fakeClock();
    const logger = {
      ...SILENT,
      error: (facts: object, message: string) => void errors.push({ ...facts, message }),
    };
    const test = new SloppyBank(sharedMemory(), clock, (outcome) => mangle(outcome));
    app = await startApp({ paymount: { clock, logger, processors: { test } } });
  });
  after(() => app.close());
  afterEach(async () => {
    // What is left open would be looked up in the next test.
    mangle = (outcome) => outcome;
    await pass(DAY);
    errors.length = 0;
  });
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await app.worker.drain();
  };

  const sale = { amount: 4200, currency: 'eur', source: 'tok_visa' };
  const charge = async (body: object = sale) => {
    const made = await request(app.url).post('/v1/charges').auth(app.secretKey, '').send(body);
    return made.body;
  };
  const reread = async (id: string) =>
    (await request(app.url).get(`/v1/charges/${id}`).auth(app.secretKey, '')).body;

  for (const [name, mangled] of Object.entries(TAKEN)) {
    it(`passes with ${name}, and its charge succeeds`, async () => {
      mangle = mangled;
      expect(await complaints(mangled)).to.deep.equal([]);
      expect((await charge()).status).to.equal('succeeded');
      expect(errors).to.deep.equal([]);
    });
  }

  for (const [name, [mangled, path, issue]] of Object.entries(LOST)) {
    it(`fails with ${name}, and its charge stays pending, with the reason in the log`, async () => {
      mangle = mangled;
      const found = await complaints(mangled);
      expect(found.join('\n')).to.include(
        `The core cannot read what authorize answered: ${path || 'the answer'} ${issue}`,
      );
      const made = await charge();
      expect(made.status).to.equal('pending');
      await pass(11 * SECOND);
      expect((await reread(made.id)).status).to.equal('pending');
      expect(errors).to.have.length(2);
      for (const line of errors) {
        expect(line).to.include({
          path,
          kind: 'authorize',
          message: 'The answer of a processor cannot be read; its outcome is unknown.',
        });
        expect(line['operation']).to.match(/^op_/);
        expect(line['issue'])
          .to.be.a('string')
          .and.satisfy((text: string) => text.startsWith(issue));
        expect(JSON.stringify(line).length).to.be.below(400);
      }
    });
  }

  it('is settled as soon as a look-up can be read', async () => {
    mangle = approvals({ fee: '35' });
    const made = await charge();
    mangle = approvals({ fee: 35 });
    await pass(61 * SECOND);
    expect((await reread(made.id)).status).to.equal('succeeded');
  });

  it('ends with a person when no look-up can ever be read', async () => {
    mangle = approvals({ fee: '35' });
    const made = await charge();
    for (let day = 0; day < 12; day += 1) await pass(DAY);
    const told = errors.filter(({ path }) => path === 'fee').length;
    expect(told).to.equal(11);
    await pass(DAY);
    expect(errors.filter(({ path }) => path === 'fee')).to.have.length(told);
    expect((await reread(made.id)).status).to.equal('pending');
  });

  it('is declined with the message cut, and without what PostgreSQL cannot store', async () => {
    mangle = (outcome) =>
      outcome.outcome === 'declined'
        ? { ...outcome, advice: null, message: `No${NUL} funds${LONE}. ${'x'.repeat(1024 * 1024)}` }
        : outcome;
    const { error } = await charge({ ...sale, source: 'tok_visa_chargeDeclined' });
    expect(error.code).to.equal('card_declined');
    expect(error.message).to.match(/^No funds\. x+$/);
    expect(error.message).to.have.length.within(900, 1_000);
    expect((await reread(error.charge)).failure_message).to.equal(error.message);
  });
});

/** What the conformance suite finds wrong with such an adapter. */
async function complaints(mangled: Mangle): Promise<string[]> {
  const memory = sharedMemory();
  const { failed } = await checkProcessor(() => new SloppyBank(memory, fakeClock(), mangled), {
    approved: { type: 'card', token: 'tok_visa' },
    declined: { type: 'card', token: 'tok_visa_chargeDeclined' },
  });
  return failed.map(({ error }) => error.message);
}
