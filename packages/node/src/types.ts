/**
 * Request and answer types of the calls. Bytes are Base64URL without padding. Times are ISO 8601 in UTC. A test
 * compares each type with its schema in the server's OpenAPI document.
 */

export type Requirement = 'preferred' | 'required' | 'discouraged';
export type Attachment = 'platform' | 'cross-platform' | 'all';

/** Options of every call. */
export interface CallOptions {
  /**
   * IP address of the client on whose behalf you call. Rate limits count this address. Without it, all calls of the
   * application key count together.
   */
  clientAddress?: string | undefined;
  /** Aborts the call. */
  signal?: AbortSignal | undefined;
}

/** Options of a result call. */
export interface ResultOptions extends CallOptions {
  /**
   * 1 to 64 visible ASCII characters. For ten minutes, a registration call with the same value and the same body
   * returns the first answer. Ignored by sign-ins.
   */
  idempotencyKey?: string | undefined;
}

interface Begin {
  username: string;
  /**
   * Your application's permanent ID of the user, 1 to 64 bytes of UTF-8. Tokens contain it as the claim `user_id`.
   * It is not the user handle of WebAuthn.
   */
  userId?: string;
  /** User verification requirement. Default: `preferred`. The policy takes precedence. */
  userVerification?: Requirement;
  /** Its members take precedence over the fields of the same names. */
  authenticatorSelection?: {
    requireResidentKey?: boolean;
    residentKey?: Requirement;
    userVerification?: Requirement;
    authenticatorAttachment?: Attachment;
  };
  /** Inputs of WebAuthn extensions in their JSON form, at most 2 KiB. */
  extensions?: Readonly<Record<string, unknown>>;
  /** Types of authenticator that the browser offers first, for example `security-key`. */
  hints?: readonly string[];
}

/** Body of `beginRegistration`. */
export interface BeginRegistration extends Begin {
  displayName: string;
  /** Groups of a user who does not exist yet, at most 50. Requires permission `groups`. */
  groups?: readonly string[];
  /** Requested attestation conveyance. Default: `none`. */
  attestation?: 'none' | 'direct' | 'indirect';
  /** Type of authenticator: built-in (`platform`), removable (`cross-platform`) or both. Default: `all`. */
  attachment?: Attachment;
  /** Names or COSE numbers, preferred first, for example `['es256', 'rs256']`. Default: ES256, EdDSA and RS256. */
  algorithms?: readonly (string | number)[];
  /** Whether the key must be discoverable, that is, a passkey. Default: `preferred`. The policy takes precedence. */
  residentKey?: Requirement;
  /** Device metadata to store with the key, at most 4 KiB. Its member `name` becomes the name of the key. */
  keypair?: Readonly<Record<string, unknown>>;
}

/** Body of `beginAuthentication`. */
export interface BeginAuthentication extends Begin {
  /** Value of the claim `nonce` of the token, 1 to 255 bytes of UTF-8. */
  nonce?: string;
  /** Audience of the token: one of the policy's `audiences`. Default: the relying party. */
  audience?: string;
  /** Authentication context class that the key must reach. `phrh`: attested hardware. */
  acr?: 'phr' | 'phrh';
  /** The transaction that the user confirms: a text of at most 1 KiB, or its SHA-256 in Base64URL. */
  transaction?: { text: string } | { hash: string };
  /** Code of an open invitation of this user. It counts as a second factor, like `secondFactor`. */
  ticket?: string;
  /**
   * Your backend has just checked a second factor of this user. If the sign-in verifies the user, later sign-ins
   * with this key are verified sign-ins. Requires permission `second-factor`. Never copy this value from a request of a
   * page.
   */
  secondFactor?: boolean;
}

/** Members of every successful answer. */
export interface Ok {
  status: 'ok';
  errorMessage: '';
  /** Sentences, for example about fields of the request that the call does not know. Absent if there are none. */
  warnings?: string[];
}

/** Answer of a begin call. Pass it to the page or app that calls the authenticator. */
interface Begun extends Ok {
  challenge: string;
  /** Timeout of the prompt in milliseconds. */
  timeout: number;
  /** ID of the ceremony. Keep it in the user's session and send it in the result call. */
  ceremony: string;
  extensions?: Record<string, unknown>;
  hints?: string[];
}

interface Descriptor {
  type: 'public-key';
  id: string;
  transports?: string[];
}

/** Answer of `beginRegistration`: PublicKeyCredentialCreationOptionsJSON (WebAuthn L3 §5.1.9). */
export interface CreationOptions extends Begun {
  rp: { id: string; name: string };
  user: { id: string; name: string; displayName: string };
  pubKeyCredParams: { type: 'public-key'; alg: number }[];
  excludeCredentials: Descriptor[];
  authenticatorSelection: {
    authenticatorAttachment?: 'platform' | 'cross-platform';
    residentKey?: Requirement;
    requireResidentKey?: boolean;
    userVerification?: Requirement;
  };
  attestation: string;
}

/** Answer of `beginAuthentication`: PublicKeyCredentialRequestOptionsJSON (WebAuthn L3 §5.1.10). */
export interface RequestOptions extends Begun {
  rpId: string;
  allowCredentials: Descriptor[];
  userVerification: Requirement;
}

interface Result<Response> {
  /** `ceremony` from the answer of the begin call. */
  ceremony: string;
  type: 'public-key';
  id: string;
  rawId: string;
  authenticatorAttachment?: 'platform' | 'cross-platform';
  response: Response;
  clientExtensionResults?: object;
}

/** Body of `completeRegistration`: RegistrationResponseJSON (WebAuthn L3 §5.1.8) with `ceremony`. */
export type RegistrationResult = Result<{
  clientDataJSON: string;
  attestationObject: string;
  transports?: readonly string[];
}>;

/** Body of `completeAuthentication`: AuthenticationResponseJSON (WebAuthn L3 §5.1.8) with `ceremony`. */
export type AuthenticationResult = Result<{
  clientDataJSON: string;
  authenticatorData: string;
  signature: string;
  userHandle?: string;
}>;

/** Name of the exception with which the browser ended a prompt. The server counts any other name as `other`. */
export type PromptError =
  | 'AbortError'
  | 'ConstraintError'
  | 'InvalidStateError'
  | 'NotAllowedError'
  | 'NotSupportedError'
  | 'OperationError'
  | 'SecurityError'
  | 'TimeoutError'
  | 'UnknownError';

/** Report of a prompt that ended without a key. */
export interface GivenUp {
  ceremony: string;
  /** Challenge from the answer of the begin call. */
  challenge: string;
  /** Name of the browser's exception. */
  error: PromptError;
}

/** Input of the browser's Signal API (WebAuthn L3 §5.1.10). Pass it to the page. */
export interface Signals {
  rpId: string;
  /** User handle in Base64URL. */
  userId: string;
  /** Credential IDs of all keys of the user, including disabled keys. */
  allAcceptedCredentialIds: string[];
  name: string;
  displayName: string;
}

/** Answer of `completeRegistration`. */
export interface Registered extends Ok {
  username: string;
  credentialId: string;
  /** Model of the authenticator. */
  aaguid: string;
  /** Name of the model, or `null` if it is unknown. */
  authenticatorName: string | null;
  /** Whether the authenticator verified the user by PIN or biometrics. */
  userVerified: boolean;
  attestation: { format: string; type: string; trusted: boolean };
  /** Whether the key can be synced. */
  backupEligible: boolean;
  /** Whether the key is synced. */
  backedUp: boolean;
  signals: Signals;
}

/** A key that was added to the user's keys. */
export interface AddedKey {
  credentialId: string;
  deviceName: string;
  createdAt: string;
  /** Absent for keys that version 1.0 of the server stored. `account`: by a ticket of the help desk. */
  origin?: 'user' | 'invitation' | 'application' | 'account' | 'import' | 'upgrade';
}

/** Answer of `completeAuthentication`. */
export interface Authenticated extends Ok {
  username: string;
  displayName: string;
  credentialId: string;
  /** Model of the authenticator. */
  aaguid: string;
  /** Whether the authenticator verified the user in this sign-in. */
  userVerified: boolean;
  /** Signature counter of the key. */
  signCount: number;
  /** Whether the key is synced. */
  backedUp: boolean;
  signals: Signals;
  /** Signed JWT. Absent if the server runs with `--jwt off`. */
  token?: string;
  /** ID of the receipt that proves the transaction. Present only with `transaction`. */
  receipt?: string;
  /** A policy rule will refuse this key from the time `from` on. Ask the user to register another key. */
  notice?: { rule: string; errorCode: string; from: string };
  /** Keys that were added since the previous sign-in with this key, oldest first. Show them to the user. */
  newKeys?: AddedKey[];
  /** During a move to a new domain: creation options for a key of the new domain. */
  upgrade?: Omit<CreationOptions, 'ceremony'> & { ceremony?: string };
}

/** Body of `issueTicket`. */
export interface TicketRequest {
  username: string;
  /** Display name of the user. Takes precedence over the one in the begin call. */
  displayName?: string;
  /** Validity in seconds, at most 86,400. Default: 600. */
  ttl?: number;
}

/** Answer of `issueTicket`. */
export interface Ticket extends Ok {
  /** Permits one registration of this user. The page sends it in the begin call. */
  ticket: string;
  username: string;
  relyingParty: string;
  /** Validity in seconds. */
  ttl: number;
  expiresAt: string;
}

/** Query of `listUsers` and `users`. */
export interface UserQuery {
  /** User name. `*` matches any characters. */
  filter?: string;
  /** Name of a key, or credential ID. `*` matches any characters. */
  device?: string;
  /** Maximum number of users per page, 1 to 1,000. Default: 100. */
  limit?: number;
  /** `next` from the previous page. */
  cursor?: string;
}

/** A key of a user, as listed. */
export interface Credential {
  credentialId: string;
  /** Name of the key. Unique for its user. */
  deviceName: string;
  /** Model of the authenticator. */
  aaguid: string;
  /** Name of the model, or `null` if it is unknown. */
  authenticatorName: string | null;
  registrationDate: string | null;
  lastUsed: string | null;
  /** Device metadata from the registration. */
  keypair: unknown;
  /** Whether the key can sign in. */
  enabled: boolean;
  /** Signature counter of the key. */
  signCount: number;
  transports: string[];
  attestationFormat: string;
  /** Whether the key can be synced. */
  backupEligible: boolean;
  /** Whether the key is synced. */
  backedUp: boolean;
  /** Serial number of the authenticator in hexadecimal, if a trusted enterprise attestation contains it. */
  serialNumber?: string;
}

export interface User {
  username: string;
  displayName: string;
  relyingParty: string;
  createdAt: string | null;
  /** Who suspends the user; absent if the user is not suspended. */
  suspendedBy?: ('helpDesk' | 'directory')[];
  credentials: Credential[];
}

/** Answer of `listUsers`. */
export interface UserPage extends Ok {
  /** Number of all matching users. */
  total: number;
  /** Present if `total` is incomplete or half a minute old. */
  totalExact?: false;
  users: User[];
  /** `cursor` of the next page, or `null` on the last page. */
  next: string | null;
}

/** Changes of users and keys, as the server's interface names them. */
export type UserChange =
  'deluser' | 'deldevice' | 'disableall' | 'enableall' | 'disabledevice' | 'enabledevice';

/** Answer of a call that changes users or keys. */
export interface Changed extends Ok {
  type: UserChange;
  /** Number of changed users. */
  users: number;
  /** Number of changed keys. */
  credentials: number;
  affected: { username: string; credentialIds: string[] }[];
  /** Present if more users were changed than `affected` lists. */
  affectedComplete?: false;
  /** Permissions to register a key that `disableall` or `deluser` ended. */
  ended?: { tickets: number; invitations: number };
}

/** Query of `listEvents`. */
export interface EventQuery {
  /** User name. Also finds events under earlier names of the user. */
  user?: string;
  /** ID of a request, from its answer. */
  requestId?: string;
  /** Earliest day or time. */
  from?: string;
  /** Day or time before which the events happened. */
  to?: string;
  outcome?: 'ok' | 'refused';
  /** `next` from the previous page. */
  cursor?: string;
  /** Maximum number of events per page, 1 to 1,000. Default: 100. */
  limit?: number;
}

export interface Event {
  /** Unique ID. The same in `listEvents`, `readEvents` and webhooks. */
  id: string;
  at: string;
  relyingParty: string;
  username: string | null;
  /** First eight bytes of the SHA-256 of the credential ID, in hexadecimal. */
  credential: string | null;
  /** Kind of event, for example `registration`. */
  kind: string;
  outcome: 'ok' | 'refused';
  errorCode: string | null;
  /** Further detail, for example the exact cause. */
  detail: unknown;
  /** Explanation of the event in English. */
  explanation: string;
  requestId: string | null;
}

/** Answer of `listEvents`. */
export interface EventPage extends Ok {
  events: Event[];
  /** `cursor` of the next page, or `null` on the last page. */
  next: string | null;
}

/** Answer of `readEvents`. */
export interface EventsRead extends Ok {
  events: Event[];
  /** Argument `after` of the next call. */
  next: string;
  /** Whether more events may be available at once. */
  more: boolean;
}
