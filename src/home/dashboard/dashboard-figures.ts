import { isDeepStrictEqual } from 'node:util';
import { brokenRule } from '../../platform/errors/broken-rule.js';
import type { Text } from '../../platform/pages/languages/phrase.js';
import type { ModelCount } from '../../users/credentials/inventory.js';
import { explain } from '../../platform/pages/refusal-explanation.js';
import type { EventCount } from '../../events/hourly-event-counts.js';
import { NO_AAGUID } from '../../webauthn/aaguid.js';

/** IDs (hex) of the relying parties that an account may see. */
export type VisibleRelyingParties = ReadonlySet<string>;

export const visibleRows = <Row extends { readonly relyingParty: string }>(
  scope: VisibleRelyingParties,
  rows: readonly Row[],
): Row[] => rows.filter(({ relyingParty }) => scope.has(relyingParty));

export interface RefusalRow {
  readonly reason: Text;
  /** Empty for a reason without a code. */
  readonly code: string;
  readonly n: number;
}

/** A model, and the number of its keys. */
export interface ModelRow {
  readonly model: string;
  readonly aaguid: string;
  readonly n: number;
}

/** The name of models without a name. */
export const MODEL_NOT_REPORTED = 'Model not reported';
export const UNKNOWN = 'Unknown model';

const isRefused = ({ kind }: EventCount): boolean => kind.endsWith('-refused');

const sum = (rows: readonly { readonly n: number }[]): number =>
  rows.reduce((total, { n }) => total + n, 0);

export const eventCountOf = (counts: readonly EventCount[], kind: EventCount['kind']): number =>
  sum(counts.filter((count) => count.kind === kind));

export function ceremonyFigures(counts: readonly EventCount[]) {
  const refused = sum(counts.filter(isRefused));
  return {
    refused,
    all: refused + eventCountOf(counts, 'authentication') + eventCountOf(counts, 'registration'),
  };
}

/** Refusals in plain words, most frequent first. */
export function refusalsByReason(counts: readonly EventCount[]): RefusalRow[] {
  const rows: { reason: Text; code: string; n: number }[] = [];
  for (const { code, rule, n } of counts.filter(isRefused)) {
    const { reason } = explain(code, rule && brokenRule(rule));
    const same = rows.find(
      (row) => row.code === (code ?? '') && isDeepStrictEqual(row.reason, reason),
    );
    if (same) same.n += n;
    else rows.push({ reason, code: code ?? '', n });
  }
  return rows.sort((one, other) => other.n - one.n || one.code.localeCompare(other.code));
}

/** Models by name, most frequent first. */
export function modelsInUse(
  counts: readonly ModelCount[],
  nameOf: (aaguid: string) => string | null,
): ModelRow[] {
  return totals(counts, ({ aaguid }) => aaguid).map(([aaguid, n]) => ({
    model: nameOf(aaguid) ?? (aaguid === NO_AAGUID ? MODEL_NOT_REPORTED : UNKNOWN),
    aaguid,
    n,
  }));
}

/** Merges models with the same name, because makers give each firmware its own AAGUID. */
export const mergeModelsByName = (models: readonly ModelRow[]): ModelRow[] =>
  totals(models, ({ model }) => model).map(([model, n]) => {
    const aaguids = models.filter((row) => row.model === model).map(({ aaguid }) => aaguid);
    return { model, n, aaguid: aaguids.join(', ') };
  });

function totals<Row extends { readonly n: number }>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): [string, number][] {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(keyOf(row), (sums.get(keyOf(row)) ?? 0) + row.n);
  return [...sums].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
}
