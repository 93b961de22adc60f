import { OPTIONS } from '../../config/server-options.js';
import type { ServerOptions } from '../../config/server-options.js';
import type { Feature } from './status.view.js';

/** The options that everybody may know: they show in what the server answers anyway. */
const SHOWN = ['verify', 'attestation', 'aaguid', 'jwt', 'registration', 'session'] as const;

/** What the metadata is worth, besides whether it is there. */
interface MetadataSummary {
  readonly entries: number;
  readonly stale: boolean;
}

/** The row of `--mds`; off without a summary. */
export function metadataFeature(summary: MetadataSummary | undefined): Feature {
  const { entries = 0, stale = false } = summary ?? {};
  const known = entries === 0 ? 'none yet' : `${entries} models${stale ? ', overdue' : ''}`;
  return { option: '--mds', setting: summary ? known : 'off', meaning: OPTIONS.mds[1] };
}

/** The row of `--android-revocations`; off without a summary. */
export function revocationsFeature(summary: MetadataSummary | undefined): Feature {
  const { entries = 0, stale = false } = summary ?? {};
  const keys = `${entries} keys${stale ? ', overdue' : ''}`;
  const [, meaning] = OPTIONS.androidRevocations;
  return { option: '--android-revocations', setting: summary ? keys : 'off', meaning };
}

/** The row of `--crls`; off without a summary. */
export function listsFeature(
  summary: { readonly lists: number; readonly stale: boolean } | undefined,
): Feature {
  const { lists = 0, stale = false } = summary ?? {};
  const known = `${lists} ${lists === 1 ? 'list' : 'lists'}${stale ? ', overdue' : ''}`;
  return { option: '--crls', setting: summary ? known : 'off', meaning: OPTIONS.crls[1] };
}

/** The settings that shape the ceremonies, for reading. */
export function featuresOf(options: ServerOptions): Feature[] {
  return SHOWN.map((name) => ({
    option: `--${name}`,
    setting: settingOf(options[name]),
    meaning: OPTIONS[name][1],
  }));
}

function settingOf(value: boolean | number | string): string {
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
}
