import type { RelyingParty } from '../tenancy/relying-party.js';
import { ignoresCase } from '../tenancy/usernames/name-key.js';

/** Statements by the registered name, and by the folded name for relying parties that ignore case. */
export interface NameForms<S> {
  readonly exact: S;
  readonly folded: S;
}

export const eachNameForm = <S>(
  table: { readonly username: string; readonly foldedName: string },
  statement: (name: string) => S,
): NameForms<S> => ({ exact: statement(table.username), folded: statement(table.foldedName) });

/** The form in which a relying party compares names. */
export const nameFormOf = <S>(rp: RelyingParty, { exact, folded }: NameForms<S>): S =>
  ignoresCase(rp) ? folded : exact;
