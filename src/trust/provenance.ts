import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/common/clock.js';
import { loadCertificate } from '../webauthn/certificates/certificate.js';
import type { AttestationStatement } from '../webauthn/attestation/format.js';
import { certificationOf } from '../webauthn/metadata/certification.js';
import { statusAgainst } from '../webauthn/metadata/status.js';
import { MetadataService } from './metadata/metadata.service.js';

/** Who vouched for a key, for display. */
export interface Origin {
  readonly format: string;
  /** Name of the issuer of the last certificate; `undefined` where there is no certificate. */
  readonly root: string | undefined;
  /** The model's certification by the metadata, such as `FIDO_CERTIFIED_L1`. */
  readonly certified: string | undefined;
  /** The status by which the metadata speaks against the model, such as `REVOKED`. */
  readonly against: string | undefined;
}

const COMMON_NAME = /^CN=(.+)$/m;

/** Reports where a key comes from, by what its registration proved and what the metadata says now about it. */
@Injectable()
export class Provenance {
  constructor(
    private readonly metadata: MetadataService,
    private readonly clock: Clock,
  ) {}

  of(aaguid: string, { format, trustPath }: AttestationStatement): Origin {
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

/** The issuer's common name, else its whole name. The certificate was parsed when it was verified. */
function rootOf(last: Buffer | undefined): string | undefined {
  if (last === undefined) return undefined;
  const { issuer } = loadCertificate(last).x509;
  return COMMON_NAME.exec(issuer)?.[1] ?? issuer.replaceAll('\n', ', ');
}
