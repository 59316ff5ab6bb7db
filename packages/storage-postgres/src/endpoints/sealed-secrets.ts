import type { EndpointSecretId } from '@paymount/core';
import type { Session } from '../session.ts';

/** A signing secret as it is stored. */
export interface SealedSecret {
  readonly id: EndpointSecretId;
  /** Name of the key that sealed it. */
  readonly kid: string;
  readonly sealed: string;
}

/** One secret of each key that sealed any: what opens these opens all. */
export async function sealedSecrets(session: Session): Promise<readonly SealedSecret[]> {
  const { schema } = session.statements;
  const { rows } = await session.plain<SealedSecret>(
    `SELECT DISTINCT ON (kid) id, kid, sealed FROM ${schema}.endpoint_secrets ORDER BY kid, id DESC`,
  );
  return rows;
}
