import type { Finding } from '@paymount/core/store';
import { checkProxy, type ProxyVerdict } from '@paymount/webhooks';

const STOPPED = 'Nothing is sent meanwhile, and no attempt is used up.';

/** No message names the address, which may contain a password. */
const FINDINGS: Readonly<Record<ProxyVerdict, Omit<Finding, 'subject'>>> = {
  ready: { verdict: 'ok', message: 'It answers, and accepts the credentials.' },
  unreachable: {
    verdict: 'problem',
    message: `It cannot be reached from this machine. ${STOPPED} Check \`egress.proxy\`.`,
  },
  credentials_refused: {
    verdict: 'problem',
    message: `It refuses the credentials. ${STOPPED} Check the user and the password in \`egress.proxy\`.`,
  },
  no_http: {
    verdict: 'problem',
    message:
      'It does not answer as an HTTP proxy, so all deliveries fail. Check the port in `egress.proxy`.',
  },
};

/**
 * Looks at the proxy through which webhooks leave; it connects to no receiver.
 * @param url undefined if the installation uses none
 */
export async function examineProxy(url: string | undefined): Promise<readonly Finding[]> {
  return url === undefined ? [] : [{ subject: 'proxy', ...FINDINGS[await checkProxy(url)] }];
}
