import { type INestApplicationContext, Module, type DynamicModule } from '@nestjs/common';
import { HASH_OF_ROW } from '../../audit/audit.statements.js';
import { AuditHead } from '../../audit/chain/audit-head.js';
import { DocumentSeries } from '../../billing/invoices/document-series.js';
import { NumberedEvents } from '../../events/numbering/numbered-events.js';
import { REMOVE_TICKETS } from '../../fido/tickets/ticket.statements.js';
import { Clock } from '../../platform/common/clock.js';
import { Database } from '../../platform/database/database.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { Epochs } from '../../platform/database/epochs.js';
import { ensureStored, runAudited } from '../run-audited.js';
import { BillingModule } from '../../billing/billing.module.js';
import type { ServerOptions } from '../../platform/config/server-config.js';
import { AdministrationModule } from '../administration.module.js';
import { PROGRAM } from '../../platform/program.js';
import {
  DELETE_OIDC_RECORDS,
  END_INVITATIONS,
  END_SESSIONS,
  END_SETUP_LINKS,
  SOME_INVITATIONS,
  SOME_OIDC_RECORDS,
  SOME_TICKETS,
  SUSPEND_KEYS,
} from './restore.statements.js';
import { readChanges } from './server-log.js';

/** The data that a restore changes: application keys, sessions, tickets, invitations and the series of documents. */
@Module({})
export class RestoreModule {
  /** @param migrates whether it migrates a backup of an earlier version */
  static with(options: ServerOptions, migrates: boolean): DynamicModule {
    return {
      module: RestoreModule,
      imports: [AdministrationModule.with(options, { migrates }), BillingModule],
    };
  }
}

const PERMITS_PER_UNIT = 256;
const UNNAMED = [
  `No invoice is stored until the last document that was sent out is named: ${PROGRAM} document last NUMBER.`,
];

/** Facts that the operator knows about the time after the backup. */
interface LaterFacts {
  /** The server's log. */
  readonly log: string | undefined;
  /** See `DocumentSeries.nameLast`. */
  readonly lastDocument: string | undefined;
  /** The SQLite database that the backup replaces. */
  readonly former?: string | undefined;
}

/**
 * Begins the epoch after a restore: cursors and document numbers of lost data get no new meaning, and revocations
 * since the backup are listed; if these are unknown, application keys are suspended until confirmed. Tickets,
 * invitations, setup links, sessions and tokens of OpenID Connect end in any case.
 *
 * @param options those of the database that the operator restores
 * @returns the report for the operator, line by line
 * @throws ApiError E0045R for an impossible last document; nothing has changed then
 */
export async function beginEpoch(
  app: INestApplicationContext,
  options: ServerOptions,
  { lastDocument, ...sources }: LaterFacts,
): Promise<string[]> {
  const { head } = await app.get(AuditHead).record();
  const present = (await app.get(Epochs).all()).length - 1;
  const hashOf = async (seq: number) =>
    (await app.get(Database).query(HASH_OF_ROW, { seq }))[0]?.hash;
  const trail = { head, epoch: present, hashOf };
  const { revoked, gap, unread } = await readChanges({ ...sources, options }, trail);
  const series = app.get(DocumentSeries);
  // Refuses impossible numbers while nothing has changed.
  if (lastDocument !== undefined) await series.lostAfter(lastDocument);
  const fork = await app.get(NumberedEvents).last();
  const { epoch, step } = await app.get(Epochs).raise(fork);
  const ended = await endPermits(app);
  const doubts = gap === undefined ? [] : [SUSPEND_KEYS.step({ now: app.get(Clock).now() })];
  const detail = { epoch: epoch.number, lastEvent: fork, logIsComplete: gap === undefined };
  const ends = [END_SESSIONS.step({}), END_SETUP_LINKS.step({}), ...doubts];
  await runAudited(app, { action: 'database.restore', detail }, async ({ commit }) => {
    ensureStored(await commit([step, await series.close(), ...ends], {}));
  });
  const documents =
    lastDocument === undefined ? UNNAMED : await nameLastDocument(app, lastDocument);
  return [
    `Epoch ${epoch.number} has begun after row ${head.seq} of the audit trail.`,
    ...revokedLines(revoked, gap),
    ...(unread === undefined ? [] : [`The former database was not read: ${unread}.`]),
    `Tickets (${ended.tickets}), invitations (${ended.invitations}), setup links, console sessions, and users'`,
    `sessions, codes and tokens of OpenID Connect (${ended.oidcRecords}) have ended: they may have been used or ended`,
    'since the backup. Issue again what users and accounts still need.',
    ...documents,
  ];
}

/** Names the last documents that were sent, and reports the number of the next one. */
export async function nameLastDocument(
  app: INestApplicationContext,
  numbers: string,
): Promise<string[]> {
  const present = (await app.get(Epochs).all()).length - 1;
  const note = { action: 'database.restore', target: 'documents' } as const;
  const { epoch, lost } = await runAudited(app, note, async ({ commit }) => {
    const { step, ...named } = await app.get(DocumentSeries).nameLast(numbers, present);
    const detail = { last: numbers, lost: named.lost.join(', ') };
    ensureStored(await commit([step], { detail }));
    return named;
  });
  const next = `The next invoice is R${epoch}-1, the next statement S-R${epoch}-1.`;
  if (lost.length === 0) return [next, 'No document is lost.'];
  return [
    next,
    `Lost documents, by number: ${lost.join(', ')}. No invoice or credit note is stored before each is entered again`,
    `(${PROGRAM} document enter FILE) or cancelled (${PROGRAM} document cancel NUMBER).`,
  ];
}

function revokedLines(revoked: readonly string[], gap: string | undefined): string[] {
  const listed = [
    revoked.length === 0
      ? 'Nothing is named that was revoked, disabled or deleted since the backup.'
      : 'Revoked, disabled or deleted since the backup, and back now: do it again.',
    ...revoked.map((line) => `  ${line}`),
  ];
  if (gap === undefined) return listed;
  return [
    ...(revoked.length > 0 ? listed : []),
    `What was revoked since the backup cannot be known: ${gap}.`,
    `So application keys are suspended until each is confirmed (${PROGRAM} key list, ${PROGRAM} key confirm ID).`,
  ];
}

/** There may be many, so they end a few at a time, before the epoch begins; a second attempt ends the rest. */
async function endPermits(app: INestApplicationContext) {
  const database = app.get(Database);
  const now = app.get(Clock).now();
  const endAll = async (
    some: () => Promise<readonly { readonly id: Buffer }[]>,
    stepOf: (ids: readonly Buffer[]) => Step,
  ): Promise<number> => {
    for (let ended = 0; ;) {
      const ids = (await some()).map(({ id }) => id);
      if (ids.length === 0) return ended;
      await database.store([stepOf(ids)]);
      ended += ids.length;
    }
  };
  return {
    tickets: await endAll(
      () => database.query(SOME_TICKETS, { limit: PERMITS_PER_UNIT }),
      (ids) => REMOVE_TICKETS.step({ ids }),
    ),
    invitations: await endAll(
      () => database.query(SOME_INVITATIONS, { now, limit: PERMITS_PER_UNIT }),
      (ids) => END_INVITATIONS.step({ now, ids }),
    ),
    oidcRecords: await endAll(
      () => database.query(SOME_OIDC_RECORDS, { limit: PERMITS_PER_UNIT }),
      (ids) => DELETE_OIDC_RECORDS.step({ ids }),
    ),
  };
}
