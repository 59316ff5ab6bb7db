import type { Setup } from './setup.ts';

type Made = Awaited<ReturnType<Setup['paymount']['keys']['create']>>;

/** A secret key for the test environment. @param allowedIps @defaultValue any address */
export function makeKey(
  { paymount, merchant }: Setup,
  name: string,
  allowedIps?: readonly string[],
): Promise<Made> {
  return paymount.keys.create({
    account: merchant.account,
    livemode: false,
    type: 'secret',
    name,
    ...(allowedIps === undefined ? {} : { allowed_ips: allowedIps }),
  });
}
