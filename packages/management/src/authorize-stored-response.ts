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
/** The `data` of an event is no list: the object in it belongs to the event's own account. */
const ShownResource = OwnedResource.extend({
  data: z.union([z.array(OwnedResource), z.looseObject({})]).optional(),
});

/**
 * Checks a stored answer before it is replayed, because its handler, which checks access and login,
 * does not run again.
 * @param body of a 200, as it was stored
 * @throws PaymountError 404 `resource_missing` for an object that the admin may no longer see; then
 *   as `requireIn`
 */
export function authorizeStoredResponse(call: AdminCall, body: string): void {
  const { data, ...resource } = ShownResource.parse(JSON.parse(body));
  const listed = Array.isArray(data) ? data : [];
  for (const { id, object, livemode, ...shown } of [resource, ...listed]) {
    const account = object === 'account' ? id : shown.account;
    const isForeign = typeof account === 'string' && !isVisible(call, account);
    // Platforms belong to no account: only admins of all accounts see them.
    if (isForeign || (object === 'platform' && call.admin.accounts !== 'all')) {
      throw new PaymountError(
        'resource_missing',
        'You may not see the object that this request created.',
      );
    }
    if (typeof livemode === 'boolean') requireIn(call, environmentOf(livemode));
  }
}

function isVisible({ admin }: AdminCall, account: string): boolean {
  const id = parseId('acct', account);
  return id !== undefined && isAccountInAdminScope(admin, id);
}
