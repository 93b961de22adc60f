import { algorithmOf } from '../../fido/registration/registration.validators.js';
import { isObject } from '../../platform/validation/field-validator.js';
import { UNKNOWN_PAGE, type ClientData } from '../../webauthn/client-data.js';
import { sha256 } from '../../platform/common/sha256.js';

/** Members that are compared with signed data, or are conditions of the verdict. */
const PROVEN_BY_SIGNATURE: readonly string[] = [
  ...['kind', 'rpId', 'appId', 'origin', 'challenge', 'topOrigin', 'crossOrigin', 'credential'],
  ...['clientDataJSON', 'authenticatorData', 'signature', 'publicKeyCose', 'storedCounter'],
  ...[
    'backupEligible',
    'requireUserVerification',
    'userVerification',
    'allowedAlgs',
    'transaction',
  ],
];
const PROVEN_BY_REGISTRATION: readonly string[] = [
  ...['kind', 'rpId', 'origin', 'challenge', 'topOrigin', 'crossOrigin', 'credential'],
  ...['clientDataJSON', 'attestationObject', 'credentialId', 'allowedAlgs', 'requiresMetadata'],
  ...['requireUserVerification', 'userVerification'],
];

/**
 * A recorded ceremony: the data that the browser sent, and the values that the server expected. Every member
 * may be missing or of a wrong type; nothing here throws.
 */
export class RecordedCeremony {
  private readonly members: Readonly<Record<string, unknown>>;

  constructor(value: unknown) {
    this.members = isObject(value) ? value : {};
  }

  get id(): string | null {
    return this.text('id') ?? null;
  }

  /** The kind in the record or, without it, the kind that its members imply; `undefined` for any other. */
  get kind(): 'registration' | 'authentication' | undefined {
    const kind = this.members['kind'];
    if (kind === 'registration' || kind === 'authentication') return kind;
    if (kind !== undefined && kind !== null) return undefined;
    const response = this.response;
    if ('attestationObject' in response) return 'registration';
    return 'authenticatorData' in response ? 'authentication' : undefined;
  }

  /** The body of the call, if it was recorded completely. */
  get credential(): Readonly<Record<string, unknown>> | undefined {
    const { credential } = this.members;
    return isObject(credential) ? credential : undefined;
  }

  /** The members of the body's `response`. */
  get response(): Readonly<Record<string, unknown>> {
    const response = this.credential?.['response'];
    return isObject(response) ? response : this.members;
  }

  get at(): Date {
    const time = this.members['evaluateAt'];
    const at = new Date(typeof time === 'string' || typeof time === 'number' ? time : NaN);
    return Number.isNaN(at.getTime()) ? new Date() : at;
  }

  /** The recorded RP ID; by default the host of the origin (WebAuthn L3 §5.1.3 step 8). */
  rpId({ origin }: Pick<ClientData, 'origin'>): string {
    const host = /^[a-z][a-z0-9+.-]*:\/\/([^/:]+)/.exec(this.text('origin') ?? origin)?.[1];
    return this.text('rpId') ?? host ?? '';
  }

  rpIdHash(clientData: ClientData): Buffer {
    return sha256(this.rpId(clientData));
  }

  /** The values that the client data must match. Missing ones default to the client data's own values. */
  expectationOf({ challenge, origin }: Pick<ClientData, 'challenge' | 'origin'>) {
    const origins = this.texts('origin');
    const topOrigins = this.texts('topOrigin');
    const isUnnamed = this.flag('crossOrigin') && topOrigins.length === 0;
    return {
      challenge: this.text('challenge') ?? challenge,
      origins: origins.length > 0 ? origins : [origin],
      topOrigins: isUnnamed ? [UNKNOWN_PAGE] : topOrigins,
    };
  }

  /** COSE numbers of the offered algorithms, even if names were recorded; `undefined` for any. */
  get allowedAlgorithms(): readonly number[] | undefined {
    const algorithms = this.members['allowedAlgs'];
    if (!Array.isArray(algorithms)) return undefined;
    return algorithms.flatMap((item) => algorithmOf(item) ?? []);
  }

  /** Whether the stored credential may be synced; `undefined` if that was not recorded. */
  get backupEligible(): boolean | undefined {
    const { backupEligible } = this.members;
    return typeof backupEligible === 'boolean' ? backupEligible : undefined;
  }

  /** Whether user verification was required. */
  get requiresUserVerification(): boolean {
    return this.flag('requireUserVerification') || this.text('userVerification') === 'required';
  }

  /** The recorded members that neither the signed data nor the verdict depends on: anyone could have changed them. */
  get notProven(): readonly string[] {
    const proven = this.kind === 'registration' ? PROVEN_BY_REGISTRATION : PROVEN_BY_SIGNATURE;
    return Object.keys(this.members).filter((name) => !proven.includes(name));
  }

  get storedCounter(): number {
    const counter = this.members['storedCounter'];
    return typeof counter === 'number' ? counter : 0;
  }

  /** SHA-256 of the transaction that the user confirmed, computed from its text if that was recorded. */
  get transaction(): Buffer | undefined {
    const { transaction } = this.members;
    if (!isObject(transaction)) return undefined;
    const { text, hash } = transaction;
    if (typeof text === 'string') return sha256(text);
    return typeof hash === 'string' ? Buffer.from(hash, 'base64url') : undefined;
  }

  /** The texts of a member that contains one text or several. */
  texts(name: string): readonly string[] {
    return [this.members[name] ?? []].flat().filter((item) => typeof item === 'string');
  }

  text(name: string): string | undefined {
    const value = this.members[name];
    return typeof value === 'string' ? value : undefined;
  }

  flag(name: string): boolean {
    return this.members[name] === true;
  }

  bytes(name: string): Buffer | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : Buffer.from(text, 'base64url');
  }
}
