import type { ServerOptions } from '../../platform/config/server-options.js';
import type { Problem } from '../../platform/errors/reasons.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import type { Phrase } from '../../platform/pages/languages/phrase.js';
import { MODES } from '../policy/policy-values.js';
import { policyMembers } from '../policy/policy.js';
import type { FieldKind } from '../policy/policy-values.js';
import type { MemberName } from '../policy/policy.js';

/** A member of the policy as a field of the page; `docs/trust.md` explains each. */
export interface PolicyField {
  readonly name: MemberName;
  readonly kind: FieldKind;
  /** Values of a choice or of ticks. */
  readonly values?: readonly string[];
  /** What to write, as the message to somebody who wrote something else. */
  readonly demand: Problem;
  /** Only of a rule that sign-ins can be held to. */
  readonly onKeys: boolean;
}

export const MODE_TEXTS: ReadonlyMap<string, Phrase> = new Map(
  MODES.map((mode) => [mode, phrase(`policy:modes.${mode}`)]),
);

const fieldsWith = (hasMode: boolean): readonly PolicyField[] =>
  policyMembers
    .filter(([, member]) => member.hasMode === hasMode)
    .map(([name, { field, onKeys }]) => ({ name, onKeys, ...field }));

/** Rules, which have modes. */
export const RULES = fieldsWith(true);

/** Settings, which nothing can break. */
export const SETTINGS = fieldsWith(false);

/** The server's options that decide where a policy says nothing. */
export type Deciding = Pick<ServerOptions, 'registration' | 'verify'>;

/** The label of a member. */
export const labelOf = ({ name }: PolicyField): Phrase => phrase(`policy:fields.${name}.label`);
export const hintOf = ({ name }: PolicyField): Phrase => phrase(`policy:fields.${name}.hint`);

/** What applies if a member is not set, in words. */
export function whatHolds({ name }: PolicyField, { registration, verify }: Deciding): Phrase {
  if (name === 'registration') return phrase('policy:asRegistration', { registration });
  if (name === 'userVerification' && verify) return phrase('policy:asVerify');
  return phrase(`policy:fields.${name}.unset`);
}
