import type { AccessStorage } from '../../access/access-storage.ts';
import type { AccountReader } from '../../access/accounts/account-repository.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { CrashPoint } from '../../kernel/basics/crash-point.ts';
import type { Sealer } from '../../kernel/secrets/sealer.ts';
import type { OAuthRepositories } from '../oauth-storage.ts';
import type { OAuthTokenReader } from './token-repository.ts';

/** The dependencies of the token service. */
export interface TokenServicePorts {
  readonly access: AccessStorage<OAuthRepositories>;
  readonly tokens: OAuthTokenReader;
  readonly accounts: AccountReader;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly crashPoint: CrashPoint;
  /** 2-8 letters or digits that mark the tokens of this installation. @defaultValue `pm` */
  readonly issuerTag?: string;
}
