interface Failure {
  readonly name: string;
  /** What happened, and what its reader can do; the response says it if there is one. */
  readonly cure?: string;
}

/** Why an attempt failed, for people. */
const FAILURES: Readonly<Record<string, Failure>> = {
  timeout: {
    name: 'No answer in time',
    cure: 'Your server did not answer within 20 seconds. Answer first, and do the work afterwards.',
  },
  connection: {
    name: 'Connection failed',
    cure: 'Nothing took the connection. See whether your server runs, and whether its port is open.',
  },
  tls: {
    name: 'TLS failed',
    cure: 'The certificate was not accepted. It must be valid for the host name, and come with its chain.',
  },
  dns: {
    name: 'Name not found',
    cure: 'The host name has no address. See whether it is spelled right, and its DNS records.',
  },
  blocked_address: {
    name: 'Address not allowed',
    cure: 'The host name leads to an address, such as a private one, to which nothing is sent.',
  },
  redirect: {
    name: 'Redirect',
    cure: 'Redirects are not followed. Change the address of the endpoint to where it leads.',
  },
  http_status: { name: 'Status of the answer' },
  invalid_response: { name: 'Invalid answer', cure: 'What your server sent is not valid HTTP.' },
};

/** The failures by which attempts are filtered, with their names. */
export const FAILURE_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(FAILURES).map(([code, { name }]) => [code, name]),
);

/** The name of a failure. */
export function failureName(code: string): string {
  return FAILURES[code]?.name ?? code.replaceAll('_', ' ');
}

/** What to do after a failure; undefined if the response says it. */
export function failureCure(code: string | null): string | undefined {
  return FAILURES[code ?? '']?.cure;
}
