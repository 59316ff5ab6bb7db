import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tlsServerOptions } from 'paymount';

/**
 * A TLS server in a process of its own, to be started with flags of node; with `--ours` it spreads
 * `tlsServerOptions()`. Its parent gives it a certificate and gets its port.
 */
process.once('message', (certificate: { readonly key: string; readonly cert: string }) => {
  const settings = process.argv.includes('--ours') ? tlsServerOptions() : {};
  // The level at which OpenSSL 3 speaks old versions at all: only `minVersion` is left to refuse.
  const options = { ...settings, ciphers: 'DEFAULT@SECLEVEL=0', ...certificate };
  const server = createServer(options, (_, response) => response.end('{}'));
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
});
process.once('disconnect', () => process.exit());
