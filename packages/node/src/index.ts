/** ServiceFido for backends: a client that calls the server with an application key, and a verifier of its tokens. */
export { ServiceFido } from './client.js';
export type { ClientSettings } from './client.js';
export { ServiceFidoError } from './error.js';
export type { Refusal } from './error.js';
export { KeysUnavailableError, TokenError, TokenVerifier } from './token-verifier.js';
export type { PasskeyClaims, Requirements, VerifierSettings } from './token-verifier.js';
export type * from './types.js';
