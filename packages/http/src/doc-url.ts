import type { IncomingMessage } from 'node:http';
import { DOC_URL } from '@paymount/core/changes';
import { API_PAGE_PATH } from './api-page.ts';
import { formFor, type WriteForm } from './stripe-form.ts';

/** The beginning of every error body, and of no other body. */
const ERROR = '{"error":{';
const MEMBER = `"doc_url":"${DOC_URL}#`;

/** Where the errors of a mount are documented. */
export interface DocSettings {
  /** The URL of a page; `#` and the code are appended. */
  readonly docUrl?: string;
  /** Whether the mount serves its own page. @defaultValue false */
  readonly apiPage?: boolean;
}

/** @param mount its path: `/payments`, or an empty text for the root */
export type FormSelector = (request: IncomingMessage, mount: string) => WriteForm;

/**
 * The form in which a mount answers a request: as `formFor`, with `doc_url` as the host wants it.
 * Like the times of Stripe's form it is written when the answer is sent, so that a stored answer
 * serves all.
 */
export function createFormSelector(settings: DocSettings): FormSelector {
  const { docUrl, apiPage = false } = settings;
  if (docUrl === undefined && !apiPage) return formFor;
  return (request, mount) => {
    const form = formFor(request);
    // Without a host: a client chooses what it sends as `Host`, and behind proxies it is often wrong.
    const page = docUrl ?? mount + API_PAGE_PATH;
    return (body) => form(withDocUrl(body, page));
  };
}

/** The form of a router without its own page. */
export function docForm({ docUrl }: Pick<DocSettings, 'docUrl'>): WriteForm {
  return (body) => (docUrl === undefined ? body : withDocUrl(body, docUrl));
}

/** An error with another `doc_url`; any other body is unchanged. */
function withDocUrl(body: string, page: string): string {
  const at = body.startsWith(ERROR) ? body.lastIndexOf(MEMBER) : -1;
  if (at < 0) return body;
  const member = `"doc_url":${JSON.stringify(`${page}#`).slice(0, -1)}`;
  return body.slice(0, at) + member + body.slice(at + MEMBER.length);
}
