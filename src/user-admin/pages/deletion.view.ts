import { withLabels } from '../../users/credentials/key-label.js';
import type { ModelNames } from '../../users/credentials/key-label.js';
import type { KeptDeletion } from '../../users/deletions/deletion-steps.js';
import type { Text } from '../../platform/pages/languages/phrase.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { rightsOf } from './users/rights.js';

/** What a person's page says about a deletion that can be taken back. */
export interface DeletionNotice {
  readonly whole: boolean;
  readonly username: string;
  /** The domain at which the user or the keys were deleted. */
  readonly domain: string;
  readonly keys: readonly { readonly label: Text }[];
  readonly account: string;
  readonly reason: string | null;
  readonly at: string;
  readonly until: string;
  readonly mayUndo: boolean;
  /** Fields of the undo form: the deletion's ID in Base64URL, and the domain and name of the page. */
  readonly deletion: string;
  readonly rp: string;
  readonly name: string;
}

/** The notice of a deletion, for the page of the person of this name and domain. */
export function deletionNotice(
  deletion: KeptDeletion,
  {
    name,
    domain: rp,
    account,
    models,
  }: { name: string; domain: string; account: Account; models: ModelNames },
): DeletionNotice {
  const { id, whole, username, relyingParty, keys, reason } = deletion;
  const rights = rightsOf(account);
  return {
    whole,
    username,
    keys: withLabels(keys, models),
    reason,
    rp,
    name,
    domain: relyingParty.domain,
    account: deletion.account,
    at: new Date(deletion.at).toISOString(),
    until: new Date(deletion.until).toISOString(),
    mayUndo: whole ? rights.users : rights.keys,
    deletion: id.toString('base64url'),
  };
}
