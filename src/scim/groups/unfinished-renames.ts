import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { LeasedJob } from '../../platform/database/jobs/leased-job.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { UNFINISHED_RENAMES } from './directory-group.statements.js';
import { ScimGroupFinder } from './scim-group-finder.js';
import { ScimGroupRenames } from './scim-group-renames.js';

const EVERY_MS = 60_000;

/** Completes changes of groups' names whose call was interrupted. */
@Injectable()
export class UnfinishedRenames extends LeasedJob {
  constructor(
    private readonly database: Database,
    private readonly relyingParties: RelyingPartyCache,
    private readonly finder: ScimGroupFinder,
    private readonly renames: ScimGroupRenames,
  ) {
    super(database, {
      name: 'unfinished-group-renames',
      everyMs: EVERY_MS,
      retryMessage: 'New names of groups reach their members in a minute',
    });
  }

  protected override async work(): Promise<void> {
    for (const { id, relyingPartyId } of await this.database.query(UNFINISHED_RENAMES)) {
      const rp = this.relyingParties.current.all.find((one) => one.id.equals(relyingPartyId));
      if (!rp || !(await this.hold())) continue;
      await this.finish(rp, id.toString('base64url')).catch((error: unknown) => {
        // It may be deleted by now, or change all the time; the other groups do not wait for it.
        const sentence = `A group has two names for a further minute: ${String(error)}`;
        Logger.warn(sentence, UnfinishedRenames.name);
      });
    }
  }

  private async finish(rp: RelyingParty, id: string): Promise<void> {
    const group = await this.finder.get(rp, id);
    await this.renames.finish(rp, group, { mayGoOn: () => !this.isShuttingDown });
  }
}
