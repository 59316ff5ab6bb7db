import { callApiOk, requireText } from './api-client.ts';
import { eventually } from './eventually.ts';
import { objectsIn } from './objects-in.ts';
import type { Setup } from './setup.ts';
import { check, type Step } from './step.ts';

/** The sandbox takes two seconds where banks take days. */
const BANK_LIMIT_MS = 15_000;
/** Workers make due funds available every ten seconds. */
const FUNDS_LIMIT_MS = 25_000;

const CLOCKS = '/v1/test_helpers/test_clocks';

/** What takes banks days: a debit, a dispute, a payout. */
export const moneySteps: readonly Step[] = [
  { tries: 'a bank debit that clears', run: debitBankAccount },
  { tries: 'a dispute and its answer', run: answerDispute },
  { tries: 'a payout on a test clock', run: payOut },
];

async function debitBankAccount({ environments: { test } }: Setup): Promise<string> {
  const debit = await callApiOk(test, test.secretKey, '/v1/charges', {
    amount: '5000',
    currency: 'usd',
    payment_method: 'pm_usBankAccount',
  });
  const id = requireText(debit, 'id');
  check(debit['status'] === 'pending', `The debit is ${String(debit['status'])}.`);
  await eventually('the debit to clear', BANK_LIMIT_MS, async () => {
    const { status } = await callApiOk(test, test.secretKey, `/v1/charges/${id}`);
    return status === 'succeeded' ? true : undefined;
  });
  return `A bank debit of 50.00 usd was pending, and cleared when the bank reported it: ${id}`;
}

async function answerDispute({ environments: { test } }: Setup): Promise<string> {
  const { secretKey } = test;
  const charge = await callApiOk(test, secretKey, '/v1/charges', {
    amount: '2500',
    currency: 'eur',
    payment_method: 'pm_card_createDispute',
  });
  const list = `/v1/disputes?charge=${requireText(charge, 'id')}`;
  const opened = await eventually('the dispute', BANK_LIMIT_MS, async () => {
    const { data } = await callApiOk(test, secretKey, list);
    return objectsIn(data)[0];
  });
  const dispute = `/v1/disputes/${requireText(opened, 'id')}`;
  await callApiOk(test, secretKey, dispute, {
    'evidence[uncategorized_text]': 'winning_evidence',
  });
  await eventually('the ruling', BANK_LIMIT_MS, async () => {
    const { status } = await callApiOk(test, secretKey, dispute);
    return status === 'won' ? true : undefined;
  });
  return `A chargeback took 25.00 eur; the evidence won, and they are back: ${requireText(opened, 'id')}`;
}

async function payOut({ environments: { test }, merchant: { account } }: Setup): Promise<string> {
  const { secretKey } = test;
  await callApiOk(test, secretKey, `/v1/accounts/${account}/external_accounts`, {
    external_account: 'btok_us',
  });
  await callApiOk(test, secretKey, '/v1/charges', {
    amount: '9000',
    currency: 'eur',
    payment_method: 'pm_card_bypassPending',
  });
  await eventually('funds to become available', FUNDS_LIMIT_MS, async () => {
    const { available } = await callApiOk(test, secretKey, '/v1/balance');
    const euros = objectsIn(available).find(({ currency }) => currency === 'eur');
    return Number(euros?.['amount'] ?? 0) >= 9_000 ? true : undefined;
  });
  const clock = await callApiOk(test, secretKey, CLOCKS, { frozen_time: '2030-01-01T00:00:00Z' });
  const clockId = requireText(clock, 'id');
  const payout = await callApiOk(test, secretKey, '/v1/payouts', {
    amount: '7000',
    currency: 'eur',
    test_clock: clockId,
  });
  check(payout['status'] === 'pending', `The payout is ${String(payout['status'])}.`);
  const id = requireText(payout, 'id');
  // Two days pass until the bank has it.
  await callApiOk(test, secretKey, `${CLOCKS}/${clockId}/advance`, {
    frozen_time: '2030-01-04T00:00:00Z',
  });
  await eventually('the payout to be paid', BANK_LIMIT_MS, async () => {
    const { status } = await callApiOk(test, secretKey, `/v1/payouts/${id}`);
    return status === 'paid' ? true : undefined;
  });
  return `A payout of 70.00 eur was paid on a test clock that advanced three days: ${id}`;
}
