import type { Bank } from './objects.ts';
import { type Expected, OK, type Player, refused } from './player.ts';
import type { Of } from './steps.ts';

const NUMBERS = {
  object: 'bank_account',
  country: 'DE',
  currency: 'eur',
  account_number: 'DE89370400440532013000',
};

/** The first one of a currency becomes its default even if that is not asked for. */
export async function addBank(player: Player, { isDefault }: Of<'addBank'>): Promise<void> {
  const { book } = player;
  const body = { external_account: NUMBERS, default_for_currency: isDefault };
  const { json } = await player.post(pathTo(player), body, OK);
  const made = { id: String(json['id']), isDefault: false, isErrored: false, isDeleted: false };
  book.banks.push(made);
  if (isDefault || book.defaultBank === undefined) becomesDefault(player, made);
}

export async function defaultBank(player: Player, { pick }: Of<'defaultBank'>): Promise<void> {
  const bank = player.pick(player.book.banks, pick);
  if (bank === undefined) return;
  const expected = bank.isDeleted ? refused('resource_missing', 404) : OK;
  await player.post(`${pathTo(player)}/${bank.id}`, { default_for_currency: true }, expected);
  if (!bank.isDeleted) becomesDefault(player, bank);
}

export async function deleteBank(player: Player, { pick }: Of<'deleteBank'>): Promise<void> {
  const bank = player.pick(player.book.banks, pick);
  if (bank === undefined) return;
  const path = `${pathTo(player)}/${bank.id}`;
  const refusal = deleteRefusal(player, bank);
  player.assert(path, await player.merchant.remove(path), refusal ?? OK);
  if (refusal === undefined) bank.isDeleted = true;
}

function deleteRefusal({ book }: Player, bank: Bank): Expected | undefined {
  if (bank.isDeleted) return refused('resource_missing', 404);
  const others = book.banks.filter((each) => each !== bank && !each.isDeleted);
  const isAwaited = book.payouts.some(
    (payout) => payout.bank === bank && ['pending', 'in_transit'].includes(payout.status),
  );
  return (bank.isDefault && others.length > 0) || isAwaited
    ? refused('status_transition_invalid')
    : undefined;
}

/** An admin lets payouts go again to a bank account that had failed, and the one that waits is made. */
export async function restoreBank(player: Player, { pick }: Of<'restoreBank'>): Promise<void> {
  const { book, setup } = player;
  const bank = player.prefer(book.banks, ({ isErrored }) => isErrored, pick);
  if (bank === undefined) return;
  const refusal = restoreRefusal(bank);
  await player.admin(`bank_accounts/${bank.id}/restore`, {}, refusal ?? OK);
  if (refusal) return;
  bank.isErrored = false;
  book.plan.waitsUntilMs = 0;
  await setup.pass(0);
  await player.payBySchedule();
}

function restoreRefusal({ isDeleted, isErrored }: Bank): Expected | undefined {
  if (isDeleted) return refused('resource_missing', 404);
  return isErrored ? undefined : refused('status_transition_invalid');
}

function becomesDefault({ book }: Player, bank: Bank): void {
  for (const each of book.banks) each.isDefault = each === bank;
}

function pathTo({ merchant }: Player): string {
  return `accounts/${merchant.account}/external_accounts`;
}
