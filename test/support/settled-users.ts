import { randomBytes } from 'node:crypto';
import { credentialHashOf } from '../../src/users/credentials/credential-reader.js';
import { wordSteps } from '../../src/users/search/search-word-steps.js';
import { newId } from '../../src/platform/database/row-ids.js';
import { Database } from '../../src/platform/database/database.js';
import type { DatabaseKind } from '../../src/platform/database/entities/table.js';
import type { Step } from '../../src/platform/database/commit/unit.js';
import type { RelyingParty } from '../../src/tenancy/relying-party.js';
import { AdminClient } from './admin-client.js';
import { relyingPartyOf } from './rows.js';
import type { TestServer } from './test-server.js';

/** A unit has 2.5 s, which the statements of a few hundred users would exceed on a busy machine. */
const USERS_PER_UNIT = 100;

/** The data of a user who is stored without a ceremony. */
export interface SettledUser {
  readonly username: string;
  /** The user's ID at the application (`subject`). */
  readonly userId?: string;
  /** Names of the devices; one `Security key`, when absent. */
  readonly devices?: readonly string[];
  /** Milliseconds since 1970. */
  readonly createdAt?: number;
  /** Of the first device; never, when absent. */
  readonly lastUsedAt?: number;
  /** The AAGUID of all devices; zeros, when absent. */
  readonly model?: Buffer;
}

const LONG_AGO = 1_790_000_000_000;

/** Stores users by the thousand, with credentials whose keys nobody has. */
export async function settle(
  server: TestServer,
  rp: RelyingParty,
  users: readonly (string | SettledUser)[],
): Promise<void> {
  const database = server.get(Database);
  for (let at = 0; at < users.length; at += USERS_PER_UNIT) {
    const steps = users
      .slice(at, at + USERS_PER_UNIT)
      .map((user) => (typeof user === 'string' ? { username: user } : user))
      .flatMap((user) => stepsOf(database.kind, rp, user));
    await database.commit(steps);
  }
}

/**
 * Links a user of the predecessor to one of the successor, who has the same name unless another is given, whatever the
 * server has decided about the user.
 */
export async function linkUsers(
  server: TestServer,
  places: readonly [RelyingParty, RelyingParty],
  predecessorUsername: string,
  successorUsername = predecessorUsername,
): Promise<void> {
  const [predecessor, successor] = places;
  const decided = ['moves', 'collisions'].map((table) => ({
    sql: `DELETE FROM ${table} WHERE relying_party_id = ? AND former_user_id IN
      (SELECT id FROM users WHERE relying_party_id = ? AND username = ?)`,
    params: [successor.id, predecessor.id, Buffer.from(predecessorUsername)],
  }));
  await server
    .get(Database)
    .commit([...decided, linkStep(places, predecessorUsername, successorUsername)]);
}

/** The step with which an instance of version 1.0 links two users. */
export function linkStep(
  [predecessor, successor]: readonly [RelyingParty, RelyingParty],
  predecessorUsername: string,
  successorUsername = predecessorUsername,
): Step {
  const sql = `INSERT INTO moves
      (user_id, tenant_id, relying_party_id, former_user_id, former_relying_party_id, moved_at)
    SELECT s.id, s.tenant_id, s.relying_party_id, p.id, p.relying_party_id, ?
    FROM users s JOIN users p ON p.relying_party_id = ? AND p.username = ?
    WHERE s.relying_party_id = ? AND s.username = ?`;
  const atPredecessor = [predecessor.id, Buffer.from(predecessorUsername)];
  const atSuccessor = [successor.id, Buffer.from(successorUsername)];
  return { sql, params: [LONG_AGO, ...atPredecessor, ...atSuccessor], mustChange: true };
}

function stepsOf(
  kind: DatabaseKind,
  rp: RelyingParty,
  { username, userId, devices = ['Security key'], createdAt = LONG_AGO, ...rest }: SettledUser,
): Step[] {
  const id = newId();
  const scope = [rp.tenantId, rp.id];
  const name = Buffer.from(username, 'utf8');
  const subject = userId === undefined ? null : Buffer.from(userId, 'utf8');
  return [
    {
      sql: `INSERT INTO users
              (id, tenant_id, relying_party_id, username, subject, display_name, user_handle, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      params: [id, ...scope, name, subject, username, randomBytes(32), createdAt],
    },
    ...wordSteps(kind, [{ id, relyingParty: rp, username, displayName: username }]),
    ...devices.map((device, n) => credentialStep(scope, id, { device, at: n, ...rest })),
  ];
}

interface Device {
  readonly device: string;
  /** Its number. */
  readonly at: number;
}

function credentialStep(
  scope: readonly Buffer[],
  userId: Buffer,
  { device, at, model, lastUsedAt }: Pick<SettledUser, 'model' | 'lastUsedAt'> & Device,
): Step {
  const credentialId = randomBytes(16);
  return {
    sql: `INSERT INTO credentials
            (id, tenant_id, relying_party_id, user_id, credential_id, credential_hash, public_key,
             algorithm, sign_count, aaguid, device_name, keypair, transports, attestation_format,
             attestation_type, attestation_trusted, user_verified, backup_eligible, backed_up,
             enabled, registered_at, last_used_at, last_ceremony)
          VALUES (?, ?, ?, ?, ?, ?, ?, -7, 0, ?, ?, NULL, 'usb', 'none', 'none', 0, 1, 0, 0, 1, ?,
             ?, ?)`,
    params: [
      newId(),
      ...scope,
      userId,
      credentialId,
      credentialHashOf(credentialId),
      Buffer.alloc(77),
      model ?? Buffer.alloc(16),
      device,
      LONG_AGO + at,
      at === 0 ? (lastUsedAt ?? null) : null,
      Buffer.alloc(16),
    ],
  };
}

/** Opens a relying party for each case, so that cases do not see each other's users. */
export class Places {
  private opened = 0;

  constructor(private readonly server: TestServer) {}

  /** @returns the administration of a new relying party with these users */
  async open(...users: readonly (string | SettledUser)[]): Promise<AdminClient> {
    this.opened += 1;
    const domain = `place-${this.opened}.example`;
    await this.server.addRelyingParty('places', { domain });
    await settle(this.server, relyingPartyOf(this.server, domain), users);
    return new AdminClient(this.server.url, domain);
  }
}
