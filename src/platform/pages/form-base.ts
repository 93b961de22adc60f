import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../errors/api-error.js';
import type { Text } from './languages/phrase.js';
import type { MeanwhileView } from './page.view.js';

/** The members that a form edits, by name, in the form's own representation. */
export type FormMembers = Readonly<Record<string, unknown>>;

/** The typed values of a form, and the values that it had shown. */
export interface TypedMembers<Members extends object = FormMembers> {
  /** Its hidden field; empty if a program sent none. */
  readonly base: string;
  readonly members: Members;
}

/** A known value, which may be that a member is not set. */
interface KnownValue {
  readonly value: unknown;
}

/** The last change of each member: the account that made it, and the values, unless they are too long. */
export type LastChanges = ReadonlyMap<
  string,
  {
    readonly by: string;
    readonly before: KnownValue | undefined;
    readonly after: KnownValue | undefined;
  }
>;

const memberDigest = (value: unknown): string =>
  hash('sha256', JSON.stringify(value ?? null), 'base64url').slice(0, 16);

/**
 * The content of a form's hidden field `base`: a digest of each member that it shows. The server uses it to determine
 * which members were changed in the form, and which ones were changed elsewhere in the meantime.
 */
export const baseOf = (members: FormMembers): string =>
  Object.entries(members)
    .map(([name, value]) => `${name}=${memberDigest(value)}`)
    .join(' ');

/** The hidden field `base` of a submitted form; empty unless it was sent exactly once. */
export const baseIn = (fields: FormMembers): string =>
  typeof fields['base'] === 'string' ? fields['base'] : '';

/**
 * The names of the members that differ from what the form showed.
 *
 * @param base as submitted, or any other text; all members differ from an empty one
 */
export function differingFrom(base: string, members: FormMembers): string[] {
  if (base === '') return Object.keys(members);
  const shown = new Map(base.split(' ').map((entry) => entry.split('=') as [string, string]));
  const names = new Set([...shown.keys(), ...Object.keys(members)].filter((name) => name !== ''));
  const unset = memberDigest(null);
  return [...names].filter((name) => memberDigest(members[name]) !== (shown.get(name) ?? unset));
}

/**
 * Refuses a form if others have changed what it showed.
 *
 * @param stored the stored values; the statement of the change must require the same ones, so that it also notices a
 *   change after this check
 * @param saved the values after saving the form; they are the stored ones if a form is submitted twice
 * @throws ApiError E0053R
 */
export function ensureAsShown(base: string, stored: FormMembers, saved: FormMembers): void {
  if (base === '' || differingFrom(base, stored).length === 0) return;
  if (differingFrom(baseOf(stored), saved).length === 0) return;
  throw new ApiError('E0053R', 'resource.changed');
}

/** The members that were changed in the form; all if a program sent no base. */
export function changesIn<Members extends object>(typed: TypedMembers<Members>): Partial<Members> {
  const names = differingFrom(typed.base, typed.members as FormMembers);
  const changed = Object.entries(typed.members).filter(([name]) => names.includes(name));
  return Object.fromEntries(changed) as Partial<Members>;
}

/** A line of a form in the words of its page. A member may have several lines. */
export interface FormLine<Edited> {
  readonly member: string;
  readonly what: Text;
  readonly valueOf: (edited: Edited) => Text;
}

interface Versions<Edited> {
  readonly stored: Edited;
  /** The edited object after saving the form. */
  readonly saved: Edited;
  /** The stored object with another value of a member. */
  readonly storedWith: (member: string, value: unknown) => Edited;
}

/**
 * The members that others have changed since the form was shown, and the effect of saving the form on them.
 *
 * @param names of the members that others have changed
 * @param last the last change of each member, if known
 */
export function changedMeanwhile<Edited>(
  names: readonly string[],
  lines: readonly FormLine<Edited>[],
  { stored, saved, storedWith }: Versions<Edited>,
  last: LastChanges,
): MeanwhileView[] {
  return lines.flatMap(({ member, what, valueOf }) => {
    if (!names.includes(member)) return [];
    const textOf = (known?: KnownValue) => known && valueOf(storedWith(member, known.value));
    const value = valueOf(stored);
    const change = last.get(member);
    // Another change has no row yet.
    const isLast = isDeepStrictEqual(textOf(change?.after), value);
    const was = isLast ? textOf(change?.before) : undefined;
    // In a member with several lines, others may have changed only one.
    if (isDeepStrictEqual(was, value)) return [];
    const own = valueOf(saved);
    const by = isLast ? change?.by : undefined;
    return { what, was, now: value, by, yours: isDeepStrictEqual(own, value) ? undefined : own };
  });
}
