import { GITHUB, GithubKeys, githubKeyList, githubSource } from '@paymount/auth';
import {
  createLeakService,
  type LeakServicePorts,
  reportUrls,
  sourcesByName,
  URL_SOURCE,
  UrlLeaks,
} from '@paymount/core/access';
import { rotateSecrets } from '@paymount/core/events';
import { withOAuthLeaks } from '@paymount/core/oauth';
import type { Factories, Get } from './parts.ts';

/** The handling of leaked credentials. */
export const LEAK_PARTS = {
  leaks: (get) => {
    const { clock, logger, policy } = buildPorts(get);
    return withOAuthLeaks(createLeakService(buildPorts(get)), {
      access: get('access'),
      secrets: get('stores').directory.platforms,
      platforms: get('platforms'),
      clock,
      logger,
      ...(policy && { policy }),
    });
  },
  urlLeaks: (get) => {
    const ports = buildPorts(get);
    return new UrlLeaks({
      report: (exposures) => reportUrls(ports, exposures),
      logger: ports.logger,
    });
  },
  leakSources: (get) => {
    const { github, sources = [] } = get('options').leaks ?? {};
    const [clock, logger] = [get('clock'), get('logger')];
    const keys = new GithubKeys({ fetchList: githubKeyList(github?.keysUrl), clock, logger });
    const others = sourcesByName(sources, [GITHUB, URL_SOURCE]);
    return new Map([[GITHUB, githubSource(keys)], ...others]);
  },
} satisfies Partial<Factories>;

function buildPorts(get: Get): LeakServicePorts {
  const { leakPolicy: policy, mail: { operator } = {} } = get('options');
  const { directory, storage } = get('stores');
  const rotation = { ...get('servicePorts'), storage };
  return {
    access: get('access'),
    leaks: directory.leaks,
    endpointSecrets: directory.endpointSecrets,
    rotateSecrets: (call, which) => rotateSecrets(rotation, call, which),
    clock: get('clock'),
    logger: get('logger'),
    ...(policy === undefined ? {} : { policy }),
    ...(operator && { operator }),
  };
}
