import { composeMail, type MailContent } from '../../changes/mails/compose-mail.ts';
import type { Mail } from '../../changes/mails/mail.ts';
import { describeMoment } from '../../kernel/basics/moment.ts';
import { DISABLE_AFTER_MS, type FailingEndpoint, NOTICE_MS } from './failing-endpoint.ts';

export type FailingTemplate = 'warning' | 'final_warning' | 'failing' | 'gone';

/**
 * The mail about an endpoint whose deliveries fail.
 * @param template a warning, or the reason for which the endpoint was disabled
 */
export function failingMail(
  failing: FailingEndpoint,
  template: FailingTemplate,
): Pick<Mail, 'subject' | 'text' | 'html'> {
  return composeMail(LETTERS[template](failing));
}

const LETTERS: Readonly<Record<FailingTemplate, (failing: FailingEndpoint) => MailContent>> = {
  warning: (failing) => ({
    subject: `${endpointOf(failing)} is failing`,
    parts: [
      `No delivery to a webhook endpoint of ${failing.account.name} has succeeded for more than a day.`,
      facts(failing),
      ...warning(failing),
    ],
  }),
  final_warning: (failing) => ({
    subject: `${endpointOf(failing)} will be disabled soon`,
    parts: [
      `No delivery to a webhook endpoint of ${failing.account.name} has succeeded for more than 60 hours.`,
      facts(failing),
      ...warning(failing),
    ],
  }),
  failing: (failing) => ({
    subject: `${endpointOf(failing)} was disabled`,
    parts: [
      `A webhook endpoint of ${failing.account.name} was disabled, because no delivery to it has ` +
        'succeeded for more than 72 hours.',
      facts(failing),
      ...disabled(failing),
    ],
  }),
  gone: (failing) => ({
    subject: `${endpointOf(failing)} was disabled`,
    parts: [
      `A webhook endpoint of ${failing.account.name} was disabled, because it answered 410 Gone.`,
      facts(failing),
      ...disabled(failing),
    ],
  }),
};

function endpointOf({ account, endpoint }: FailingEndpoint): string {
  return `A ${endpoint.environment} webhook endpoint of ${account.name}`;
}

/** The query of a URL is left out: some receivers put a secret in it. */
function facts(failing: FailingEndpoint): string[] {
  const { endpoint, failingSince } = failing;
  const { origin, pathname } = new URL(endpoint.url);
  return [
    `Endpoint: ${endpoint.id}`,
    `URL: ${origin}${pathname}`,
    `Environment: ${endpoint.environment}`,
    `Failing since: ${describeMoment(failingSince)}`,
    `Last failure: ${lastFailure(failing)}`,
  ];
}

function lastFailure({ lastStatus, lastError }: FailingEndpoint): string {
  if (lastStatus !== undefined) return `it answered with status ${lastStatus}`;
  return lastError === undefined ? 'unknown' : `no answer (${lastError})`;
}

function warning({ endpoint, failingSince, failedAt }: FailingEndpoint): string[] {
  const earliestMs = Math.max(
    failingSince.getTime() + DISABLE_AFTER_MS,
    failedAt.getTime() + NOTICE_MS,
  );
  return [
    'Paymount continues to retry. If every delivery fails until then, it disables the endpoint, at ' +
      `the earliest on ${describeMoment(new Date(earliestMs))}.`,
    'Please make your server answer deliveries with a status of 200 to 299 within 20 seconds. One ' +
      'successful delivery is enough: then the endpoint is no longer considered failing.',
    `If you no longer need the endpoint, delete it: DELETE /v1/webhook_endpoints/${endpoint.id}`,
  ];
}

function disabled({ endpoint }: FailingEndpoint): string[] {
  return [
    'Paymount sends nothing to it any more. Deliveries that were not finished wait until the ' +
      'endpoint is enabled. Later events are recorded, but not sent to it.',
    'Once your server answers again, enable the endpoint: POST ' +
      `/v1/webhook_endpoints/${endpoint.id} with disabled=false. The waiting deliveries then ` +
      'continue, and the answer says how many events were missed and since when; a replay sends ' +
      'them.',
  ];
}
