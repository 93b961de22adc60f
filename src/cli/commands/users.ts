import { createReadStream } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { OptionMistakes } from '../../platform/config/option-types.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { UserErasure } from '../../user-admin/manage-users/user-erasure.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import {
  knownDomains,
  relyingPartyOf,
  relyingPartyOfFlag,
  withApplication,
} from '../application.js';
import { Exporter } from '../../user-admin/transfer/exporter.js';
import {
  FORMAT_NAMES,
  type FormatName,
} from '../../user-admin/transfer/formats/transfer-formats.js';
import { Importer } from '../../user-admin/transfer/importer.js';
import { readAhead } from '../../user-admin/text-input.js';
import { ImportReport } from '../../user-admin/transfer/import-report.js';
import type { Runs } from '../commands.js';
import { runAudited } from '../run-audited.js';

const STANDARD_INPUT = '-';
/** The number of records after which the import prints its progress. */
const STEP = 10_000;

export const userCommands: Runs<'users' | 'export' | 'import'> = {
  /**
   * Erases a user from stored data, and prints the pseudonym that replaces the name.
   *
   * @throws ApiError E0044R if nothing is stored under the name; OptionMistakes for an empty name, and if there
   *   are several relying parties and none is named
   */
  'users erase': async ({ options, name, relyingParty }) => {
    // Refused sign-ins without a user name are stored under it.
    if (name.trim() === '') throw new OptionMistakes(['the name is empty: nobody is erased']);
    await withApplication(options, async (app) => {
      const rp = onlyOrNamed(app, relyingParty);
      const erased = await runAudited(
        app,
        { action: 'user.erase', at: rp },
        ({ requestId, commit }) => {
          const by = { account: 'cli', role: 'admin', address: '', requestId };
          return app.get(UserErasure).erase(rp, normalizeName(name), { ...by, commit });
        },
      );
      const { pseudonym, ended, users, credentials, events, auditRows } = erased;
      console.log(`Erased at ${rp.domain}; what is kept names ${pseudonym} from now on:`);
      console.log(
        `${users} users with ${credentials} keys deleted, ${events} events and ${auditRows} audit rows changed.`,
      );
      if (users > 0)
        console.log(`${ended.tickets} tickets and ${ended.invitations} invitations ended.`);
      if (users === 0) console.log(NO_USER);
    });
  },

  /** Writes all users of a relying party with their keys to standard output, as JSON Lines. */
  export: ({ options, domain }) =>
    withApplication(options, async (app) => {
      const rp = relyingPartyOf(app, domain);
      // The row is stored before the first line is printed: the reader may leave at any line.
      const { all } = await runAudited(app, { action: 'users.export', at: rp }, () =>
        readAhead(app.get(Exporter).text(rp), () => true),
      );
      await pipeline(Readable.from(all), process.stdout, { end: false });
    }),

  /**
   * Imports a file, or standard input, and prints the stored and refused records; exits with 1 if any were
   * refused.
   *
   * @throws ApiError E0045R for a file in another format; Error if there is no such relying party
   */
  import: async ({ options, domain, file, format, dryRun, assumeVerified }) => {
    const how = { format: formatOf(format), dryRun, assumeVerified };
    if (file !== STANDARD_INPUT) await ensureReadable(file);
    await withApplication(options, async (app) => {
      const rp = relyingPartyOf(app, domain);
      const order = { rp, ...how };
      const report = new ImportReport();
      const action = dryRun ? 'users.import.try' : 'users.import';
      await runAudited(app, { action, at: rp }, async (call) => {
        const source = file === STANDARD_INPUT ? process.stdin : createReadStream(file);
        try {
          await app
            .get(Importer)
            .run(source, { ...order, call, progress: progressReporter() }, report);
        } finally {
          call.about({ detail: report.auditDetail(order) });
        }
      });
      printReport(report, dryRun);
    });
  },
};

const NO_USER =
  'No user has this name now, so no user was deleted, only the stored traces of the name. If the user was renamed ' +
  'since, the user and its keys exist under the new name: erase that too.';

const INCOMPLETE =
  'The file is not complete: users and keys may be missing. Export again, and import that file: it finds what is stored.';

function onlyOrNamed(app: INestApplicationContext, domain: string | undefined): RelyingParty {
  if (domain !== undefined) return relyingPartyOfFlag(app, '--relying-party', domain);
  const [first, second] = app.get(RelyingPartyCache).current.all;
  if (first && !second) return first;
  throw new OptionMistakes([`--relying-party: say at which relying party. ${knownDomains(app)}`]);
}

function formatOf(name = 'servicefido'): FormatName {
  const format = FORMAT_NAMES.find((one) => one === name);
  if (format) return format;
  throw new OptionMistakes([`--format: must be one of ${FORMAT_NAMES.join(', ')}`]);
}

async function ensureReadable(file: string): Promise<void> {
  await access(file, constants.R_OK).catch(() => {
    throw new OptionMistakes([`${file} cannot be read`]);
  });
}

function progressReporter(): (report: ImportReport) => void {
  let reported = 0;
  return ({ tally: { records } }) => {
    if (records < reported + STEP) return;
    reported = records - (records % STEP);
    console.error(`${reported} records are through.`);
  };
}

function printReport({ tally, refusals, isComplete }: ImportReport, dryRun: boolean): void {
  const { users, keys } = tally;
  if (!isComplete) console.log(INCOMPLETE);
  const both = (kind: 'created' | 'present' | 'refused') =>
    `${users[kind]} users, ${keys[kind]} keys`;
  console.log(`${dryRun ? 'Would be stored' : 'Stored'}: ${both('created')}`);
  console.log(`Here already: ${both('present')}`);
  if (users.withoutKeys > 0) console.log(`Left out, without a key: ${users.withoutKeys} users`);
  console.log(`Refused: ${both('refused')}`);
  for (const { line, username = '', errorCode, errorMessage } of refusals) {
    const place = line === 0 ? 'the file' : `line ${line}`;
    console.error([place, username, errorCode, errorMessage].filter(Boolean).join('\t'));
  }
  if (users.refused + keys.refused > 0) process.exitCode = 1;
}
