import { Injectable } from '@nestjs/common';
import type { UserRows } from '../../audit/audit-trail.js';
import { InvitationFile, type InvitationWish } from '../../invitations/invitation-file.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { ModelKeys } from '../../users/list/model-keys.js';
import type { FoundUser } from '../../users/user-rows.js';
import { aaguidBytes } from '../../webauthn/aaguid.js';

const STEP = 200;

interface Wish extends InvitationWish {
  readonly aaguid: string;
}

/** Invites the users who had a key of a model and have no key left with which they can sign in. */
@Injectable()
export class ModelInvitations {
  constructor(
    private readonly keys: ModelKeys,
    private readonly file: InvitationFile,
  ) {}

  /** Issues at most 500 invitations, and writes each link as a line of CSV once it is stored. */
  csv(rps: readonly RelyingParty[], { aaguid, ...wish }: Wish, rows: UserRows) {
    return this.file.csv(this.withoutKey(rps, aaguid), wish, rows);
  }

  private async *withoutKey(
    rps: readonly RelyingParty[],
    aaguid: string,
  ): AsyncGenerator<FoundUser> {
    for (const rp of rps) {
      let behind: Buffer | undefined = Buffer.alloc(0);
      while (behind) {
        const step = await this.keys.step(rp, aaguidBytes(aaguid), behind, STEP);
        yield* step.users.filter((user) => !user.credentials.some(({ enabled }) => enabled));
        behind = step.next;
      }
    }
  }
}
