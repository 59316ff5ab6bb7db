import {
  createAccountService,
  createGuard,
  createKeyService,
  keySights,
  OwnKeys,
} from '@paymount/auth';
import { createApi } from '@paymount/http';
import type { Factories } from './parts.ts';

/** Who may do what, and the faces that ask it. */
export const ACCESS_PARTS = {
  guard: (get) =>
    createGuard({
      credentials: get('postgres').credentials,
      clock: get('clock'),
      logger: get('logger'),
    }),
  accounts: (get) => createAccountService({ access: get('postgres').access, clock: get('clock') }),
  keys: (get) => {
    const { issuerTag } = get('options');
    return createKeyService({
      access: get('postgres').access,
      keys: get('postgres').directory.keys,
      clock: get('clock'),
      ...(issuerTag === undefined ? {} : { issuerTag }),
    });
  },
  keySights: (get) => {
    const { safeAfterSeconds } = get('options');
    return keySights({
      usage: get('postgres').usage,
      clock: get('clock'),
      ...(safeAfterSeconds === undefined ? {} : { safeAfterSeconds }),
    });
  },
  api: (get) =>
    createApi({
      ...get('services'),
      ownKeys: new OwnKeys({
        reader: get('postgres').directory.keys,
        service: get('keys'),
        sights: get('keySights'),
      }),
      resolver: get('resolver'),
      idempotency: get('postgres').storage.idempotency,
      sealer: get('sealer'),
      clock: get('clock'),
      fingerprintKey: get('fingerprintKey'),
    }),
} satisfies Partial<Factories>;
