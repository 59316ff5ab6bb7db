// Credential to principal: the format of keys, the guard with its lease-fenced cache, the
// decision about a route, and the sealing of secrets that must be read back.
// It knows no routes and no SQL; the rows come through core's `KeyReader` and `AccessWriter`.
// Start at `guard/authenticate.ts`, then `guard/epoch-sync.ts`: why a revoked key is refused in 500 ms.
export type { Guard, GuardPorts, GuardRequest } from './guard/authenticate.ts';
export { createGuard } from './guard/authenticate.ts';
export type { RouteAccess } from './guard/authorize-route.ts';
export { authorizeRoute } from './guard/authorize-route.ts';
export { challengeOf } from './guard/challenge.ts';
export { holdsCredential, mintKey } from './keys/key-format.ts';
export type { KeyRingOptions, RingKey } from './secrets/key-ring.ts';
export { KeyRing, loadKeyRing, parseKeyRing } from './secrets/key-ring.ts';
export type { KeyService, NewAccount, NewKey } from './keys/key-service.ts';
export { createKeyService } from './keys/key-service.ts';
export { Secret } from './secrets/secret.ts';
export { SecretBox } from './secrets/secret-box.ts';
