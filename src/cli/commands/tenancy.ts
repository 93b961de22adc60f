import { readFileSync } from 'node:fs';
import type { Type } from '@nestjs/common';
import { OptionMistakes } from '../../platform/config/option-types.js';
import type { ServerOptions } from '../../platform/config/server-config.js';
import type { AuditAction } from '../../audit/audit-entry.js';
import type { ChangingCall } from '../../audit/audited.js';
import { sentenceOf, type Problem } from '../../platform/errors/reasons.js';
import { isError } from '../../platform/errors/driver-errors.js';
import { isObject } from '../../platform/validation/field-validator.js';
import { mistakesAbout, unknownFieldsOf } from '../../platform/validation/unknown-fields.js';
import { namedHost } from '../../platform/validation/values/domain.js';
import {
  ChangeRelyingPartyDto,
  CreateRelyingPartyDto,
  CreateTenantDto,
} from '../../tenancy/tenancy.dto.js';
import { normalizedWarnings } from '../../tenancy/origin-warnings.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { TenantRemoval } from '../../tenancy/changes/tenant-removal.js';
import { checkedFields, withAdministration } from '../application.js';
import type { Runs } from '../commands.js';
import { runAudited } from '../run-audited.js';

/** What a command changes: a tenant, or a relying party of it. */
interface Changed {
  readonly options: ServerOptions;
  readonly tenant: string;
  readonly domain?: string;
}

type Action<Input> = (tenancy: TenancyService, input: Input, call: ChangingCall) => Promise<string>;

const WRITTEN = {
  tenant: '<tenant>',
  displayName: '--display-name',
  domain: '<domain>',
  name: '--name',
  origins: '--allow-origin',
  relatedOrigins: '--related-origin',
};

const STANDARD_INPUT = '-';

/** A command that makes a change, and leaves a row with this action in the audit trail. */
const change =
  <Input extends Changed>(action: AuditAction, act: Action<Input>) =>
  (input: Input): Promise<void> =>
    withAdministration(optionsFor(input), async (app) => {
      const line = await runAudited(app, { action, at: input }, (call) =>
        act(app.get(TenancyService), input, call),
      );
      console.log(line);
      // Finish the job of a removal before the process ends: there may be no other process to do it.
      await app.get(TenantRemoval).catchUp();
    });

/** Without a `--domain` that the command itself names: it may be the one to add. */
function optionsFor({ options, domain = '' }: Changed): ServerOptions {
  return options.domain === namedHost(domain) ? { ...options, domain: undefined } : options;
}

const withWarnings = (done: string, warnings: readonly Problem[]): string =>
  [done, ...warnings.map(sentenceOf)].join('\n');

export const tenancyCommands: Runs<'tenant' | 'relying-party'> = {
  'tenant list': ({ options }) =>
    withAdministration(options, async (app) => {
      const tenancy = app.get(TenancyService);
      const lines = await Promise.all(
        (await tenancy.listTenants()).map(async ({ name }) => {
          const relyingParties = await tenancy.listRelyingParties(name);
          return `${name}\t${relyingParties.map(({ domain }) => domain).join(' ')}`;
        }),
      );
      console.log(lines.join('\n'));
    }),

  'tenant add': change('tenant.create', async (tenancy, { tenant, displayName }, call) => {
    await tenancy.addTenant(call, checkedFields(CreateTenantDto, { tenant, displayName }, WRITTEN));
    return `Tenant ${tenant} was added.`;
  }),

  'tenant remove': change('tenant.remove', async (tenancy, { tenant }, call) => {
    await tenancy.removeTenant(call, tenant);
    return `Tenant ${tenant} was removed.`;
  }),

  'relying-party add': change('relying-party.create', async (tenancy, input, call) => {
    const { tenant, domain, name, origin = [], allowOrigin = [], relatedOrigin } = input;
    const origins = [...origin, ...allowOrigin];
    const fields = {
      domain,
      name,
      origins: origins.length > 0 ? origins : undefined,
      relatedOrigins: relatedOrigin,
    };
    const checked = checkedFields(CreateRelyingPartyDto, fields, WRITTEN);
    const added = await tenancy.addRelyingParty(call, tenant, checked);
    const warnings = [
      ...normalizedWarnings(checked),
      ...(await tenancy.warningsAbout(call.account, tenant, added)),
    ];
    return withWarnings(`Relying party ${added.domain} was added to tenant ${tenant}.`, warnings);
  }),

  'relying-party change': change('relying-party.change', async (tenancy, input, call) => {
    const { tenant, domain, file } = input;
    const body = checkedJson(ChangeRelyingPartyDto, file);
    const { before, after } = await tenancy.changeRelyingParty(call, tenant, domain, body);
    if (after === before) return 'Nothing was changed: the JSON object names no member to change.';
    const warnings = [
      ...normalizedWarnings(body),
      ...(await tenancy.warningsAbout(call.account, tenant, after)),
    ];
    return withWarnings(`Relying party ${domain} was changed.`, warnings);
  }),

  'relying-party remove': change('relying-party.remove', async (tenancy, input, call) => {
    await tenancy.removeRelyingParty(call, input.tenant, input.domain);
    return `Relying party ${input.domain} was removed.`;
  }),
};

/**
 * Checks the JSON object in a file by the same validators as over HTTP. A member that they do not know is a mistake: no
 * answer could warn of it.
 *
 * @throws OptionMistakes as `jsonIn`; if a member is unknown or wrong
 */
function checkedJson<Dto extends object>(dto: Type<Dto>, file: string): Dto {
  const json = jsonIn(file);
  const mistakes = mistakesAbout(unknownFieldsOf(dto, json));
  if (mistakes.length > 0) throw new OptionMistakes(mistakes);
  return checkedFields(dto, json);
}

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
