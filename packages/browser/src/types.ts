/** Options, answers and errors of the SDK. Names are those of the server's interface and of WebAuthn Level 3. */

/** Kind of an error, for code that decides what to do next. */
export type ErrorKind =
  | 'cancelled' // the user closed the prompt, or the browser refused without a reason
  | 'timeout' // the prompt was not answered within the server's timeout
  | 'aborted' // by `abort()`, by the signal of the call, or by a newer call of the same client
  | 'already_registered' // the authenticator already has a key of this user
  | 'bad_domain' // the page's domain cannot use this relying party, or the page's origin is not listed
  | 'insecure' // the page was loaded over plain HTTP, and not from localhost
  | 'embedded' // the page is in a frame whose `allow` does not permit the call (where the browser tells)
  | 'unsupported' // the browser has no WebAuthn, or no authenticator can do what was requested
  | 'busy' // another WebAuthn request of the page is pending
  | 'network' // the server was not reached, or CORS blocked the call
  | 'expired' // the ceremony has expired, or its cookie is missing (E0024R, except mistakes of application or proxy)
  | 'server'; // the server refused the call: see `errorCode` and `status`

/** Input of `signalUnknownCredential()` of the Signal API (WebAuthn L3 §5.1.10). */
export interface UnknownCredential {
  rpId: string;
  credentialId: string;
}

/** All current keys of a user, including disabled keys. Input of the Signal API (WebAuthn L3 §5.1.10). */
export interface Signals {
  rpId: string;
  /** User handle in Base64URL. */
  userId: string;
  allAcceptedCredentialIds: string[];
  name: string;
  displayName: string;
}

/** Details of a refusal by the server. Absent for errors of the browser. */
export interface ErrorDetails {
  /** Error code of the server, for example `E0032R`. */
  errorCode?: string;
  /** Cause of the refusal, as a stable key such as `origin.notAllowed`. The server's docs/errors.md lists them. */
  reason?: string;
  /** HTTP status. */
  status?: number;
  /** ID of the request, as in the server's log and events. */
  requestId?: string;
  /** Seconds to wait before the next attempt (E0040R, E0052R). */
  retryAfter?: number;
  /** Relying parties of the server (E0025R). */
  domains?: string[];
  /** Passkey that belongs to no user (E0033R of a sign-in without a user name). The SDK signals it to the browser. */
  unknownCredential?: UnknownCredential;
  cause?: unknown;
}

export interface ClientOptions {
  /** Address of the server, or of your backend that passes its calls on. Default: the origin of this module. */
  baseUrl?: string;
  /**
   * Domain of the relying party. Default: the server's `--domain`, or else the relying party that lists the page's
   * origin.
   */
  relyingParty?: string;
  /** Replaces the global `fetch`, for example in tests. */
  fetch?: typeof fetch;
}

export type Requirement = 'preferred' | 'required' | 'discouraged';
export type Attachment = 'platform' | 'cross-platform' | 'all';

export interface AuthenticatorSelection {
  requireResidentKey?: boolean;
  residentKey?: Requirement;
  userVerification?: Requirement;
  authenticatorAttachment?: Attachment;
}

interface CallOptions {
  username: string;
  /** User verification requirement. Default: `preferred`. The policy takes precedence. */
  userVerification?: Requirement;
  /** Its members take precedence over the fields of the same names. */
  authenticatorSelection?: AuthenticatorSelection;
  /** Inputs of WebAuthn extensions in their JSON form, with bytes in Base64URL. `credProtect` accepts levels 0 to 3. */
  extensions?: Record<string, unknown>;
  /** Types of authenticator that the browser offers first, preferred first. */
  hints?: ('security-key' | 'client-device' | 'hybrid')[];
  /** Aborts the call, also while the prompt is open. */
  signal?: AbortSignal;
}

/** Options of `register()`. */
export interface RegisterOptions extends CallOptions {
  displayName: string;
  /** Requested attestation conveyance. Default: `none`. */
  attestation?: 'none' | 'direct' | 'indirect';
  /** Type of authenticator: built-in (`platform`), removable (`cross-platform`) or both. Default: `all`. */
  attachment?: Attachment;
  /** Same meaning as `attachment`. */
  authenticatorAttachment?: Attachment;
  /** Names or COSE numbers, preferred first, for example `['es256', 'rs256']`. Default: ES256, EdDSA and RS256. */
  algorithms?: (string | number)[];
  /** Whether the key must be discoverable, that is, a passkey. Default: `preferred`. The policy takes precedence. */
  residentKey?: Requirement;
  /** Same meaning as `residentKey`. */
  discoverable_credential?: Requirement;
  requireResidentKey?: boolean;
  /** `conditional`: the browser creates a passkey without a prompt, if it can. `upgrade()` sets this. */
  mediation?: 'conditional';
  /** Device metadata to store with the key, at most 4 KiB. Its member `name` becomes the name of the key. */
  keypair?: Record<string, unknown>;
  /** Fresh token of this user, which permits another key. Needed with `--registration first-only`. */
  token?: string | undefined;
  /** Ticket from your backend, which permits one registration. Needed with `--registration ticket`. */
  ticket?: string | undefined;
  /** If your backend calls the server with an application key: repeats the answer after a lost one. */
  idempotencyKey?: string | undefined;
}

/** Options of `upgrade()`. The user must be signed in: send a fresh `token`, or call through your backend. */
export type UpgradeOptions = Omit<RegisterOptions, 'mediation'>;

/** Options of `authenticate()`. */
export interface AuthenticateOptions extends CallOptions {
  /**
   * How the browser prompts. `conditional` shows the user's keys in the autofill list of a form field with
   * `autocomplete="username webauthn"` and waits until the user chooses one. The SDK begins a new ceremony before one
   * expires. For a sign-in without a user name use `autofill()`.
   */
  mediation?: 'silent' | 'optional' | 'conditional' | 'required';
  /** Value of the claim `nonce` of the token, 1 to 255 bytes of UTF-8. */
  nonce?: string;
  /** Audience of the token: one of the policy's `audiences`. Default: the relying party. */
  audience?: string;
  /** Authentication context class that the key must reach. `phrh`: attested hardware. */
  acr?: 'phr' | 'phrh';
  /** The transaction that the user confirms: a text of at most 1 KiB, or its SHA-256 in Base64URL. */
  transaction?: { text: string } | { hash: string };
  /**
   * Fresh token of a verified sign-in of this user with another key. It counts as a second factor: if this sign-in
   * verifies the user, later sign-ins with its key are verified sign-ins.
   */
  token?: string | undefined;
  /** Code of an open invitation of this user. It counts as a second factor, like `token`. */
  ticket?: string | undefined;
}

/** A form field, for example an `<input>` element. */
export interface FormField {
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
}

/** Options of `signIn()` and `autofill()`. */
export type SignInOptions = Omit<
  AuthenticateOptions,
  'username' | 'ticket' | 'mediation' | 'userVerification' | 'authenticatorSelection'
>;

/** Common members of the bodies of both result calls. */
interface CredentialJSON<Response> {
  type: 'public-key';
  id: string;
  rawId: string;
  authenticatorAttachment?: 'platform' | 'cross-platform';
  response: Response;
  clientExtensionResults: Record<string, unknown>;
}

/** Body of `register/complete`: RegistrationResponseJSON (WebAuthn L3 §5.1.8). Bytes are Base64URL. */
export type RegistrationJSON = CredentialJSON<{
  clientDataJSON: string;
  attestationObject: string;
  transports: string[];
}>;

/** Body of `authenticate/complete`: AuthenticationResponseJSON (WebAuthn L3 §5.1.8). Bytes are Base64URL. */
export type AuthenticationJSON = CredentialJSON<{
  clientDataJSON: string;
  authenticatorData: string;
  signature: string;
  userHandle?: string;
}>;

type Bytes = ArrayBuffer | ArrayBufferView;

/** Outputs of WebAuthn extensions, as the browser returned them (WebAuthn L3 §10). */
export interface ExtensionOutputs {
  appid?: boolean;
  credProps?: { rk?: boolean };
  largeBlob?: { supported?: boolean; blob?: Bytes; written?: boolean };
  prf?: { enabled?: boolean; results?: { first: Bytes; second?: Bytes } };
}

interface Answer {
  /** The user's current keys, which the SDK has signalled to the browser. */
  signals?: Signals;
  /** One sentence for each field of the call that the server does not know. Absent if there are none. */
  warnings?: string[];
  /** Secrets of `prf` and blobs stay in the page. The server only learns whether they are supported. */
  clientExtensionResults: ExtensionOutputs;
}

/** Result of a registration. */
export interface RegistrationAnswer extends Answer {
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
}

/** Answer of a begin call: the options for the browser, and further members. `timeout` is in milliseconds. */
export type Begun<Options> = Options & { timeout: number; warnings?: string[]; ceremony?: string };

/** A key that was added to the user's keys. */
export interface AddedKey {
  credentialId: string;
  deviceName: string;
  createdAt: string;
  /** Absent for keys that version 1.0 of the server stored. `account`: by a ticket of the help desk. */
  origin?: 'user' | 'invitation' | 'application' | 'account' | 'import' | 'upgrade';
}

/** Result of a sign-in. */
export interface AuthenticationAnswer extends Answer {
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
  /** Signed JWT, which your backend verifies. Absent if the server runs with `--jwt off`. */
  token?: string;
  /** ID of the receipt that proves the transaction. Present only with `transaction`. */
  receipt?: string;
  /** A policy rule will refuse this key from the time `from` on. Ask the user to register another key. */
  notice?: { rule: string; errorCode: string; from: string };
  /** Keys that were added since the previous sign-in with this key, oldest first. Show them to the user. */
  newKeys?: AddedKey[];
  /** During a move to a new domain: creation options for a key of the new domain. Pass the answer to `move()`. */
  upgrade?: Begun<object>;
}

/** Client of one server. All calls reject with a ServiceFidoError. A new call aborts the pending one. */
export interface Client {
  /** Registers a key for a user: begin call, prompt of the browser, result call. */
  register(options: RegisterOptions): Promise<RegistrationAnswer>;
  /** Signs in a user by user name, with any key of the user. */
  authenticate(options: AuthenticateOptions): Promise<AuthenticationAnswer>;
  /** Signs in a user without a user name: the browser lists the passkeys for this relying party. */
  signIn(options?: SignInOptions & { immediate?: false }): Promise<AuthenticationAnswer>;
  /**
   * Signs in a user without a user name if the device has a passkey for this relying party, and shows nothing otherwise.
   * Call it from a click, before you show a sign-in form.
   *
   * @returns `undefined` if the device has no passkey, if the user chose none, or if the browser has no immediate mode
   */
  signIn(options: SignInOptions & { immediate: true }): Promise<AuthenticationAnswer | undefined>;
  /**
   * Signs in a user without a user name, from the autofill list of a form field. It waits while the page is open and
   * resolves when the user has signed in with a passkey from the list. Rejects with kind `unsupported` if the browser
   * cannot show passkeys there, and with kind `aborted` when another call of this client begins.
   *
   * @param field field whose list shows the passkeys: the SDK adds `webauthn` to its `autocomplete`. Default: the
   *   fields of the page with `autocomplete="username webauthn"`
   */
  autofill(field?: FormField, options?: SignInOptions): Promise<AuthenticationAnswer>;
  /**
   * Creates a passkey without a prompt. Call it right after a sign-in with a password that the browser filled in.
   *
   * @returns `undefined` if the browser cannot, or does not, create a passkey
   */
  upgrade(options: UpgradeOptions): Promise<RegistrationAnswer | undefined>;
  /**
   * Creates a key of the new domain during a move, without a prompt if the browser can. Call it right after a sign-in
   * at the new domain with a key of the old domain. The old key works until the move ends.
   *
   * @param answer answer of the sign-in
   * @returns `undefined` if the answer has no `upgrade`, if it is older than two thirds of its `timeout`, or if no key
   *   was created
   */
  move(
    answer: AuthenticationAnswer,
    options?: { signal?: AbortSignal },
  ): Promise<RegistrationAnswer | undefined>;
  /** Aborts the pending call of this client, if there is one. That call rejects with kind `aborted`. */
  abort(): void;
}
