export {
  Authenticator,
  type AuthenticatorSettings,
  type Ceremony,
  type SignIn,
} from './authenticator.js';
export { testRoot } from './attester.js';
export type {
  AuthenticationBody,
  CreationOptions,
  RegistrationBody,
  RequestOptions,
} from './ceremony-json.js';
export { type Metadata, type ModelMetadata, writeMetadata } from './metadata.js';
export { type RunningServer, type ServerSettings, startServer } from './server.js';
