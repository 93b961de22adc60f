import type { AuditDetail } from '../../audit/audit-row.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { FormatName } from './formats/registry.js';
import type { ImportEntity } from './import.entity.js';
import type { ImportOrder } from './importer.js';
import type { ImportReport } from './import-report.js';
import type { Tally } from './tally.js';

/** What POST /userapi/import answers besides its status. */
export const importAnswer = ({ rp, format, dryRun }: ImportOrder, report: ImportReport) => ({
  relyingParty: rp.domain,
  format,
  dryRun,
  ...report.tally,
  refusals: report.refusals,
});

/** What GET /userapi/import answers besides its status; `import` is null where there was none. */
export const progressAnswer = ({ domain }: RelyingParty, found: ImportEntity | undefined) => ({
  relyingParty: domain,
  import: found
    ? {
        format: found.source,
        state: found.state,
        account: found.account,
        beganAt: new Date(found.beganAt).toISOString(),
        changedAt: new Date(found.changedAt).toISOString(),
        ...found.tally,
      }
    : null,
});

/** For the audit trail. */
export const auditDetail = (format: FormatName, { records, users, keys }: Tally): AuditDetail => ({
  format,
  records,
  users: users.created,
  keys: keys.created,
  refused: users.refused + keys.refused,
});
