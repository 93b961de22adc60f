import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { DAY_MS } from '../../platform/common/durations.js';
import { SMALL, WHOLE, words } from '../../platform/database/entities/column-types.js';
import { KeyedByRelyingParty } from '../../platform/database/scope.js';

/**
 * Kinds of counted ceremonies. `registration` and `authentication` prompt the user. `autofill` waits in a form's
 * list until the user selects a key there, and `upgrade` is a registration without a prompt; most of these two
 * never end.
 */
export type CountedKind = 'registration' | 'authentication' | 'autofill' | 'upgrade';
/** `given-up`: the prompt returned no key; `refused`: the server refused its result. */
type CountedStep = 'begun' | 'finished' | 'given-up' | 'refused';

/** Families of browsers, as far as `User-Agent` shows; `backend` if a customer's application made the call. */
export const FAMILIES = [
  'chrome',
  'edge',
  'firefox',
  'opera',
  'safari',
  'samsung',
  'other',
  'backend',
] as const;
export type BrowserFamily = (typeof FAMILIES)[number];

/**
 * Names of the exceptions with which browsers end a prompt (W3C WebAuthn L3 §5.1.3 and §5.1.4, WebIDL's names);
 * the SDK reports `TimeoutError` for a refusal after the timeout. No other name is stored.
 */
export const PROMPT_ERRORS = [
  'AbortError',
  'ConstraintError',
  'InvalidStateError',
  'NotAllowedError',
  'NotSupportedError',
  'OperationError',
  'SecurityError',
  'TimeoutError',
  'UnknownError',
] as const;

const KNOWN: ReadonlySet<string> = new Set(PROMPT_ERRORS);

/** The name if it is known, else `other`. */
export const promptErrorOf = (name: string): string => (KNOWN.has(name) ? name : 'other');

/** 1970-01-01 was a Thursday. */
const FIRST_MONDAY = -3;

/** The Monday of the week of a time (ms since 1970, UTC), in days since 1970. */
export const weekOf = (at: number): number => {
  const day = Math.floor(at / DAY_MS);
  return Math.floor((day - FIRST_MONDAY) / 7) * 7 + FIRST_MONDAY;
};

/** The number of ceremonies in a week that reached a step. */
@Entity({ name: 'ceremony_counts', withoutRowid: true })
@Index('ix_ceremony_counts_week', ['week'])
export class CeremonyCount extends KeyedByRelyingParty {
  /** The Monday of the week, in days since 1970, UTC. */
  @PrimaryColumn(SMALL)
  week!: number;

  @PrimaryColumn(words(16))
  kind!: CountedKind;

  @PrimaryColumn(words(16))
  step!: CountedStep;

  @PrimaryColumn(words(16))
  browser!: BrowserFamily;

  /** For `given-up` the browser's error, for `refused` the code, for `finished` the AAGUID of a known model. */
  @PrimaryColumn(words(36))
  detail!: string;

  @Column(WHOLE)
  n!: number;
}
