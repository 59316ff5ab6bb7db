// Credential to principal: the format of keys, the guard with its lease-fenced cache, the
// decision about a route, and the sealing of secrets that must be read back.
// It knows no routes and no SQL; the rows come through core's `KeyReader` and `AccessWriter`.
// Start at `authenticate.ts`, then `epoch-sync.ts`: why a revoked key is refused in 500 ms.
export type { Guard, GuardPorts, GuardRequest } from './authenticate.ts';
export { createGuard } from './authenticate.ts';
export type { RouteAccess } from './authorize-route.ts';
export { authorizeRoute } from './authorize-route.ts';
export { challengeOf } from './challenge.ts';
export { holdsCredential, mintKey } from './key-format.ts';
export type { KeyRingOptions, RingKey } from './key-ring.ts';
export { KeyRing, loadKeyRing, parseKeyRing } from './key-ring.ts';
export type { KeyService, NewAccount, NewKey } from './key-service.ts';
export { createKeyService } from './key-service.ts';
export { Secret } from './secret.ts';
export { SecretBox } from './secret-box.ts';
