import type {
  AuthenticationBody,
  CreationOptions,
  RegistrationBody,
  RequestOptions,
} from './ceremony-json.js';
import { ALG, createKeyPair } from './key-pair.js';
import {
  flag,
  type Members,
  must,
  object,
  oneOf,
  readMembers,
  text,
  texts,
  uuid,
} from './members.js';
import { readCreationOptions, readRequestOptions } from './options.js';
import { SoftAuthenticator } from './soft-authenticator.js';
import { type Attestation, STATEMENTS } from './statements.js';
import { FLAGS, sha256 } from './structures.js';
import type { Tweaks } from './tweaks.js';

/** How an authenticator is built. Every member is optional. */
export interface AuthenticatorSettings {
  /** Its attestation, under the root that {@link testRoot} returns. Default: `none`. */
  readonly attestation?: Attestation;
  /** COSE number of the algorithm of new keys. Default: the first one that the options offer. */
  readonly algorithm?: number;
  /** AAGUID of its model, as a UUID. Default: a fixed value; zero for `fido-u2f`. */
  readonly aaguid?: string;
  /** Whether it verifies the user (UV). Default: true. */
  readonly userVerified?: boolean;
  /** Whether its keys can be synced (BE). Default: false. */
  readonly backupEligible?: boolean;
  /** Whether its keys are synced (BS). Needs `backupEligible`. Default: false. */
  readonly backedUp?: boolean;
  /** Whether its counter rises with each ceremony. Passkeys that are synced have none. Default: true. */
  readonly hasCounter?: boolean;
  /** Default: `internal`. */
  readonly transports?: readonly string[];
  /** Default: `platform`. */
  readonly attachment?: 'platform' | 'cross-platform';
}

/** The page of one ceremony, and what is wrong with it. Everything is signed after the change. */
export interface Ceremony {
  /** Origin of the page, for example `https://example.com`. Any text: a wrong origin is signed like the right one. */
  readonly origin: string;
  /** Sets members of the client data, for example `{ crossOrigin: true, topOrigin: 'https://other.example' }`. */
  readonly clientData?: Readonly<Record<string, unknown>>;
  /** Signs for another relying party. */
  readonly rpId?: string;
  /** Sets or clears the flag UP. */
  readonly userPresent?: boolean;
  /** Sets or clears the flag UV. */
  readonly userVerified?: boolean;
  /** Sets or clears the flag BE. */
  readonly backupEligible?: boolean;
  /** Sets or clears the flag BS. */
  readonly backedUp?: boolean;
  /** The counter of this ceremony only, for example one that is lower than before. */
  readonly signCount?: number;
}

/** The page of a sign-in, and what is wrong with it. */
export interface SignIn extends Ceremony {
  /** Signs with another key. */
  readonly wrongKey?: boolean;
}

/** The result call returns the `ceremony` of the begin call, if there is one. */
type CeremonyOf<Options> = Pick<Options, keyof Options & 'ceremony'>;

const MAX_COUNT = 0xffff_ffff;

/** Members of {@link AuthenticatorSettings}. */
const SETTINGS: Members<AuthenticatorSettings> = {
  attestation: oneOf(Object.keys(STATEMENTS)),
  algorithm: must('a COSE number such as -7', Number.isSafeInteger),
  aaguid: uuid,
  userVerified: flag,
  backupEligible: flag,
  backedUp: flag,
  hasCounter: flag,
  transports: texts,
  attachment: oneOf(['platform', 'cross-platform']),
};

/** Members of {@link Ceremony}. */
const CEREMONY: Members<Ceremony> = {
  origin: text,
  clientData: object,
  rpId: text,
  userPresent: flag,
  userVerified: flag,
  backupEligible: flag,
  backedUp: flag,
  signCount: must(
    `a whole number from 0 to ${MAX_COUNT}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_COUNT,
  ),
};

/** Members of {@link SignIn}. */
const SIGN_IN: Members<SignIn> = {
  ...CEREMONY,
  wrongKey: flag,
};

const NOT_ELIGIBLE =
  '"backedUp" needs "backupEligible": only a key that can be synced is synced (WebAuthn L3 §6.1.3). ' +
  'For a wrong flag, set "backedUp" in a ceremony.';

/** The flags that a ceremony can set or clear. */
const FLAG_OF = {
  userPresent: FLAGS.UP,
  userVerified: FLAGS.UV,
  backupEligible: FLAGS.BE,
  backedUp: FLAGS.BS,
} as const;

/**
 * Browser and authenticator in one, for tests. It answers the options of a begin call with the body of the result
 * call, genuinely signed, and keeps its keys and counters in memory.
 *
 * ```ts
 * const authenticator = new Authenticator({ attestation: 'packed' });
 * const registration = authenticator.create(options, { origin: 'https://example.com' });
 * ```
 */
export class Authenticator {
  readonly #device: SoftAuthenticator;

  /** @throws TypeError if a setting is unknown or wrong, or `backedUp` lacks `backupEligible` */
  constructor(settings: AuthenticatorSettings = {}) {
    const { aaguid, hasCounter = true, ...device } = readMembers(settings, SETTINGS);
    if (device.backedUp === true && device.backupEligible !== true)
      throw new TypeError(NOT_ELIGIBLE);
    this.#device = new SoftAuthenticator({
      ...device,
      counterStep: hasCounter ? 1 : 0,
      ...(aaguid !== undefined && { aaguid: Buffer.from(aaguid.replaceAll('-', ''), 'hex') }),
    });
  }

  /** The AAGUID of its model, as a UUID. */
  get aaguid(): string {
    return this.#device.aaguid.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }

  /**
   * Registers a key, as `navigator.credentials.create()` does.
   *
   * @param options what the begin call of the registration answered
   * @returns the body of the result call
   * @throws TypeError if an argument is wrong; DOMException as browsers do: `InvalidStateError` if
   * `excludeCredentials` names a key of this authenticator, `NotSupportedError` if it has none of the algorithms
   */
  create<Options extends CreationOptions>(
    options: Options,
    ceremony: Ceremony,
  ): RegistrationBody & CeremonyOf<Options> {
    const read = readCreationOptions(options);
    const page = readCeremony(ceremony);
    const body = this.#device.create(read, { origin: page.origin, tweaks: tweaksOf(page) });
    return { ...body, ...ceremonyOf(options) };
  }

  /**
   * Signs in, as `navigator.credentials.get()` does, with the first key that the options allow.
   *
   * @param options what the begin call of the sign-in answered
   * @returns the body of the result call
   * @throws TypeError if an argument is wrong; DOMException `NotAllowedError` if this authenticator has no such key
   */
  get<Options extends RequestOptions>(
    options: Options,
    ceremony: SignIn,
  ): AuthenticationBody & CeremonyOf<Options> {
    const read = readRequestOptions(options);
    const { wrongKey = false, ...page } = readSignIn(ceremony);
    const signingKey = wrongKey ? { signingKey: createKeyPair(ALG.ES256) } : {};
    const tweaks = { ...tweaksOf(page), ...signingKey };
    return { ...this.#device.get(read, { origin: page.origin, tweaks }), ...ceremonyOf(options) };
  }
}

/**
 * Reads the page of a registration.
 *
 * @throws TypeError if a member is missing, unknown or wrong
 */
export const readCeremony = (ceremony: unknown): Ceremony => readPage(ceremony, CEREMONY);

/** The same for a sign-in. */
export const readSignIn = (ceremony: unknown): SignIn => readPage(ceremony, SIGN_IN);

function readPage<T extends Ceremony>(ceremony: unknown, members: Members<T>): T {
  const read = readMembers(ceremony, members);
  if ('origin' in read) return read;
  throw new TypeError('"origin" is missing: the origin of the page, such as https://example.com.');
}

function tweaksOf(ceremony: Ceremony): Tweaks {
  const { clientData, rpId, signCount } = ceremony;
  return {
    flags: (flags) => changeFlags(flags, ceremony),
    ...(clientData && { clientData }),
    ...(rpId !== undefined && { rpIdHash: sha256(rpId) }),
    ...(signCount !== undefined && { signCount }),
  };
}

function changeFlags(flags: number, ceremony: Ceremony): number {
  let changed = flags;
  for (const [name, bit] of Object.entries(FLAG_OF)) {
    const wanted = ceremony[name as keyof typeof FLAG_OF];
    if (wanted === true) changed |= bit;
    if (wanted === false) changed &= ~bit;
  }
  return changed;
}

const ceremonyOf = <Options extends object>(options: Options): CeremonyOf<Options> =>
  ('ceremony' in options ? { ceremony: options.ceremony } : {}) as CeremonyOf<Options>;
