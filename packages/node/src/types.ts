/**
 * What the calls of an application take and give. Bytes are Base64URL, times are ISO 8601 in UTC. A test holds
 * each of these types against the schema that the server's OpenAPI document has of it.
 */

export type Requirement = 'preferred' | 'required' | 'discouraged';
export type Attachment = 'platform' | 'cross-platform' | 'all';

/** Options of any call besides its body. */
export interface CallOptions {
  /** Address of the client for whom it is made: limits count that one, else the key. */
  clientAddress?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface ResultOptions extends CallOptions {
  /** 1–64 visible ASCII characters: for ten minutes the same call gets the same answer again. */
  idempotencyKey?: string | undefined;
}

interface Begin {
  username: string;
  /** What your application calls the user, for ever: 1–64 bytes; tokens carry it as `user_id`. */
  userId?: string;
  userVerification?: Requirement;
  authenticatorSelection?: {
    requireResidentKey?: boolean;
    residentKey?: Requirement;
    userVerification?: Requirement;
    authenticatorAttachment?: Attachment;
  };
  extensions?: Readonly<Record<string, unknown>>;
  hints?: readonly string[];
}

export interface BeginRegistration extends Begin {
  displayName: string;
  attestation?: 'none' | 'direct' | 'indirect';
  attachment?: Attachment;
  algorithms?: readonly (string | number)[];
  residentKey?: Requirement;
  keypair?: Readonly<Record<string, unknown>>;
}

export interface BeginAuthentication extends Begin {
  /** Comes back in the token: 1 to 255 bytes of UTF-8. */
  nonce?: string;
  /** For whom the token is, instead of the relying party: one of its policy's `audiences`. */
  audience?: string;
  /** What the key must give: `phrh` is hardware that was attested. */
  acr?: 'phr' | 'phrh';
  /** What the user agrees to: a text of at most 1 KiB, or a SHA-256 in Base64URL. */
  transaction?: { text: string } | { hash: string };
  /** The code of an open invitation of this user. */
  ticket?: string;
  /**
   * Scope `second-factor`: your backend has just checked a second factor of this user, so that the user
   * verification of the key counts from now on. Never pass on what a page says here.
   */
  secondFactor?: boolean;
}

export interface Ok {
  status: 'ok';
  errorMessage: '';
}

/** Of a begin call: to be handed to the page, or app, that asks the authenticator. */
interface Begun extends Ok {
  challenge: string;
  /** Milliseconds. */
  timeout: number;
  /** To be sent back beside what the authenticator answered; keep it with the user's session. */
  ceremony: string;
  extensions?: Record<string, unknown>;
  hints?: string[];
  /** Fields that the server does not know and has ignored, in words. */
  warnings?: string[];
}

interface Descriptor {
  type: 'public-key';
  id: string;
  transports?: string[];
}

/** L3 §5.1.9 PublicKeyCredentialCreationOptionsJSON. */
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

/** L3 §5.1.10 PublicKeyCredentialRequestOptionsJSON. */
export interface RequestOptions extends Begun {
  rpId: string;
  allowCredentials: Descriptor[];
  userVerification: Requirement;
}

interface Result<Response> {
  ceremony: string;
  type: 'public-key';
  id: string;
  rawId: string;
  authenticatorAttachment?: 'platform' | 'cross-platform';
  response: Response;
  clientExtensionResults?: object;
}

/** L3 §5.1.8 RegistrationResponseJSON, and the ceremony. */
export type RegistrationResult = Result<{
  clientDataJSON: string;
  attestationObject: string;
  transports?: readonly string[];
}>;

/** L3 §5.1.8 AuthenticationResponseJSON, and the ceremony. */
export type AuthenticationResult = Result<{
  clientDataJSON: string;
  authenticatorData: string;
  signature: string;
  userHandle?: string;
}>;

/** What browsers call the end of a prompt; another name is counted as `other`. */
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

/** What the page learnt of a prompt that gave no key. */
export interface GivenUp {
  ceremony: string;
  challenge: string;
  /** The name of the browser's exception. */
  error: PromptError;
}

/** For the browser's Signal API (L3 §5.1.10): hand them on to the page. */
export interface Signals {
  rpId: string;
  userId: string;
  allAcceptedCredentialIds: string[];
  name: string;
  displayName: string;
}

export interface Registered extends Ok {
  username: string;
  credentialId: string;
  aaguid: string;
  authenticatorName: string | null;
  userVerified: boolean;
  attestation: { format: string; type: string; trusted: boolean };
  backupEligible: boolean;
  backedUp: boolean;
  signals: Signals;
}

export interface Authenticated extends Ok {
  username: string;
  displayName: string;
  credentialId: string;
  aaguid: string;
  userVerified: boolean;
  signCount: number;
  backedUp: boolean;
  signals: Signals;
  /** A signed JWT, unless the server runs with `--jwt off`. */
  token?: string;
  /** Where a transaction was agreed to: under this ID its proof is kept. */
  receipt?: string;
  /** The key breaks a rule that will hold for sign-ins from then on: ask its user to get another. */
  notice?: { rule: string; errorCode: string; from: string };
  /** Of a sign-in with a key of the old domain: for a key of the new one. */
  upgrade?: Omit<CreationOptions, 'ceremony'> & { ceremony?: string };
}

export interface TicketRequest {
  username: string;
  /** What the user is called, whatever the begin call says. */
  displayName?: string;
  /** Seconds; 600 unless named. */
  ttl?: number;
}

export interface Ticket extends Ok {
  /** For one registration of this user; the page sends it with its begin call. */
  ticket: string;
  username: string;
  relyingParty: string;
  ttl: number;
  expiresAt: string;
}

export interface UserQuery {
  /** User name; `*` matches any characters. */
  filter?: string;
  /** Device name or credential ID. */
  device?: string;
  /** Users of one page, at most 1000. */
  limit?: number;
  /** `next` of the page before. */
  cursor?: string;
}

export interface Credential {
  credentialId: string;
  deviceName: string;
  aaguid: string;
  authenticatorName: string | null;
  registrationDate: string | null;
  lastUsed: string | null;
  keypair: unknown;
  enabled: boolean;
  signCount: number;
  transports: string[];
  attestationFormat: string;
  backupEligible: boolean;
  backedUp: boolean;
  /** Of the authenticator, hexadecimal, if a trusted enterprise attestation contains it. */
  serialNumber?: string;
}

export interface User {
  username: string;
  displayName: string;
  relyingParty: string;
  createdAt: string | null;
  credentials: Credential[];
}

export interface UserPage extends Ok {
  total: number;
  /** Present where `total` is what was counted so far. */
  totalExact?: false;
  users: User[];
  /** Cursor of the next page, `null` behind the last. */
  next: string | null;
}

export type UserChange =
  'deluser' | 'deldevice' | 'disableall' | 'enableall' | 'disabledevice' | 'enabledevice';

export interface Changed extends Ok {
  type: UserChange;
  /** How many have changed since. */
  users: number;
  credentials: number;
  affected: { username: string; credentialIds: string[] }[];
  /** Present where more users were changed than `affected` lists. */
  affectedComplete?: false;
}

export interface EventQuery {
  user?: string;
  requestId?: string;
  from?: string;
  to?: string;
  outcome?: 'ok' | 'refused';
  cursor?: string;
  limit?: number;
}

export interface Event {
  /** The same however often it is read, and by which way. */
  id: string;
  at: string;
  relyingParty: string;
  username: string | null;
  /** Fingerprint of the credential: SHA-256, in hexadecimal. */
  credential: string | null;
  kind: string;
  outcome: 'ok' | 'refused';
  errorCode: string | null;
  detail: unknown;
  /** In words. */
  explanation: string;
  requestId: string | null;
}

export interface EventPage extends Ok {
  events: Event[];
  /** Cursor of the next page, `null` behind the last. */
  next: string | null;
}

export interface EventsRead extends Ok {
  events: Event[];
  /** Where to go on. */
  next: string;
  /** Whether there is more already. */
  more: boolean;
}
