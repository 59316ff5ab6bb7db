import type { Maker } from '../../kernel/callers/maker.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Endpoint } from './endpoint.ts';

/** The platform of a token, which reaches only endpoints whose URL it set; undefined for others. */
export function platformOf({ principal }: Call): Maker['id'] | undefined {
  return principal.kind === 'token' ? principal.platformId : undefined;
}

/** Whether the caller may read an endpoint, change it, and have events sent to it. */
export function isOwn(call: Call, { urlSetBy }: Endpoint): boolean {
  const platform = platformOf(call);
  return platform === undefined || (urlSetBy?.type === 'platform' && urlSetBy.id === platform);
}

/**
 * The scope of a token does not reach what the merchant, or another platform, registered.
 * @param param the parameter that names the endpoint, if it is not the path
 * @throws PaymountError `permission_denied`
 */
export function assertOwn(call: Call, endpoint: Endpoint, param?: string): void {
  if (isOwn(call, endpoint)) return;
  throw new PaymountError(
    'permission_denied',
    `The URL of webhook endpoint ${endpoint.id} was not set by this platform, which reaches only ` +
      'endpoints whose URL it set. Register one of your own, or ask the merchant to change this one.',
    param === undefined ? {} : { param },
  );
}
