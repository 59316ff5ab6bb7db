import type { IncomingMessage } from 'node:http';
import { type Environment, PaymountError } from '@paymount/core/kernel';

/** One environment per mount, or chosen by the request, for example by its host name. */
export type MountEnvironment =
  | Environment
  | ((request: IncomingMessage) => Environment | undefined);

/** The environment of a request. @throws PaymountError 421 `environment_unknown` */
export function environmentFor(mount: MountEnvironment, request: IncomingMessage): Environment {
  const chosen = typeof mount === 'function' ? mount(request) : mount;
  if (chosen === undefined) throw new PaymountError('environment_unknown');
  return chosen;
}
