import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  exportJWK,
  exportSPKI,
  type GenerateKeyPairResult,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose';

/** A real server on loopback that publishes the keys with which it signs tokens of admins. */
export interface Issuer {
  /** The `iss` of its tokens. */
  readonly issuer: string;
  readonly jwksUri: string;
  /** How often its keys were asked for. */
  readonly asked: number;
  /** What it publishes now. */
  jwks(): { keys: JWK[] };
  /** The public key as PEM: what an attacker has at hand. */
  publicPem(): Promise<string>;
  /** Signs a token; `now` is when, in unix seconds. */
  sign(claims: JWTPayload, more?: SignedAs): Promise<string>;
  /** Publishes and signs with a new key; the old one is published no more. */
  rotate(): Promise<void>;
  /** Answers 500 from now on, or no longer. */
  fail(failing: boolean): void;
  close(): Promise<void>;
}

export interface SignedAs {
  /** @defaultValue at+jwt */
  readonly typ?: string;
  /** @defaultValue the one that is published */
  readonly kid?: string;
}

export const AUDIENCE = 'https://payments.test/admin';

/** Starts an issuer; `close()` it in `after`. */
export async function startIssuer(): Promise<Issuer> {
  let asked = 0;
  let failing = false;
  let number = 0;
  let pair: GenerateKeyPairResult;
  let published: { keys: JWK[] };
  const rotate = async (): Promise<void> => {
    number += 1;
    pair = await generateKeyPair('ES256', { extractable: true });
    const key = { ...(await exportJWK(pair.publicKey)), kid: `key-${number}`, alg: 'ES256' };
    published = { keys: [key] };
  };
  await rotate();
  const server = createServer((_request, response) => {
    asked += 1;
    response.statusCode = failing ? 500 : 200;
    response.end(JSON.stringify(published));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    issuer: `http://127.0.0.1:${port}`,
    jwksUri: `http://127.0.0.1:${port}/jwks`,
    get asked() {
      return asked;
    },
    jwks: () => published,
    publicPem: () => exportSPKI(pair.publicKey),
    sign: (claims, { typ = 'at+jwt', kid = `key-${number}` } = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ, kid }).sign(pair.privateKey),
    rotate,
    fail(now) {
      failing = now;
    },
    async close() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
