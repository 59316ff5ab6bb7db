import type { Method } from './book.ts';
import { OK, type Player, refused } from './player.ts';
import type { Of } from './steps.ts';

export async function attach(player: Player, step: Of<'attach'>): Promise<void> {
  const { book } = player;
  let customer = player.pick(book.customers, step.pick);
  if (customer === undefined || step.pick % 3 === 0) {
    const { json } = await player.post('customers', {}, OK);
    customer = { id: String(json['id']), isDeleted: false };
    book.customers.push(customer);
  }
  const card = { token: 'tok_visa' };
  const { json } = await player.post('payment_methods', { type: 'card', card }, OK);
  const method: Method = { id: String(json['id']), customer, isDetached: false };
  const expected = customer.isDeleted ? refused('resource_missing') : OK;
  await player.post(`payment_methods/${method.id}/attach`, { customer: customer.id }, expected);
  if (!customer.isDeleted) book.methods.push(method);
}

export async function detach(player: Player, step: Of<'detach'>): Promise<void> {
  const method = player.pick(player.book.methods, step.pick);
  if (method === undefined) return;
  const expected = method.isDetached ? refused('payment_method_unattached') : OK;
  await player.post(`payment_methods/${method.id}/detach`, {}, expected);
  method.isDetached = true;
}

export async function deleteCustomer(player: Player, step: Of<'deleteCustomer'>): Promise<void> {
  const { book, merchant } = player;
  const customer = player.pick(book.customers, step.pick);
  if (customer === undefined) return;
  const path = `customers/${customer.id}`;
  const expected = customer.isDeleted ? refused('resource_missing', 404) : OK;
  player.assert(path, await merchant.remove(path), expected);
  customer.isDeleted = true;
  for (const method of book.methods) if (method.customer === customer) method.isDetached = true;
}
