import { hash } from 'node:crypto';

/** The members of what a form edits, by name, as the form reads them. */
export type FormMembers = Readonly<Record<string, unknown>>;

const digestOf = (value: unknown): string =>
  hash('sha256', JSON.stringify(value ?? null), 'base64url').slice(0, 16);

/**
 * What a form shows, for its hidden field `base`: a digest of each member. By it the server knows which members
 * somebody has changed in the form, and which ones others have changed meanwhile.
 */
export const baseOf = (members: FormMembers): string =>
  Object.entries(members)
    .map(([name, value]) => `${name}=${digestOf(value)}`)
    .join(' ');

/**
 * The names of the members that differ from what the form showed.
 *
 * @param base as the form sent it, or anything else; all members differ from an empty one
 */
export function differingFrom(base: string, members: FormMembers): string[] {
  const shown = new Map(base.split(' ').map((entry) => entry.split('=') as [string, string]));
  const names = new Set([...shown.keys(), ...Object.keys(members)].filter((name) => name !== ''));
  const unset = digestOf(null);
  if (base === '') return Object.keys(members);
  return [...names].filter((name) => digestOf(members[name]) !== (shown.get(name) ?? unset));
}
