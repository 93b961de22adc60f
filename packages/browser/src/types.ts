/** What the SDK takes and gives. Names are those of the server's interface and of W3C WebAuthn L3. */

/** Why a call failed, for code that must decide what to do next. */
export type ErrorKind =
  | 'cancelled' // the user closed the prompt, or the browser would not say why it refused
  | 'timeout' // the prompt stayed open for longer than the server waits
  | 'aborted' // `abort()`, the caller's signal, or a newer call of the same client
  | 'already_registered' // the authenticator holds a key of this user already
  | 'bad_domain' // the page's domain may not use this relying party, or is an IP address; or its origin is not listed
  | 'insecure' // the page came over plain HTTP, and not from localhost
  | 'unsupported' // no WebAuthn here, or no authenticator that can do what was asked
  | 'busy' // another WebAuthn request of the page is pending
  | 'network' // the server was not reached, or CORS forbade it
  | 'expired' // the ceremony is too old or its cookie is missing (E0024R)
  | 'server'; // the server refused: see `errorCode` and `status`

/** For the browser's Signal API (L3 §5.1.10). */
export interface UnknownCredential {
  rpId: string;
  credentialId: string;
}

/** A user's passkeys as they are now, disabled ones too; for the browser's Signal API. */
export interface Signals {
  rpId: string;
  userId: string;
  allAcceptedCredentialIds: string[];
  name: string;
  displayName: string;
}

export interface ErrorDetails {
  /** The server's code, such as `E0032R`. */
  errorCode?: string;
  /** Why, more exactly than the code says: a key of the server's docs/errors.md, such as `origin.notAllowed`. */
  reason?: string;
  /** The HTTP status. */
  status?: number;
  /** Names the request in the server's log. */
  requestId?: string;
  /** Seconds to wait before the next try (E0040R, E0052R). */
  retryAfter?: number;
  /** The relying parties the server knows (E0025R). */
  domains?: string[];
  /** A passkey that no user has (E0033R of a sign-in without a name); the browser removes it. */
  unknownCredential?: UnknownCredential;
  cause?: unknown;
}

export interface ClientOptions {
  /** Where the server is. Default: the origin this module was loaded from. */
  baseUrl?: string;
  /** Relying party to name in `X-ServiceFido-RelyingParty`. Default: the server decides. */
  relyingParty?: string;
  /** Own transport, for a proxy of your backend or for tests. */
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
  userVerification?: Requirement;
  /** Counts before the fields of the same names beside it. */
  authenticatorSelection?: AuthenticatorSelection;
  /** Inputs of WebAuthn extensions in their JSON form, bytes as Base64URL; `credProtect` takes 0–3. */
  extensions?: Record<string, unknown>;
  /** Such as `security-key`: what the browser should offer first. */
  hints?: ('security-key' | 'client-device' | 'hybrid')[];
  /** Aborts this call, also while the prompt is open. */
  signal?: AbortSignal;
}

export interface RegisterOptions extends CallOptions {
  displayName: string;
  attestation?: 'none' | 'direct' | 'indirect';
  attachment?: Attachment;
  /** The same as `attachment`. */
  authenticatorAttachment?: Attachment;
  /** Such as `es256`, `eddsa`, `rs256`, in order of preference. */
  algorithms?: (string | number)[];
  /** Whether the key must be able to sign in without a name: `required` makes a passkey. */
  residentKey?: Requirement;
  /** The same as `residentKey`. */
  discoverable_credential?: Requirement;
  requireResidentKey?: boolean;
  /** `conditional` asks the browser to make a passkey without a prompt, where it can. */
  mediation?: 'conditional';
  /** Data about the device, kept with the key; `name` is shown to administrators. */
  keypair?: Record<string, unknown>;
  /** A fresh token of this user, where the server lets only users add keys (`first-only`). */
  token?: string | undefined;
  /** A one-time ticket of your backend, where the server asks for one (`ticket`). */
  ticket?: string | undefined;
  /** With it a backend that holds a key gets the same answer again when the first was lost. */
  idempotencyKey?: string | undefined;
}

/** The signed-in user: with the recent `token`, or by a backend that holds a key. */
export type UpgradeOptions = Omit<RegisterOptions, 'mediation'>;

export interface AuthenticateOptions extends CallOptions {
  /**
   * How the browser asks: `conditional` puts the keys into the autofill list of a form field with
   * `autocomplete="username webauthn"` and waits there; the ceremony begins again before it ends.
   * Without a name: `autofill()`.
   */
  mediation?: 'silent' | 'optional' | 'conditional' | 'required';
  /** Comes back in the token: 1 to 255 bytes of UTF-8. */
  nonce?: string;
  /** For whom the token is, instead of the relying party: one of its policy's `audiences`. */
  audience?: string;
  /** What the key must give: `phrh` is hardware that was attested. */
  acr?: 'phr' | 'phrh';
  /** What the user agrees to: a text of at most 1 KiB, or a SHA-256 in Base64URL. */
  transaction?: { text: string } | { hash: string };
  /**
   * A fresh token of this user, of a verified sign-in with another key: from now on the user verification of
   * the key counts that signs in.
   */
  token?: string | undefined;
  /** The code of an open invitation of this user, which does the same. */
  ticket?: string | undefined;
}

/** An `<input>`. */
export interface FormField {
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
}

/** Of a sign-in without a name: what `authenticate` takes besides. */
export type SignInOptions = Omit<
  AuthenticateOptions,
  'username' | 'ticket' | 'mediation' | 'userVerification' | 'authenticatorSelection'
>;

/** What both bodies of a `complete` call have. */
interface CredentialJSON<Response> {
  type: 'public-key';
  id: string;
  rawId: string;
  authenticatorAttachment?: 'platform' | 'cross-platform';
  response: Response;
  clientExtensionResults: Record<string, unknown>;
}

/** The body of `register/complete`, a `RegistrationResponseJSON` of L3; bytes are Base64URL. */
export type RegistrationJSON = CredentialJSON<{
  clientDataJSON: string;
  attestationObject: string;
  transports: string[];
}>;

/** The body of `authenticate/complete`, an `AuthenticationResponseJSON` of L3; bytes are Base64URL. */
export type AuthenticationJSON = CredentialJSON<{
  clientDataJSON: string;
  authenticatorData: string;
  signature: string;
  userHandle?: string;
}>;

type Bytes = ArrayBuffer | ArrayBufferView;

/** What the extensions gave, as the browser has it (L3 §10). */
export interface ExtensionOutputs {
  appid?: boolean;
  credProps?: { rk?: boolean };
  largeBlob?: { supported?: boolean; blob?: Bytes; written?: boolean };
  prf?: { enabled?: boolean; results?: { first: Bytes; second?: Bytes } };
}

interface Answer {
  /** What was signalled to the browser about this user's passkeys. */
  signals?: Signals;
  /** Fields of the call that the server does not know and has ignored, in words. */
  warnings?: string[];
  /** Secrets of `prf` and blobs stay in the page; the server learns only that there are some. */
  clientExtensionResults: ExtensionOutputs;
}

export interface RegistrationAnswer extends Answer {
  username: string;
  credentialId: string;
  aaguid: string;
  /** The model by its AAGUID, where it is known. */
  authenticatorName: string | null;
  userVerified: boolean;
  attestation: { format: string; type: string; trusted: boolean };
  backupEligible: boolean;
  backedUp: boolean;
}

/** The answer of a begin call: the browser's options, and what travels beside them. */
export type Begun<Options> = Options & { timeout: number; warnings?: string[]; ceremony?: string };

export interface AuthenticationAnswer extends Answer {
  username: string;
  displayName: string;
  credentialId: string;
  aaguid: string;
  userVerified: boolean;
  signCount: number;
  backedUp: boolean;
  /** A signed JWT for your backend, unless the server runs with `--jwt off`. */
  token?: string;
  /** Of a `transaction`: names what proves later that the user agreed to it. */
  receipt?: string;
  /** The key breaks a rule that will hold for sign-ins from then on: ask its user to get another. */
  notice?: { rule: string; errorCode: string; from: string };
  /** Of a verified sign-in with a key of the domain from which people move here: for `move()`. */
  upgrade?: Begun<object>;
}

export interface Client {
  /** Registers an authenticator for a user: begin, browser prompt, complete. */
  register(options: RegisterOptions): Promise<RegistrationAnswer>;
  /** Signs a user in with any authenticator registered before. */
  authenticate(options: AuthenticateOptions): Promise<AuthenticationAnswer>;
  /** Signs in a user with a passkey for this site: the browser lists them. */
  signIn(options?: SignInOptions): Promise<AuthenticationAnswer>;
  /**
   * The same from the autofill list of a field, for as long as the page is open: it resolves when somebody
   * chose a passkey there. Any other call of this client ends it (kind `aborted`).
   *
   * @param field made one whose list shows passkeys; else it says so itself:
   *   `autocomplete="username webauthn"`
   */
  autofill(field?: FormField, options?: SignInOptions): Promise<AuthenticationAnswer>;
  /**
   * Makes a passkey without a prompt for somebody who has just signed in with a password that the browser
   * filled in; `undefined` where the browser cannot, or does not.
   */
  upgrade(options: UpgradeOptions): Promise<RegistrationAnswer | undefined>;
  /**
   * After a sign-in at a new domain with a key of the old one: makes a key of the new domain, without a prompt
   * where the browser can; `undefined` where the answer offers none, or nobody wanted it. The old key goes on
   * until the move ends.
   */
  move(
    answer: AuthenticationAnswer,
    options?: { signal?: AbortSignal },
  ): Promise<RegistrationAnswer | undefined>;
  /** Ends the pending call of this client, if there is one; it throws with kind `aborted`. */
  abort(): void;
}
