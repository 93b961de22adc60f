export { ALG } from './key-pair.js';
export {
  SoftAuthenticator,
  type CeremonyContext,
  type SoftAuthenticatorOptions,
} from './soft-authenticator.js';
export type {
  AuthenticationBody,
  CreationOptions,
  RegistrationBody,
  RequestOptions,
} from './ceremony-json.js';
export type { AuthenticationTweaks, RegistrationTweaks } from './tweaks.js';
export { attestationRoot } from './statements.js';
