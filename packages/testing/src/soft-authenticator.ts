import { randomBytes } from 'node:crypto';
import { type CborInput, encodeCbor, Raw } from './cbor-writer.js';
import type {
  AuthenticationBody,
  CreationOptions,
  RegistrationBody,
  RequestOptions,
} from './ceremony-json.js';
import { coseMembers, createKeyPair, type KeyPair, signWith } from './key-pair.js';
import { type Attester, createAttester } from './attester.js';
import { type Attestation, STATEMENTS, type StatementWriter } from './statements.js';
import { base64url, FLAGS, sha256, writeAuthenticatorData, writeClientData } from './structures.js';
import type { AuthenticationTweaks, RegistrationTweaks, Tweaks } from './tweaks.js';

/** A credential that lives on the authenticator. */
export interface SoftCredential {
  readonly id: Buffer;
  readonly rpId: string;
  readonly userHandle: string;
  readonly keyPair: KeyPair;
  signCount: number;
}

/** How the authenticator is built; everything has a default. */
export interface SoftAuthenticatorOptions {
  /** COSE algorithm of new credentials; by default the first one offered. */
  readonly algorithm?: number;
  /** The key of new credentials; by default each has one of its own. */
  readonly keyPair?: KeyPair;
  /** `none` by default. A writer makes statements that the named ones do not. */
  readonly attestation?: Attestation | StatementWriter;
  /** Zero for `fido-u2f`, else a fixed test value. */
  readonly aaguid?: Buffer;
  /** UV, true by default. */
  readonly userVerified?: boolean;
  /** BE, false by default. */
  readonly backupEligible?: boolean;
  /** BS, false by default. */
  readonly backedUp?: boolean;
  /** Each ceremony adds this to the counter: 1 by default, 0 for an authenticator without one. */
  readonly counterStep?: number;
  readonly transports?: readonly string[];
  readonly attachment?: 'platform' | 'cross-platform';
  readonly credentialIdLength?: number;
  /** What a registration reports if the options ask for it (CTAP 2.1 §12.4); by default nothing. */
  readonly minPinLength?: number;
  /** The attestation key and certificates; by default made once under the test root. */
  readonly attester?: Attester;
}

/** The page that runs the ceremony, and what to do wrong. */
export interface CeremonyContext<T> {
  /** The origin of the page, as the browser writes it. */
  readonly origin: string;
  readonly tweaks?: T;
}

const TEST_AAGUID = Buffer.from('5e1f1d0a7e57400080000000000000fd', 'hex');
const NO_AAGUID = Buffer.alloc(16);

/**
 * Browser and authenticator in one: answers a begin call's options with the body of the result
 * call, genuinely signed. It keeps its credentials and counters like a device:
 *
 * ```ts
 * const authenticator = new SoftAuthenticator({ algorithm: ALG.ES256 });
 * const registration = authenticator.create(creationOptions, { origin: 'https://example.com' });
 * const assertion = authenticator.get(requestOptions, {
 *   origin: 'https://example.com',
 *   tweaks: { flags: (flags) => flags & ~FLAGS.UV },
 * });
 * ```
 */
export class SoftAuthenticator {
  readonly credentials: SoftCredential[] = [];
  readonly aaguid: Buffer;
  readonly attester: Attester;
  private readonly attestation: Attestation | StatementWriter;

  constructor(private readonly options: SoftAuthenticatorOptions = {}) {
    this.attestation = options.attestation ?? 'none';
    this.aaguid = options.aaguid ?? (this.attestation === 'fido-u2f' ? NO_AAGUID : TEST_AAGUID);
    this.attester = options.attester ?? createAttester(this.aaguid);
  }

  /** `navigator.credentials.create()`: makes a credential and the body of the result call. */
  create(
    options: CreationOptions,
    { origin, tweaks = {} }: CeremonyContext<RegistrationTweaks>,
  ): RegistrationBody {
    const excluded = options.excludeCredentials?.some(({ id }) => this.find(id) !== undefined);
    if (excluded === true)
      throw new DOMException(
        'The authenticator already has a key of this user.',
        'InvalidStateError',
      );
    const credential = this.addCredential(options, origin);
    const clientDataJSON = this.clientData('webauthn.create', options.challenge, {
      origin,
      tweaks,
    });
    const attestationObject = this.attest(credential, clientDataJSON, {
      ...this.extensionsFor(options),
      ...tweaks,
    });
    return {
      ...this.body(credential),
      response: {
        clientDataJSON: base64url(clientDataJSON),
        attestationObject: base64url(attestationObject),
        transports: this.options.transports ?? ['internal'],
      },
    };
  }

  /** `navigator.credentials.get()`: signs the challenge with the first allowed credential. */
  get(
    options: RequestOptions,
    { origin, tweaks = {} }: CeremonyContext<AuthenticationTweaks>,
  ): AuthenticationBody {
    const credential = this.choose(options);
    const clientDataJSON = this.clientData('webauthn.get', options.challenge, { origin, tweaks });
    const authenticatorData = this.authenticatorData(credential, tweaks);
    const key = tweaks.signingKey ?? credential.keyPair;
    const signature = signWith(key, Buffer.concat([authenticatorData, sha256(clientDataJSON)]));
    const userHandle = tweaks.userHandle === undefined ? credential.userHandle : tweaks.userHandle;
    return {
      ...this.body(credential),
      response: {
        clientDataJSON: base64url(clientDataJSON),
        authenticatorData: base64url(authenticatorData),
        signature: base64url(tweaks.signature?.(signature) ?? signature),
        ...(userHandle === null ? {} : { userHandle }),
      },
    };
  }

  private extensionsFor({ extensions }: CreationOptions): Pick<RegistrationTweaks, 'extensions'> {
    const { minPinLength } = this.options;
    if (minPinLength === undefined || extensions?.['minPinLength'] !== true) return {};
    return { extensions: new Map([['minPinLength', minPinLength]]) };
  }

  private addCredential(options: CreationOptions, origin: string): SoftCredential {
    const alg = this.options.algorithm ?? options.pubKeyCredParams[0]?.alg;
    if (alg === undefined)
      throw new DOMException('The options offer no algorithm.', 'NotSupportedError');
    const credential: SoftCredential = {
      id: randomBytes(this.options.credentialIdLength ?? 32),
      rpId: options.rp.id ?? new URL(origin).hostname,
      userHandle: options.user.id,
      keyPair: this.options.keyPair ?? createKeyPair(alg),
      signCount: 0,
    };
    this.credentials.push(credential);
    return credential;
  }

  private attest(
    credential: SoftCredential,
    clientDataJSON: Buffer,
    tweaks: RegistrationTweaks,
  ): Buffer {
    const authData = this.authenticatorData(credential, tweaks, true);
    const { attestation } = this;
    const write = typeof attestation === 'string' ? STATEMENTS[attestation] : attestation;
    const { fmt, attStmt } = write({
      authData,
      clientDataHash: sha256(clientDataJSON),
      rpIdHash: tweaks.rpIdHash ?? sha256(credential.rpId),
      credentialId: tweaks.attestedCredentialId ?? credential.id,
      keyPair: this.attestedKey(credential, tweaks),
      attester: this.attestingKey(tweaks),
    });
    const object = encodeCbor(
      new Map<string, CborInput>([
        ['fmt', replaced(tweaks.fmt, fmt)],
        ['attStmt', replaced(tweaks.attStmt, changed(attStmt, tweaks))],
        ['authData', authData],
      ]),
    );
    return tweaks.attestationObject?.(object) ?? object;
  }

  private attestedKey(credential: SoftCredential, tweaks: Tweaks): KeyPair {
    const signsItself = this.attestation === 'packed-self';
    return (signsItself ? tweaks.signingKey : undefined) ?? credential.keyPair;
  }

  private attestingKey({ signingKey }: Tweaks): Attester {
    return signingKey === undefined ? this.attester : { ...this.attester, keyPair: signingKey };
  }

  private authenticatorData(
    credential: SoftCredential,
    tweaks: RegistrationTweaks,
    attested = false,
  ): Buffer {
    credential.signCount += this.options.counterStep ?? 1;
    const flags = this.flags();
    const bytes = writeAuthenticatorData({
      rpIdHash: tweaks.rpIdHash ?? sha256(credential.rpId),
      flags: tweaks.flags?.(flags) ?? flags,
      signCount: tweaks.signCount ?? credential.signCount,
      ...(attested ? { credential: this.attestedCredential(credential, tweaks) } : {}),
      ...(tweaks.extensions === undefined ? {} : { extensions: tweaks.extensions }),
    });
    return tweaks.authenticatorData?.(bytes) ?? bytes;
  }

  private attestedCredential({ id, keyPair }: SoftCredential, tweaks: RegistrationTweaks) {
    const members = coseMembers(keyPair);
    const key = tweaks.coseKeyBytes ? new Raw(tweaks.coseKeyBytes) : tweaks.coseKey?.(members);
    return {
      aaguid: tweaks.aaguid ?? this.aaguid,
      credentialId: tweaks.attestedCredentialId ?? id,
      publicKey: encodeCbor(key ?? members),
    };
  }

  private flags(): number {
    const { userVerified = true, backupEligible = false, backedUp = false } = this.options;
    return (
      FLAGS.UP |
      (userVerified ? FLAGS.UV : 0) |
      (backupEligible ? FLAGS.BE : 0) |
      (backedUp ? FLAGS.BS : 0)
    );
  }

  private clientData(
    type: 'webauthn.create' | 'webauthn.get',
    challenge: string,
    { origin, tweaks }: CeremonyContext<Tweaks>,
  ): Buffer {
    const members = { type, challenge, origin, crossOrigin: false, ...tweaks?.clientData };
    const bytes = writeClientData(members);
    return tweaks?.clientDataJSON?.(bytes) ?? bytes;
  }

  private body({ id }: SoftCredential) {
    return {
      type: 'public-key',
      id: base64url(id),
      rawId: base64url(id),
      authenticatorAttachment: this.options.attachment ?? 'platform',
      clientExtensionResults: {},
    } as const;
  }

  private choose({ allowCredentials = [], rpId }: RequestOptions): SoftCredential {
    const candidates =
      allowCredentials.length === 0
        ? this.credentials.filter((credential) => rpId === undefined || credential.rpId === rpId)
        : allowCredentials.map(({ id }) => this.find(id));
    const chosen = candidates.find((credential) => credential !== undefined);
    if (chosen === undefined)
      throw new DOMException(
        'The authenticator has no key that the options allow.',
        'NotAllowedError',
      );
    return chosen;
  }

  private find(id: string): SoftCredential | undefined {
    return this.credentials.find((credential) => base64url(credential.id) === id);
  }
}

/** Compound statements are lists, of which no member has a name. */
function changed(
  attStmt: Map<string, CborInput> | readonly CborInput[],
  { statement }: RegistrationTweaks,
): CborInput {
  return attStmt instanceof Map ? (statement?.(attStmt) ?? attStmt) : attStmt;
}

/** null is a replacement like any other. */
function replaced(replacement: CborInput | undefined, value: CborInput): CborInput {
  return replacement === undefined ? value : replacement;
}
