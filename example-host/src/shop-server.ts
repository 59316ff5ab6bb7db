import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { tlsServerOptions } from 'paymount';

/** PEM texts, as an authority issues them. */
export interface ShopCertificate {
  readonly key: string;
  readonly cert: string;
}

/** Serves over TLS if there is a certificate. Without one, a proxy must terminate TLS. */
export function createShopServer(certificate?: ShopCertificate): Server | TlsServer {
  if (certificate === undefined) return createServer();
  return createTlsServer({ ...tlsServerOptions(), ...certificate });
}
