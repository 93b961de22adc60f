import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/common/clock.js';
import { loadCertificate } from '../webauthn/certificates/certificate.js';
import type { AttestationStatement } from '../webauthn/attestation/format.js';
import { certificationOf } from '../webauthn/metadata/certification.js';
import { statusAgainst } from '../webauthn/metadata/status.js';
import { MetadataService } from './metadata/metadata.service.js';

/** The origin of a key, for display. */
export interface KeyProvenance {
  readonly format: string;
  /** Name of the issuer of the last certificate; `undefined` if there is no certificate. */
  readonly root: string | undefined;
  /** The model's certification in the metadata, for example `FIDO_CERTIFIED_L1`. */
  readonly certified: string | undefined;
  /** The status because of which the metadata rejects the model, for example `REVOKED`. */
  readonly against: string | undefined;
}

const COMMON_NAME = /^CN=(.+)$/m;

/** Reports the origin of a key, from the proof of its registration and the current metadata. */
@Injectable()
export class Provenance {
  constructor(
    private readonly metadata: MetadataService,
    private readonly clock: Clock,
  ) {}

  of(aaguid: string, { format, trustPath }: AttestationStatement): KeyProvenance {
    const entry = this.metadata.index.entryFor({ aaguid, trustPath });
    const at = new Date(this.clock.now());
    const reports = entry?.statusReports ?? [];
    const certified = certificationOf(reports, at);
    return {
      format,
      root: rootOf(trustPath.at(-1)),
      certified,
      against: statusAgainst(reports, at),
    };
  }
}

/** The issuer's common name, else its complete name. The certificate was parsed when it was verified. */
function rootOf(last: Buffer | undefined): string | undefined {
  if (last === undefined) return undefined;
  const { issuer } = loadCertificate(last).x509;
  return COMMON_NAME.exec(issuer)?.[1] ?? issuer.replaceAll('\n', ', ');
}
