import type { AuditNote } from '../../audit/audit-trail.js';
import { OptionMistakes } from '../../platform/config/load-options.js';
import type { CommandLine } from '../../platform/config/load-options.js';
import { TenantDirectory } from '../../tenancy/scope/tenant-directory.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { UserErasure } from '../../user-admin/manage-users/user-erasure.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import { withApplication } from '../application.js';
import { audited } from './audit.js';

/**
 * Erases a person from everything that is kept, and prints the pseudonym that takes the name's place.
 *
 * @throws ApiError E0044R where nothing is kept of the name; OptionMistakes for an empty name, and where there
 *   are several relying parties and none is named
 */
export async function eraseUser({ options, own, words: [name = ''] }: CommandLine): Promise<void> {
  // Refused sign-ins that named nobody are kept under it.
  if (name.trim() === '') throw new OptionMistakes(['the name is empty: nobody is erased']);
  await withApplication(options, async (app) => {
    const rp = relyingPartyOf(app.get(TenantDirectory), own.get('relying-party'));
    const note: AuditNote = {
      ...{ action: 'user.erase', tenant: rp.tenant, relyingParty: rp.domain },
    };
    const erased = await audited(app, note, async (entry, requestId) => {
      const by = { account: 'cli', role: 'admin', address: '', requestId };
      const { pseudonym, ...figures } = await app
        .get(UserErasure)
        .erase(rp, normalizeName(name), by);
      Object.assign(entry, { target: pseudonym, detail: figures });
      return { pseudonym, ...figures };
    });
    const { pseudonym, users, credentials, events, auditRows } = erased;
    console.log(`Erased at ${rp.domain}; what is kept names ${pseudonym} from now on:`);
    console.log(
      `${users} users with ${credentials} keys deleted, ${events} events and ${auditRows} audit rows changed.`,
    );
    if (users === 0) console.log(NO_USER);
  });
}

const NO_USER =
  'Nobody has this name now, so that nobody was deleted: only what was kept of the name is gone. Whoever was ' +
  'renamed since keeps user and keys under the new name: erase that too.';

function relyingPartyOf({ current }: TenantDirectory, domain: string | undefined): RelyingParty {
  const [first, second] = current.relyingParties;
  const found = domain === undefined ? first : current.find(domain);
  if (found && (domain !== undefined || !second)) return found;
  throw new OptionMistakes([
    domain === undefined
      ? '--relying-party: say at which relying party'
      : `--relying-party: there is no relying party ${domain}`,
  ]);
}
