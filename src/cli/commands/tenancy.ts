import { readFileSync } from 'node:fs';
import { OptionMistakes } from '../../platform/config/option-types.js';
import type { CommandLine } from '../../platform/config/load-options.js';
import type { AuditAction } from '../../audit/audit-entry.js';
import type { ChangingCall } from '../../audit/audited.js';
import { sentenceOf, type Problem } from '../../platform/errors/reasons.js';
import { isError } from '../../platform/errors/driver-errors.js';
import { isObject } from '../../platform/validation/field-validator.js';
import {
  ChangeRelyingPartyDto,
  CreateRelyingPartyDto,
  CreateTenantDto,
} from '../../tenancy/tenancy.dto.js';
import { normalizedWarnings } from '../../tenancy/origin-warnings.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { TenantRemoval } from '../../tenancy/changes/tenant-removal.js';
import { withAdministration, checkedFields } from '../application.js';
import { runAudited } from './audit.js';

type Action = (tenancy: TenancyService, line: CommandLine, call: ChangingCall) => Promise<string>;

const STANDARD_INPUT = '-';

/** A command that makes a change, and leaves a row with this action in the audit trail. */
const change =
  (name: AuditAction, action: Action) =>
  (line: CommandLine): Promise<void> =>
    withAdministration(line.options, async (app) => {
      const [tenant, relyingParty] = line.words;
      const note = { action: name, tenant, relyingParty };
      console.log(
        await runAudited(app, note, (call) => action(app.get(TenancyService), line, call)),
      );
      // Finish the job of a removal before the process ends: there may be no other process to do it.
      await app.get(TenantRemoval).catchUp();
    });

export const listTenants = ({ options }: CommandLine): Promise<void> =>
  withAdministration(options, async (app) => {
    const tenancy = app.get(TenancyService);
    const lines = await Promise.all(
      (await tenancy.listTenants()).map(async ({ name }) => {
        const relyingParties = await tenancy.listRelyingParties(name);
        return `${name}\t${relyingParties.map(({ domain }) => domain).join(' ')}`;
      }),
    );
    console.log(lines.join('\n'));
  });

export const addTenant = change(
  'tenant.create',
  async (tenancy, { words: [tenant = ''], own }, call) => {
    const fields = { tenant, displayName: own.get('display-name') };
    await tenancy.addTenant(call, checkedFields(CreateTenantDto, fields));
    return `Tenant ${tenant} was added.`;
  },
);

export const removeTenant = change(
  'tenant.remove',
  async (tenancy, { words: [tenant = ''] }, call) => {
    await tenancy.removeTenant(call, tenant);
    return `Tenant ${tenant} was removed.`;
  },
);

const withWarnings = (done: string, warnings: readonly Problem[]): string =>
  [done, ...warnings.map(sentenceOf)].join('\n');

export const addRelyingParty = change(
  'relying-party.create',
  async (tenancy, { words: [tenant = '', domain = ''], own }, call) => {
    const fields = {
      domain,
      name: own.get('name'),
      origins: own.get('allow-origin')?.split(','),
      relatedOrigins: own.get('related-origin')?.split(','),
    };
    const checked = checkedFields(CreateRelyingPartyDto, fields);
    const added = await tenancy.addRelyingParty(call, tenant, checked);
    const warnings = [
      ...normalizedWarnings(checked),
      ...tenancy.warningsAbout(call.account, tenant, added),
    ];
    return withWarnings(`Relying party ${domain} was added to tenant ${tenant}.`, warnings);
  },
);

export const changeRelyingParty = change(
  'relying-party.change',
  async (tenancy, { words: [tenant = '', domain = '', file = ''] }, call) => {
    const body = checkedFields(ChangeRelyingPartyDto, jsonIn(file));
    const changed = await tenancy.changeRelyingParty(call, tenant, domain, body);
    const warnings = [
      ...normalizedWarnings(body),
      ...tenancy.warningsAbout(call.account, tenant, changed.after),
    ];
    return withWarnings(`Relying party ${domain} was changed.`, warnings);
  },
);

/** @throws OptionMistakes if the file cannot be read, or does not contain a JSON object */
function jsonIn(file: string): object {
  try {
    const value: unknown = JSON.parse(readFileSync(file === STANDARD_INPUT ? 0 : file, 'utf8'));
    if (isObject(value)) return value;
  } catch (error) {
    throw new OptionMistakes([`${file}: ${isError(error) ? error.message : 'cannot be read'}`]);
  }
  throw new OptionMistakes([`${file}: must hold a JSON object`]);
}

export const removeRelyingParty = change(
  'relying-party.remove',
  async (tenancy, { words: [tenant = '', domain = ''] }, call) => {
    await tenancy.removeRelyingParty(call, tenant, domain);
    return `Relying party ${domain} was removed.`;
  },
);
