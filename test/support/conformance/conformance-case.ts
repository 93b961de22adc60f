import type { CborInput } from '../../../packages/testing/src/cbor-writer.js';
import type { SoftAuthenticatorOptions } from '../../../packages/testing/src/soft-authenticator.js';
import type {
  AuthenticationTweaks,
  RegistrationTweaks,
} from '../../../packages/testing/src/tweaks.js';

/** A case of FIDO's conformance tests: its number, its text, and its fault. */
export interface ConformanceCase<T> {
  readonly id: string;
  readonly words: string;
  readonly device?: SoftAuthenticatorOptions;
  /** Further members of the begin call. */
  readonly begin?: object;
  readonly tweaks?: T;
  /** What is wrong with the body. */
  readonly change?: (body: ToolBody) => unknown;
  /** The code of the refusal; a case without one must be accepted. */
  readonly code?: string;
}

export type RegistrationCase = ConformanceCase<RegistrationTweaks>;
export type AuthenticationCase = ConformanceCase<AuthenticationTweaks>;

/** The body of a result call as the tool writes it: extension results bear the method's name. */
export interface ToolBody {
  readonly id: string;
  readonly rawId: string;
  readonly type: string;
  readonly response: Readonly<Record<string, unknown>>;
  readonly getClientExtensionResults: object;
}

/** Sets a member of the body; `undefined` leaves it out. */
export const set = (members: object) => (body: ToolBody) => ({ ...body, ...members });

/** Sets a member of `response`; `undefined` leaves it out. */
export const setResponse = (members: object) => (body: ToolBody) => ({
  ...body,
  response: { ...body.response, ...members },
});

/** Sets a member of the attestation statement; `undefined` leaves it out. */
export const having = (name: string, value: CborInput | undefined): RegistrationTweaks => ({
  statement: (good) => {
    const changed = new Map(good);
    if (value === undefined) changed.delete(name);
    else changed.set(name, value);
    return changed;
  },
});
