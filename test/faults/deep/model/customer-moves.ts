import { randomInt, randomUUID } from 'node:crypto';
import { newNotice } from '../setup.ts';
import type { Customer, Method } from './objects.ts';
import { OK, type Player, refused } from './player.ts';
import type { Of } from './steps.ts';

export async function attach(player: Player, step: Of<'attach'>): Promise<void> {
  const { book } = player;
  let customer = player.pick(book.customers, step.pick);
  if (customer === undefined || step.pick % 3 === 0) {
    const { json } = await player.post('customers', {}, OK);
    customer = { id: String(json['id']), isDeleted: false, default: undefined };
    book.customers.push(customer);
  }
  const method = await newMethod(player, customer, step.isBank);
  const expected = customer.isDeleted ? refused('resource_missing') : OK;
  await player.post(`payment_methods/${method.id}/attach`, { customer: customer.id }, expected);
  if (!customer.isDeleted) book.methods.push(method);
}

/** A card that is attached to a customer. */
export async function newCard(player: Player, customer: Customer): Promise<Method> {
  const method = await newMethod(player, customer, false);
  await player.post(`payment_methods/${method.id}/attach`, { customer: customer.id }, OK);
  player.book.methods.push(method);
  return method;
}

/** The token of the bank is its own, so that reports are about this one alone. */
async function newMethod(player: Player, customer: Customer, isBank: boolean): Promise<Method> {
  const account = newAccountNumber();
  const token = isBank ? `account_${account}` : `tok_visa_${randomUUID()}`;
  const type = isBank ? 'us_bank_account' : 'card';
  const body = isBank ? bankAccountOf(account) : { type, card: { token } };
  const { json } = await player.post('payment_methods', body, OK);
  const number = isBank ? account : '4242';
  const state = { number, isBlocked: false, updatedAtMs: 0, isDetached: false };
  return { id: String(json['id']), type, token, customer, ...state };
}

/** 17 digits. */
export function newAccountNumber(): string {
  return `000${randomInt(10 ** 7, 10 ** 8)}${randomInt(10 ** 5, 10 ** 6)}`;
}

/** A bank account with the consent of its holder. */
export function bankAccountOf(accountNumber: string): object {
  return {
    type: 'us_bank_account',
    us_bank_account: {
      account_number: accountNumber,
      routing_number: '110000000',
      account_type: 'checking',
      account_holder_type: 'individual',
    },
    mandate_data: { customer_acceptance: { type: 'online' } },
  };
}

export async function detach(player: Player, step: Of<'detach'>): Promise<void> {
  const method = player.pick(player.book.methods, step.pick);
  if (method === undefined) return;
  const expected = method.isDetached ? refused('payment_method_unattached') : OK;
  await player.post(`payment_methods/${method.id}/detach`, {}, expected);
  method.isDetached = true;
  if (method.customer.default === method) method.customer.default = undefined;
}

/** The customer pays with this card from now on, if nothing else is named. */
export async function defaultMethod(player: Player, step: Of<'defaultMethod'>): Promise<void> {
  const method = player.pick(player.book.methods, step.pick);
  if (method === undefined) return;
  const { customer, isDetached } = method;
  const refusal = customer.isDeleted
    ? refused('resource_missing', 404)
    : isDetached
      ? refused('payment_method_unattached')
      : undefined;
  const name = step.isUnset ? '' : method.id;
  const expected = refusal && (step.isUnset && !customer.isDeleted ? OK : refusal);
  const body = { invoice_settings: { default_payment_method: name } };
  await player.post(`customers/${customer.id}`, body, expected ?? OK);
  if ((expected ?? OK) === OK) customer.default = step.isUnset ? undefined : method;
}

/** The bank has renewed a card, or corrects a bank account; reports that are older than the newest change nothing. */
export async function renewed(player: Player, step: Of<'renewed'>): Promise<void> {
  const { book, setup } = player;
  const method = player.pick(book.methods, step.pick);
  if (method === undefined) return;
  const happenedMs = book.real.nowMs - step.agoMs;
  const last4 = String(step.last4);
  const isCard = method.type === 'card';
  const number = isCard ? last4 : `00012345${last4}`;
  const notice = newNotice(setup, {
    kind: 'account_update',
    data: {
      processorToken: method.token,
      ...(isCard ? { last4 } : { accountNumber: number }),
    },
  });
  await player.notify([{ ...notice, occurredAt: new Date(happenedMs).toISOString() }]);
  const isNewest = happenedMs >= method.updatedAtMs;
  // What a detached bank account has paid may still be refunded to it.
  if (isNewest && !(isCard && method.isDetached)) method.number = number;
  method.updatedAtMs = Math.max(method.updatedAtMs, happenedMs);
}

export async function deleteCustomer(player: Player, step: Of<'deleteCustomer'>): Promise<void> {
  const { book, merchant } = player;
  const customer = player.pick(book.customers, step.pick);
  if (customer === undefined) return;
  const path = `customers/${customer.id}`;
  const expected = customer.isDeleted ? refused('resource_missing', 404) : OK;
  player.assert(path, await merchant.remove(path), expected);
  customer.isDeleted = true;
  customer.default = undefined;
  for (const method of book.methods) if (method.customer === customer) method.isDetached = true;
}
