import { attestationRoot } from './attester.js';
import { blobEntry, blobRoot, writeBlob } from './blob-writer.js';
import { type Members, objects, oneOf, readMembers, text, uuid } from './members.js';
import { pemOf } from './pem.js';

/** What FIDO metadata says of a model whose attestations are made under the test root. */
export interface ModelMetadata {
  /** AAGUID of the model, as a UUID. */
  readonly aaguid: string;
  /** Its latest status report. Default: `FIDO_CERTIFIED`. */
  readonly status?: string;
  /** Its name. */
  readonly description?: string;
}

/** A metadata BLOB and the root of its signer, as files for the server. */
export interface Metadata {
  /** For `--mds`: a BLOB of the FIDO Metadata Service, version 3. */
  readonly blob: string;
  /** For `--mds-roots`: a certificate in PEM. */
  readonly root: string;
}

/**
 * Statuses of FIDO Metadata Service v3 (§3.1.4). A server ignores an unknown one, so that a test of a misspelt
 * `REVOKED` would find a trusted model.
 */
const STATUSES = [
  'NOT_FIDO_CERTIFIED',
  'SELF_ASSERTION_SUBMITTED',
  'FIDO_CERTIFIED',
  'FIDO_CERTIFIED_L1',
  'FIDO_CERTIFIED_L1plus',
  'FIDO_CERTIFIED_L2',
  'FIDO_CERTIFIED_L2plus',
  'FIDO_CERTIFIED_L3',
  'FIDO_CERTIFIED_L3plus',
  'FIPS140_CERTIFIED_L1',
  'FIPS140_CERTIFIED_L2',
  'FIPS140_CERTIFIED_L3',
  'FIPS140_CERTIFIED_L4',
  'UPDATE_AVAILABLE',
  'RETIRED',
  'USER_VERIFICATION_BYPASS',
  'ATTESTATION_KEY_COMPROMISE',
  'USER_KEY_REMOTE_COMPROMISE',
  'USER_KEY_PHYSICAL_COMPROMISE',
  'REVOKED',
];

const MODEL: Members<ModelMetadata> = {
  aaguid: uuid,
  status: oneOf(STATUSES),
  description: text,
};

/** A server takes a BLOB only if its number is higher than that of the one before, also from another process. */
let number = Math.floor(Date.now() / 1000);

/**
 * Writes metadata about models, for a server that is to trust them, or to refuse one (`status: 'REVOKED'`).
 *
 * @throws TypeError if a model has an unknown or wrong member, or a status that FIDO metadata does not define
 */
export function writeMetadata(models: readonly ModelMetadata[]): Metadata {
  if (objects(models) !== undefined) throw new TypeError('"models" must be a list of objects.');
  const entries = models.map((model) => entryOf(readMembers(model, MODEL)));
  number += 1;
  const blob = writeBlob({ no: number, nextUpdate: '2059-12-31', entries });
  return { blob, root: pemOf(blobRoot().certificate) };
}

function entryOf({ aaguid, status = 'FIDO_CERTIFIED', description = 'Test model' }: ModelMetadata) {
  const root = attestationRoot().certificate.toString('base64');
  const statement = {
    description,
    attestationTypes: ['basic_full', 'attca', 'anonca'],
    attestationRootCertificates: [root],
  };
  return blobEntry(aaguid.toLowerCase(), statement, {
    statusReports: [{ status, effectiveDate: '2026-01-01' }],
  });
}
