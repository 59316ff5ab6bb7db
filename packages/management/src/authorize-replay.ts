import {
  environmentOf,
  isAccountInAdminScope,
  PaymountError,
  parseId,
} from '@paymount/core/kernel';
import { z } from 'zod';
import { type AdminCall, requireIn } from './admin-call.ts';

const OwnedResource = z.looseObject({
  id: z.string().optional(),
  object: z.string().optional(),
  account: z.string().nullable().optional(),
  livemode: z.boolean().nullable().optional(),
});
const ShownResource = OwnedResource.extend({ data: z.array(OwnedResource).optional() });

/**
 * Judges an answer that was stored: its handler, which judges reach and login, did not run again.
 * @param body of a 200, as it was stored
 * @throws PaymountError 404 `resource_missing` for what has left the admin's reach; then as
 *   `requireIn`
 */
export function authorizeReplay(call: AdminCall, body: string): void {
  const { data = [], ...resource } = ShownResource.parse(JSON.parse(body));
  for (const { id, object, livemode, ...shown } of [resource, ...data]) {
    const account = object === 'account' ? id : shown.account;
    if (typeof account === 'string' && !isVisible(call, account)) {
      throw new PaymountError('resource_missing', 'What this request made is out of your reach.');
    }
    if (typeof livemode === 'boolean') requireIn(call, environmentOf(livemode));
  }
}

function isVisible({ admin }: AdminCall, account: string): boolean {
  const id = parseId('acct', account);
  return id !== undefined && isAccountInAdminScope(admin, id);
}
