import { createLeakService, GithubKeys, githubKeyList, UrlLeaks } from '@paymount/auth';
import { rotateSecrets } from '@paymount/core';
import type { Factories } from './parts.ts';

/** What is done about credentials that somebody saw. */
export const LEAK_PARTS = {
  leaks: (get) => {
    const { leakPolicy: policy, mail: { operator } = {} } = get('options');
    const { access, directory, storage } = get('postgres');
    const rotation = { ...get('servicePorts'), storage };
    return createLeakService({
      access,
      leaks: directory.leaks,
      endpointSecrets: directory.endpointSecrets,
      rotateSecrets: (call, which) => rotateSecrets(rotation, call, which),
      clock: get('clock'),
      logger: get('logger'),
      ...(policy && { policy }),
      ...(operator && { operator }),
    });
  },
  urlLeaks: (get) => new UrlLeaks({ leaks: get('leaks'), logger: get('logger') }),
  githubKeys: (get) =>
    new GithubKeys({
      fetchList: githubKeyList(get('options').leaks?.github?.keysUrl),
      clock: get('clock'),
      logger: get('logger'),
    }),
} satisfies Partial<Factories>;
