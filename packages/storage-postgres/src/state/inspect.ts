import { toError } from '@paymount/core/kernel';
import type { Finding } from '@paymount/core/store';
import type { Session } from '../transaction/session.ts';
import { inspectAutovacuum } from './inspect-autovacuum.ts';
import { inspectClients } from './inspect-clients.ts';
import { inspectLocks } from './inspect-locks.ts';
import { inspectSchema } from './inspect-schema.ts';
import { inspectServer } from './inspect-server.ts';

type Inspection = (session: Session) => Promise<readonly Finding[]>;

const INSPECTIONS: Readonly<Record<string, Inspection>> = {
  schema: inspectSchema,
  server: inspectServer,
  locks: inspectLocks,
  autovacuum: inspectAutovacuum,
  clients: inspectClients,
};

/** What an operator should know about the schema and the server; each part by itself. */
export async function inspect(session: Session): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [subject, look] of Object.entries(INSPECTIONS)) {
    findings.push(...(await look(session).catch((error: unknown) => [notRead(subject, error)])));
  }
  return findings;
}

function notRead(subject: string, error: unknown): Finding {
  const message = `It could not be read: ${toError(error).message}`;
  return { subject, verdict: 'problem', message };
}
