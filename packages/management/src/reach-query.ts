import {
  type AccountId,
  type Environment,
  environmentOf,
  PaymountError,
  parseId,
} from '@paymount/core';
import { ListQuery } from '@paymount/http';
import { z } from 'zod';

/** What every list of an admin takes. */
export const ReachQuery = ListQuery.extend({
  account: z.string().max(255).optional().meta({ description: 'Only those of this account.' }),
  livemode: z.boolean().optional(),
});

/** The filters in it. @throws PaymountError 400 `parameter_invalid` for what is no account id */
export function filterOf(query: {
  readonly account?: string | undefined;
  readonly livemode?: boolean | undefined;
}): { readonly account?: AccountId; readonly environment?: Environment } {
  const { account, livemode } = query;
  return {
    ...(account === undefined ? {} : { account: idIn('acct', account, 'account') }),
    ...(livemode === undefined ? {} : { environment: environmentOf(livemode) }),
  };
}

/** An id that a filter names. @throws PaymountError 400 `parameter_invalid` */
export function idIn<const Prefix extends string>(prefix: Prefix, text: string, param: string) {
  const id = parseId(prefix, text);
  if (id !== undefined) return id;
  const message = `${param} is no id that begins with ${prefix}_.`;
  throw new PaymountError('parameter_invalid', message, { param });
}
