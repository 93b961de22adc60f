/** ServiceFido SDK for browsers: registration of passkeys and security keys, and sign-in. No dependencies, one file. */
export { capabilities, isAutofillAvailable, isSupported } from './capabilities.js';
export { createClient } from './client.js';
export { ServiceFidoError } from './errors.js';
export { toAuthenticationJSON, toRegistrationJSON } from './json.js';
export type * from './types.js';
