import type { FindOptionsSelect, QueryRunner } from 'typeorm';
import { AuditKey, HEAD_RECORD, faultOfSeal, parseHeadRecord } from './audit/chain/audit-head.js';
import { SigningKeyEntity } from './fido/tokens/signing-key.entity.js';
import { readAuditKey, readSecretKeys } from './platform/config/files/key-files.js';
import { OptionMistakes } from './platform/config/option-types.js';
import type { ServerOptions } from './platform/config/server-config.js';
import { tableOf } from './platform/database/entities/table.js';
import { Sealing } from './platform/database/secrets/sealing.js';
import { Secret } from './platform/database/entities/server.entity.js';
import { plainText } from './platform/pages/languages/languages.js';
import { Webhook } from './webhooks/webhook.entity.js';

/**
 * Checks that the key files contain the keys with which the database was written; an empty database needs none.
 * Changes nothing. The tables may be of an earlier version: only columns that exist in each version are read.
 *
 * @throws OptionMistakes with a line for each wrong file
 */
export async function requireDatabaseKeys(
  runner: QueryRunner,
  options: ServerOptions,
): Promise<void> {
  const secrets = await rowsOf(runner, Secret, { name: true, value: true });
  const signingKeys = await rowsOf(runner, SigningKeyEntity, { kid: true, privateKey: true });
  const webhooks = await rowsOf(runner, Webhook, { id: true, secret: true, formerSecret: true });
  const texts: readonly (readonly [place: string, text: string | null])[] = [
    ...secrets.map(({ name, value }) => [`secret ${name}`, value] as const),
    ...signingKeys.map(({ kid, privateKey }) => [`signing-key ${kid}`, privateKey] as const),
    ...webhooks.flatMap(({ secret, formerSecret }) =>
      [secret, formerSecret].map((text) => ['webhook', text] as const),
    ),
  ];
  const sealing = new Sealing(readSecretKeys(options));
  const missing = texts.map(([place, text]) => sealing.missingKey(text ?? '', place));
  const head = secrets.find(({ name }) => name === HEAD_RECORD);
  const mistakes = [
    auditFault(head?.value ?? '', options),
    missing.find((fault) => fault !== undefined),
  ].filter((fault) => fault !== undefined);
  if (mistakes.length > 0) throw new OptionMistakes(mistakes);
}

/** A trail without a seal is not a fault: `./servicefido audit seal` needs the tables that the first start creates. */
function auditFault(text: string, options: ServerOptions): string | undefined {
  const record = parseHeadRecord(text);
  if (!record.seal) return undefined;
  const key = readAuditKey(options);
  const fault = faultOfSeal(record, key === undefined ? null : new AuditKey(key));
  return fault && `--audit-key-file: ${plainText('en', fault)}`;
}

const rowsOf = async <E extends object>(
  runner: QueryRunner,
  entity: new () => E,
  select: FindOptionsSelect<E>,
): Promise<E[]> =>
  (await runner.hasTable(tableOf(entity).from)) ? runner.manager.find(entity, { select }) : [];
