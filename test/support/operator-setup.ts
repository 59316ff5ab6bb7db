import type { PaymountOptions } from 'paymount';
import request, { type Test } from 'supertest';
import { type AdminApp, startAdminApp } from './admin-app.ts';
import { type FakeClock, fakeClock } from './clock.ts';
import { DoubtfulBank } from './doubtful-bank.ts';
import { SILENT } from './host.ts';

/** A mail as the host's mailer got it. */
interface SentMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** An error line of the log. */
interface ErrorLine {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly sentence: string;
}

/** A host with a bank whose answers may be doubted, and all that its operators are told. */
export interface OperatorSetup<Bank extends DoubtfulBank = DoubtfulBank> extends AdminApp {
  readonly bank: Bank;
  readonly mails: readonly SentMail[];
  readonly errors: readonly ErrorLine[];
  /** As the merchant. */
  post(path: string, body?: object, key?: string): Test;
  get(path: string): Test;
  /** Moves the clock on, and lets the worker do what is due then. */
  pass(ms: number): Promise<void>;
  /** Forgets the mails and error lines so far. */
  forget(): void;
}

export const OPERATOR = 'operator@shop.test';
/** As a host sets it; links have one slash after it. */
export const DASHBOARD = 'https://shop.test/pay/dashboard';

/** Starts a host with a doubtful bank; `close()` it in `after`. */
export function startOperatorSetup(
  options: Partial<PaymountOptions> & { readonly idempotentSubmit?: boolean } = {},
): Promise<OperatorSetup> {
  const { idempotentSubmit = true, ...paymount } = options;
  return startSetupWith((clock) => new DoubtfulBank(clock, idempotentSubmit), paymount);
}

/** The same with a bank of the test. */
export async function startSetupWith<Bank extends DoubtfulBank>(
  makeBank: (clock: FakeClock) => Bank,
  paymount: Partial<PaymountOptions> = {},
): Promise<OperatorSetup<Bank>> {
  const mails: SentMail[] = [];
  const errors: ErrorLine[] = [];
  const clock = fakeClock();
  const bank = makeBank(clock);
  const app = await startAdminApp({
    clock,
    paymount: {
      processors: { test: bank },
      mail: { operator: OPERATOR, dashboardUrl: `${DASHBOARD}/` },
      mailer: { send: async (mail) => void mails.push(mail) },
      logger: {
        ...SILENT,
        error: (facts, sentence) => void errors.push({ facts, sentence }),
      },
      ...paymount,
    },
  });
  return {
    ...app,
    bank,
    mails,
    errors,
    post(path, body = {}, key) {
      const asked = request(app.url).post(path).auth(app.secretKey, '').send(body);
      return key === undefined ? asked : asked.set('Idempotency-Key', key);
    },
    get: (path) => request(app.url).get(path).auth(app.secretKey, ''),
    async pass(ms) {
      app.clock.advance(ms);
      await app.worker.drain();
    },
    forget() {
      mails.length = 0;
      errors.length = 0;
    },
  };
}
