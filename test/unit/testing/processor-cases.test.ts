import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { newId, type OperationId } from '@paymount/core/kernel';
import {
  NotSentError,
  type Outcome,
  type ProcessorOperation,
  type TokenizeInput,
} from '@paymount/core/payments';
import { SandboxProcessor } from '@paymount/processor-sandbox';
import {
  checkProcessor,
  describeProcessor,
  type ProcessorFactory,
  processorCases,
} from '@paymount/testing';
import { expect } from 'chai';
import { childProgram } from '../../support/child-program.ts';
import { fakeClock } from '../../support/clock.ts';
import { sharedMemory } from '../../support/operation-memory.ts';

type SandboxClass = typeof SandboxProcessor;

const secret = 'the-password-of-the-processor';
const number = '4242424242424242';
const fixtures = {
  approved: { type: 'card', card: { number, expMonth: 12, expYear: 2099, cvc: '123' } },
  declined: { type: 'card', token: 'tok_visa_chargeDeclined' },
  approvedSilently: { type: 'card', token: 'tok_timeout_approved' },
  tampered: { type: 'card', token: 'tok_amount_tampered' },
  notSent: { type: 'card', token: 'tok_not_sent' },
  debited: { type: 'us_bank_account', token: 'pm_usBankAccount_success' },
  secrets: [secret],
  silenceMs: 20,
  answerMs: 1_000,
} as const;

/** What the cases say that an adapter made of this class fails, by their names. */
async function failures(Adapter: SandboxClass): Promise<ReadonlyMap<string, string>> {
  const { failed } = await checkProcessor(toFactory(Adapter), fixtures);
  return new Map(failed.map(({ name, error }) => [name, error.message]));
}

function toFactory(Adapter: SandboxClass): ProcessorFactory {
  const memory = sharedMemory();
  return () => new Adapter({ memory, clock: fakeClock(), silenceMs: 2_000 });
}

/** Across restarts. */
const debits = new Set<string>();

/** Adapters with one mistake each, and a case that finds it. */
const mistakes: Record<string, [SandboxClass, string]> = {
  'declines every bank debit': [
    class extends SandboxProcessor {
      override async authorize(operation: ProcessorOperation): Promise<Outcome> {
        if (operation.currency !== 'usd') return super.authorize(operation);
        return { outcome: 'rejected', code: 'processing_error', message: 'No debits.' };
      }
    },
    'submits a bank debit, and finds it',
  ],
  'forgets bank debits': [
    class extends SandboxProcessor {
      override async authorize(operation: ProcessorOperation): Promise<Outcome> {
        if (operation.currency === 'usd') debits.add(operation.operationId);
        return super.authorize(operation);
      }
      override async lookup(operationId: OperationId, deadline: AbortSignal) {
        return debits.has(operationId) ? 'not_found' : super.lookup(operationId, deadline);
      }
    },
    'submits a bank debit, and finds it',
  ],
  'executes every submission anew': [
    class extends SandboxProcessor {
      override authorize(operation: ProcessorOperation): Promise<Outcome> {
        return super.authorize({ ...operation, operationId: newId('op') });
      }
    },
    'executes an operation once, however often it is submitted',
  ],
  'forgets everything at a restart': [
    class extends SandboxProcessor {
      override async lookup(): Promise<'not_found'> {
        return 'not_found';
      }
    },
    'finds an operation by its operation id after a restart',
  ],
  'says approved about what it never got': [
    class extends SandboxProcessor {
      override async lookup(operationId: OperationId, deadline: AbortSignal) {
        const found = await super.lookup(operationId, deadline);
        if (found !== 'not_found') return found;
        const processorReference = 'sandbox_1';
        return { outcome: 'approved', processorReference, amount: 1, currency: 'eur' } as const;
      }
    },
    'reports an operation that it never received',
  ],
  'calls a time-out unsent': [
    class extends SandboxProcessor {
      override authorize(operation: ProcessorOperation): Promise<Outcome> {
        return super.authorize(operation).catch(() => {
          throw new NotSentError('timed out');
        });
      }
    },
    'throws when its deadline aborts, and knows afterwards what it executed',
  ],
  'answers a time-out with a decline': [
    class extends SandboxProcessor {
      override authorize(operation: ProcessorOperation): Promise<Outcome> {
        const code = 'processing_error';
        return super.authorize(operation).catch(
          (): Outcome => ({
            outcome: 'declined',
            code,
            declineCode: code,
            message: 'Time-out.',
            retry: 'later',
          }),
        );
      }
    },
    'throws when its deadline aborts, and knows afterwards what it executed',
  ],
  'ignores its deadline': [
    class extends SandboxProcessor {
      override authorize(operation: ProcessorOperation): Promise<Outcome> {
        return super.authorize({ ...operation, deadline: new AbortController().signal });
      }
    },
    'sends nothing after its deadline',
  ],
  'echoes the amount asked for instead of the one approved': [
    class extends SandboxProcessor {
      override async authorize(operation: ProcessorOperation): Promise<Outcome> {
        const outcome = await super.authorize(operation);
        return outcome.outcome === 'approved' ? { ...outcome, amount: operation.amount } : outcome;
      }
    },
    'reports what was approved, even when it is not what was asked for',
  ],
  'takes yen for a currency of two decimals': [
    class extends SandboxProcessor {
      override async authorize(operation: ProcessorOperation): Promise<Outcome> {
        const outcome = await super.authorize(operation);
        return outcome.outcome === 'approved' && outcome.currency === 'jpy'
          ? { ...outcome, amount: outcome.amount * 100 }
          : outcome;
      }
    },
    'approves exactly the amount asked for in jpy, of 0 decimals',
  ],
  'declines with a code of its own': [
    class extends SandboxProcessor {
      override async authorize(operation: ProcessorOperation): Promise<Outcome> {
        const outcome = await super.authorize(operation);
        return outcome.outcome === 'declined' ? { ...outcome, code: 'E-51' } : outcome;
      }
    },
    'declines with codes of the error table and a message for the payer',
  ],
  'puts its password into errors': [
    class extends SandboxProcessor {
      override authorize(operation: ProcessorOperation): Promise<Outcome> {
        return super.authorize(operation).catch((cause: unknown) => {
          const error = NotSentError.is(cause) ? new NotSentError('down') : new Error('down');
          throw Object.assign(error, { request: { headers: { authorization: secret } } });
        });
      }
    },
    'throws NotSentError when the request never left',
  ],
  'makes the card number its token': [
    class extends SandboxProcessor {
      override async tokenize(input: TokenizeInput, context: { readonly now: Date }) {
        const answer = await super.tokenize(input, context);
        if (answer.result !== 'tokenized') return answer;
        return { ...answer, facts: { ...answer.facts, processorToken: `card-${number}` } };
      }
    },
    'returns the details of a card that may be shown',
  ],
  'takes any token for a card': [
    class extends SandboxProcessor {
      override async tokenize(input: TokenizeInput, context: { readonly now: Date }) {
        const answer = await super.tokenize(input, context);
        const visa = { type: 'card', token: 'tok_visa' } as const;
        return answer.result === 'unknown_token' ? super.tokenize(visa, context) : answer;
      }
    },
    'reports a token that does not exist',
  ],
  'refunds what it does not know': [
    class extends SandboxProcessor {
      override refund(operation: ProcessorOperation): Promise<Outcome> {
        return super.refund({ ...operation, previous: { processorReference: 'sandbox_1' } });
      }
    },
    'refunds nothing that it does not know',
  ],
  'captures all when asked for a part': [
    class extends SandboxProcessor {
      override async capture(operation: ProcessorOperation): Promise<Outcome> {
        return super.capture({ ...operation, amount: 4200 });
      }
    },
    'captures a part of an authorization',
  ],
};

const PAYOUT_CASES = [
  [
    'pays out exactly the amount asked for, and finds the payout by its operation id',
    'destination',
  ],
  ['pays out once, however often a payout is submitted', 'destination'],
  ['refuses a payout to a bank account that takes none', 'refusedDestination'],
  ['pays nothing out after its deadline', 'destination'],
] as const;

const BANK_ACCOUNT_CASES = [
  ['accepts a bank account that payouts reach, and shows its last digits', 'destination'],
  ['refuses a wrong bank account, and says why', 'wrongBankAccount'],
] as const;

const NOTICE_CASES = [
  ['reads a notice of the operation that it is about, with its amount', 'charge.settled'],
  ['reads notices in any order, and gives each the same id when it comes again', 'charge.settled'],
  [
    'refuses a body that was changed after it was signed, before it yields anything',
    'charge.settled',
  ],
  ['refuses a body without a signature', 'charge.settled'],
  ['reads a notice of kind refund.settled once, with the amount of the refund', 'refund.settled'],
  ['reads a notice of kind refund.failed once, with the code of the failure', 'refund.failed'],
  ['reads a notice of kind dispute.alert once, with the amount', 'dispute.alert'],
  ['reads a notice of kind dispute.opened once, with the amount', 'dispute.opened'],
  [
    'reads a notice of kind dispute.closed once, with the reference that the dispute was opened with',
    'dispute.closed',
  ],
  ['reads a notice of kind payout.paid once, with the payout that it is about', 'payout.paid'],
  ['reads a notice of kind payout.failed once, with the code of the failure', 'payout.failed'],
  ['reads a notice of kind account_update once, with what has changed', 'account_update'],
  ['reads a notice of kind settlement_line once, with the gross amount', 'settlement_line'],
] as const;

const UNSIGNED = {
  name: 'refuses what nobody signed, whatever kind of notice it holds',
  reason: 'No notice can be read but those of charges.',
};

const DEBIT_CASES = [
  'returns the details of a bank account that may be shown, for a debit',
  'submits a bank debit, and finds it',
  'submits a bank debit once, however often it is asked to',
  'reads a notice that a bank debit cleared, with its amount',
  'reads a notice that a bank debit was returned, with its return code',
];

const DISPUTE_CASES = [
  ['submits evidence with its files, and finds it by its operation id', 'dispute.opened'],
  ['submits evidence for an alert, and finds it by its operation id', 'dispute.alert'],
  ['submits evidence once, however often it is submitted', 'dispute.opened'],
  ['accepts a dispute, and finds the answer by its operation id', 'dispute.opened'],
  ['accepts a dispute once, however often it is submitted', 'dispute.opened'],
  ['answers no dispute after its deadline', 'dispute.opened'],
] as const;

/** Cases that need a fixture, as a report without it shows them. */
function lacking(cases: readonly (readonly [name: string, fixture: string])[], what: string) {
  return cases.map(([name, fixture]) => ({
    name,
    reason: `The fixtures have no ${what} \`${fixture}\`.`,
  }));
}

function told(leftOut: readonly { readonly name: string; readonly reason: string }[]): string[] {
  return leftOut.map(({ name, reason }) => `${name}: ${reason}`);
}

/** Why an adapter without capabilities or notices has no case of a kind of notice. */
function whyPlainLacks(kind: string): string {
  const [, of] = /^(refund|payout)\./.exec(kind) ?? [];
  return of === undefined
    ? `The fixtures have no notice \`${kind}\`.`
    : `capabilities.${of}s is false.`;
}

describe('the conformance suite of processors', () => {
  it('has nothing against the sandbox', async () => {
    expect([...(await failures(SandboxProcessor))]).to.deep.equal([]);
  });

  it('names what the fixtures cannot provoke, and why it is left out', async () => {
    const { approved, declined } = fixtures;
    const report = await checkProcessor(toFactory(SandboxProcessor), { approved, declined });
    expect(report.failed).to.deep.equal([]);
    expect(report.leftOut).to.deep.equal([
      {
        name: 'reports what was approved, even when it is not what was asked for',
        reason: 'The fixtures have no card `tampered`.',
      },
      {
        name: 'throws when its deadline aborts, and knows afterwards what it executed',
        reason: 'The fixtures have no card `approvedSilently`.',
      },
      {
        name: 'throws NotSentError when the request never left',
        reason: 'The fixtures have no card `notSent`.',
      },
      ...lacking(PAYOUT_CASES, 'bank account'),
      ...lacking(BANK_ACCOUNT_CASES, 'bank account'),
      ...lacking(NOTICE_CASES, 'notice'),
      UNSIGNED,
      ...DEBIT_CASES.map((name) => ({
        name,
        reason: 'The fixtures have no bank account `debited`.',
      })),
      ...lacking(DISPUTE_CASES, 'notice'),
    ]);
    expect(report.missingForLive).to.deep.equal([
      'The fixtures need a card `approvedSilently`.',
      "The fixtures need `environment: 'live'`.",
      'The fixtures need `secrets`: the keys of the adapter.',
    ]);
  });

  it('names what an adapter cannot do, in place of passing it', async () => {
    class Plain extends SandboxProcessor {
      override readonly capabilities = {
        methods: ['card'],
        manualCapture: false,
        partialCapture: false,
        voids: false,
        refunds: false,
        idempotentSubmit: false,
        currencies: ['eur'],
      } as const;
    }
    const report = await checkProcessor(toFactory(Plain), fixtures);
    expect(report.failed).to.deep.equal([]);
    expect(told(report.leftOut)).to.deep.equal([
      'approves exactly the amount asked for in jpy, of 0 decimals: capabilities.currencies has no jpy.',
      'approves exactly the amount asked for in bhd, of 3 decimals: capabilities.currencies has no bhd.',
      'executes an operation once, however often it is submitted: capabilities.idempotentSubmit is false.',
      'executes an operation once when it is submitted at the same time: capabilities.idempotentSubmit is false.',
      'captures all of an authorization: capabilities.manualCapture is false.',
      'captures a part of an authorization: capabilities.partialCapture is false.',
      'cancels an authorization: capabilities.voids is false.',
      'refunds all of a charge: capabilities.refunds is false.',
      'refunds a part of a charge: capabilities.refunds is false.',
      'refunds nothing that it does not know: capabilities.refunds is false.',
      ...PAYOUT_CASES.map(([name]) => `${name}: capabilities.payouts is false.`),
      ...told(lacking(BANK_ACCOUNT_CASES, 'bank account')),
      ...NOTICE_CASES.map(([name, kind]) => `${name}: ${whyPlainLacks(kind)}`),
      ...told([UNSIGNED]),
      ...DEBIT_CASES.map((name) => `${name}: capabilities.methods has no bank accounts.`),
      ...told(lacking(DISPUTE_CASES, 'notice')),
    ]);
    expect(report.missingForLive).to.deep.equal(["The fixtures need `environment: 'live'`."]);
    const cases = processorCases(toFactory(Plain), fixtures);
    const refund = cases.find(({ name }) => name === 'refunds all of a charge');
    const said = await refund?.run().catch((error: Error) => error.message);
    expect(said).to.equal('This case is left out: capabilities.refunds is false.');
  });

  it('lets no adapter go live that fails a case', async () => {
    class Forgetful extends SandboxProcessor {
      override async lookup(): Promise<'not_found'> {
        return 'not_found';
      }
    }
    const live = { ...fixtures, environment: 'live' } as const;
    const { missingForLive } = await checkProcessor(toFactory(Forgetful), live);
    expect(missingForLive).to.include(
      'The case "finds an operation by its operation id after a restart" fails.',
    );
  });

  it('names each case that the test runner did not run', async () => {
    const live = { ...fixtures, environment: 'live' } as const;
    const tests: (() => Promise<void>)[] = [];
    const report = describeProcessor(toFactory(SandboxProcessor), live, {
      describe: (_name, body) => body(),
      it: (_name, test) => tests.push(test),
    });
    const names = processorCases(toFactory(SandboxProcessor), live).map(({ name }) => name);
    const notRun = names.map((name) => `The case "${name}" has not run.`);
    expect(notRun).to.have.lengthOf(55);
    expect(report().missingForLive).to.deep.equal(notRun);
    await tests[0]?.();
    expect(report().passed).to.deep.equal(['names itself']);
    expect(report().missingForLive).to.deep.equal(notRun.slice(1));
  });

  it('skips what is left out in a test runner, and says why on standard output', async function () {
    this.timeout(30_000);
    const file = await childProgram(new URL('./left-out-child.ts', import.meta.url));
    const flags = ['--test-reporter=tap', '--test'];
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const run = promisify(execFile)(process.execPath, [...flags, file], { env });
    const { stdout } = await run;
    expect(stdout)
      .to.match(/^# pass 22$/m)
      .and.to.match(/^# skipped 34$/m);
    expect(stdout).to.include(
      'left out: throws NotSentError when the request never left. The fixtures have no card `notSent`.',
    );
    expect(stdout).to.include('not ready for live: The fixtures need a card `approvedSilently`.');
  });

  for (const method of ['tokenize', 'authorize', 'capture', 'cancel', 'refund', 'lookup']) {
    it(`names the method that an adapter lacks: ${method}`, async () => {
      class Lacking extends SandboxProcessor {}
      Object.defineProperty(Lacking.prototype, method, { value: undefined });
      const failed = await failures(Lacking);
      expect(failed.get('names itself')).to.equal(`The adapter has no method "${method}".`);
    });
  }

  it('names the capability that an adapter does not tell', async () => {
    const sandbox = new SandboxProcessor({ memory: sharedMemory(), clock: fakeClock() });
    const capabilities = { ...sandbox.capabilities, voids: undefined };
    const [first] = processorCases(
      () => Object.assign(sandbox, { capabilities }) as never,
      fixtures,
    );
    expect(await first?.run().catch((error: Error) => error.message)).to.equal(
      'The adapter must say whether it can: capabilities.voids is true or false.',
    );
  });

  it('says in a sentence what it expected', async () => {
    const cases = await failures(mistakes['takes any token for a card']?.[0] ?? SandboxProcessor);
    expect(cases.get('reports a token that does not exist')).to.equal(
      'tokenize of a token that names nothing must answer "unknown_token"; it answered "tokenized".',
    );
  });

  for (const [mistake, [Adapter, found]] of Object.entries(mistakes)) {
    it(`finds an adapter that ${mistake}`, async () => {
      const failed = await failures(Adapter);
      expect([...failed.keys()]).to.include(found);
      for (const message of failed.values())
        expect(message).not.to.match(/^Expected (values|"actual")|expression|\+ actual/);
    });
  }
});
