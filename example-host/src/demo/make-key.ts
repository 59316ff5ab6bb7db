import type { Stage } from './stage.ts';

type Made = Awaited<ReturnType<Stage['paymount']['keys']['create']>>;

/** A secret key for the test environment. @param allowedIps @defaultValue any address */
export function makeKey(
  { paymount, merchant }: Stage,
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
