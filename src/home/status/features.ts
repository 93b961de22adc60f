import type { ServerOptions } from '../../platform/config/server-options.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import type { Phrase, Text } from '../../platform/pages/languages/phrase.js';
import type { Feature } from './status.view.js';

/** Options that everybody may know, since the server's answers show them anyway. */
const SHOWN = ['verify', 'attestation', 'aaguid', 'jwt', 'registration', 'session'] as const;

const ON = phrase('status:settings.on');
const OFF = phrase('status:settings.off');

const meaningOf = (name: string): Phrase => phrase(`status:options.${name}`);

const dated = (known: Phrase, stale: boolean): Phrase =>
  stale ? phrase('status:settings.overdue', { known }) : known;

/** The state of the metadata. */
interface MetadataSummary {
  readonly entries: number;
  readonly stale: boolean;
}

/** The row of `--mds`; off without a summary. */
export function metadataFeature(summary: MetadataSummary | undefined): Feature {
  const { entries = 0, stale = false } = summary ?? {};
  const known = phrase('status:settings.models', { count: entries });
  const setting = entries === 0 ? phrase('status:settings.none') : dated(known, stale);
  return { option: '--mds', setting: summary ? setting : OFF, meaning: meaningOf('mds') };
}

/** The row of `--android-revocations`; off without a summary. */
export function revocationsFeature(summary: MetadataSummary | undefined): Feature {
  const { entries = 0, stale = false } = summary ?? {};
  const keys = dated(phrase('status:settings.keys', { count: entries }), stale);
  const meaning = meaningOf('androidRevocations');
  return { option: '--android-revocations', setting: summary ? keys : OFF, meaning };
}

/** The row of `--crls`; off without a summary. */
export function listsFeature(
  summary: { readonly lists: number; readonly stale: boolean } | undefined,
): Feature {
  const { lists = 0, stale = false } = summary ?? {};
  const known = dated(phrase('status:settings.lists', { count: lists }), stale);
  return { option: '--crls', setting: summary ? known : OFF, meaning: meaningOf('crls') };
}

/** The options that shape ceremonies, in words. */
export function featuresOf(options: ServerOptions): Feature[] {
  return SHOWN.map((name) => ({
    option: `--${name}`,
    setting: settingOf(options[name]),
    meaning: meaningOf(name),
  }));
}

function settingOf(value: boolean | number | string): Text {
  return typeof value === 'boolean' ? (value ? ON : OFF) : String(value);
}
