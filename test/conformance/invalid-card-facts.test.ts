import { SandboxProcessor } from '@paymount/processor-sandbox';
import { checkProcessor } from '@paymount/testing';
import { expect } from 'chai';
import type { Processor } from 'paymount/processor';
import request from 'supertest';
import { startApp, type TestApp } from '../support/app.ts';
import { fakeClock } from '../support/clock.ts';
import { SILENT } from '../support/host.ts';
import { sharedMemory } from '../support/operation-memory.ts';

type Tokenized = Awaited<ReturnType<Processor['tokenize']>>;
type Facts = Extract<Tokenized, { result: 'tokenized' }>['facts'];
type Mangle = (facts: Facts) => unknown;

/** Decides as the sandbox does, and tells carelessly what a card is. */
class CarelessCards extends SandboxProcessor {
  readonly #mangle: Mangle;

  constructor(mangle: Mangle) {
    super({ memory: sharedMemory(), clock: fakeClock() });
    this.#mangle = mangle;
  }

  override async tokenize(...asked: Parameters<Processor['tokenize']>): Promise<Tokenized> {
    const told = await super.tokenize(...asked);
    return told.result === 'tokenized'
      ? ({ ...told, facts: this.#mangle(told.facts) } as Tokenized)
      : told;
  }
}

const card = (change: object): Mangle => {
  return (facts) => ({ ...facts, card: { ...('card' in facts && facts.card), ...change } });
};

const TAKEN: Record<string, Mangle> = {
  'members of its own': card({ bin: '424242', raw: {} }),
  'funding: undefined': card({ funding: undefined }),
  'a brand with a NUL': card({ brand: `visa${String.fromCharCode(0)}` }),
  'a check that is undefined': card({ checks: { cvcCheck: undefined } }),
  'members on the prototype': (facts) => Object.create(facts),
};

const LOST: Record<string, [Mangle, issue: string]> = {
  'no facts': [() => undefined, 'facts must be an object; it is absent'],
  'no last digits': [
    card({ last4: null }),
    'facts.card.last4 must be a text of 4 digits; it is absent',
  ],
  'a month in a text': [
    card({ expMonth: '12' }),
    'facts.card.expMonth must be an integer from 1 to 12; it is a text of 2 characters',
  ],
  'a country of its own kind': [
    card({ country: ['US'] }),
    'facts.card.country must be a text; it is a list',
  ],
  'checks that it invents': [
    card({ checks: { cvcCheck: 'maybe' } }),
    'facts.card.checks.cvcCheck must be pass, fail, unavailable, unchecked or null; it is a text of 5 characters',
  ],
  'an empty token': [
    (facts) => ({ ...facts, processorToken: '' }),
    'facts.processorToken must be a text of 1 to 1000 characters; it is a text of 0 characters',
  ],
};

describe('an adapter that returns invalid card facts', () => {
  let app: TestApp;
  let mangle: Mangle = (facts) => facts;
  const causes: string[] = [];

  before(async () => {
    const warn = ({ err }: { readonly err?: unknown }) => {
      if (err instanceof Error) causes.push(err.message);
    };
    app = await startApp({
      paymount: {
        logger: { ...SILENT, warn },
        processors: { test: new CarelessCards((facts) => mangle(facts)) },
      },
    });
  });
  after(() => app.close());

  const store = () =>
    request(app.url)
      .post('/v1/payment_methods')
      .auth(app.secretKey, '')
      .send({ type: 'card', card: { token: 'tok_visa' } });

  for (const [name, mangled] of Object.entries(TAKEN)) {
    it(`passes with ${name}, and its card is stored`, async () => {
      mangle = mangled;
      expect(await complaints(mangled)).to.deep.equal([]);
      const { body } = await store().expect(200);
      expect(body.card.brand).to.equal('visa');
    });
  }

  for (const [name, [mangled, issue]] of Object.entries(LOST)) {
    it(`fails with ${name}, and the request is a 502 with the reason in the log`, async () => {
      mangle = mangled;
      causes.length = 0;
      const sentence = `The core cannot read what tokenize answered: ${issue}.`;
      expect(await complaints(mangled)).to.include(sentence);
      const { body } = await store().expect(502);
      expect(body.error.code).to.equal('processor_error');
      expect(causes).to.deep.equal([sentence]);
    });
  }
});

/** What the conformance suite finds wrong with such an adapter. */
async function complaints(mangled: Mangle): Promise<string[]> {
  const adapter = new CarelessCards(mangled);
  const { failed } = await checkProcessor(() => adapter, {
    approved: { type: 'card', token: 'tok_visa' },
    declined: { type: 'card', token: 'tok_visa_chargeDeclined' },
  });
  return failed.map(({ error }) => error.message);
}
