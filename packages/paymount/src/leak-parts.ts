import {
  createLeakService,
  GithubKeys,
  githubKeyList,
  type LeakServicePorts,
  reportAddresses,
  UrlLeaks,
} from '@paymount/auth';
import { rotateSecrets } from '@paymount/core';
import type { Factories, Get } from './parts.ts';

/** What is done about credentials that somebody saw. */
export const LEAK_PARTS = {
  leaks: (get) => createLeakService(portsOf(get)),
  urlLeaks: (get) => {
    const ports = portsOf(get);
    return new UrlLeaks({
      report: (sightings) => reportAddresses(ports, sightings),
      logger: ports.logger,
    });
  },
  githubKeys: (get) =>
    new GithubKeys({
      fetchList: githubKeyList(get('options').leaks?.github?.keysUrl),
      clock: get('clock'),
      logger: get('logger'),
    }),
} satisfies Partial<Factories>;

function portsOf(get: Get): LeakServicePorts {
  const { leakPolicy: policy, mail: { operator } = {} } = get('options');
  const { access, directory, storage } = get('postgres');
  const rotation = { ...get('servicePorts'), storage };
  return {
    access,
    leaks: directory.leaks,
    endpointSecrets: directory.endpointSecrets,
    rotateSecrets: (call, which) => rotateSecrets(rotation, call, which),
    clock: get('clock'),
    logger: get('logger'),
    ...(policy && { policy }),
    ...(operator && { operator }),
  };
}
