import { Injectable, type StreamableFile } from '@nestjs/common';
import type { Reader } from '../../platform/common/turns/read-turns.js';
import { textFile, withFirstItem } from '../../platform/http/text-file.js';
import { Clock } from '../../platform/common/clock.js';
import { dayText, isoOrNull } from '../../platform/validation/values/moment.js';
import { ExportReader } from '../../users/transfer/export-reader.js';
import type { ExportedKey, ExportedUser } from '../../users/transfer/transferred.js';
import { transportsOf } from '../../users/credentials/transports.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { aaguidText } from '../../webauthn/aaguid.js';

export const EXPORT_FORMAT = 'servicefido-users';
export const FORMAT_VERSION = 1;

/**
 * Writes all users of a relying party as JSON Lines while they are read, so that memory contains one slice. If
 * the database fails, the connection is aborted, and the last line is missing.
 */
@Injectable()
export class Exporter {
  constructor(
    private readonly users: ExportReader,
    private readonly clock: Clock,
  ) {}

  /** Returns the whole file; an immediate failure is still answered with its own status. */
  async file(rp: RelyingParty, reader: Reader): Promise<StreamableFile> {
    const day = dayText(this.clock.now());
    const disposition = `attachment; filename="users-${rp.domain}-${day}.jsonl"`;
    const type = 'application/x-ndjson; charset=utf-8';
    return textFile(reader, await withFirstItem(reader, this.text(rp)), { type, disposition });
  }

  /** Yields the lines, one slice at a time. */
  async *text(rp: RelyingParty): AsyncGenerator<string> {
    let head = lineOf(headerLine(rp, this.clock.now()));
    let keys = 0;
    let users = 0;
    for await (const slice of this.users.of(rp)) {
      yield head + slice.map((user) => lineOf(userLine(user))).join('');
      head = '';
      users += slice.length;
      keys += slice.reduce((sum, user) => sum + user.keys.length, 0);
    }
    // A file without this line is incomplete.
    yield head + lineOf({ type: 'end', users, keys });
  }
}

const lineOf = (value: object): string => `${JSON.stringify(value)}\n`;

/** The first line: the format of the file, and the relying party. */
const headerLine = (rp: RelyingParty, at: number) => ({
  type: 'header',
  format: EXPORT_FORMAT,
  version: FORMAT_VERSION,
  relyingParty: rp.domain,
  tenant: rp.tenant,
  exportedAt: new Date(at).toISOString(),
});

/** A user with all keys; bytes in Base64URL, times in ISO 8601 UTC. */
function userLine(user: ExportedUser) {
  const { username, displayName, subject, createdAt, isSuspended, groups, keys } = user;
  const [own, ...further] = user.handles.map(base64Url);
  return {
    type: 'user',
    username,
    displayName,
    ...(subject !== undefined && { userId: subject }),
    userHandle: own,
    ...(further.length > 0 && { furtherHandles: further }),
    createdAt: new Date(createdAt).toISOString(),
    ...(isSuspended && { suspended: true }),
    ...(groups.length > 0 && { groups }),
    keys: keys.map(keyLine),
  };
}

function attestationOf(key: ExportedKey) {
  const { attestationFormat, attestationType, attestationTrusted, serialNumber, proof } = key;
  return {
    format: attestationFormat,
    type: attestationType,
    trusted: attestationTrusted,
    ...(serialNumber !== null && { serialNumber }),
    ...(proof && {
      object: base64Url(proof.attestationObject),
      clientDataHash: base64Url(proof.clientDataHash),
    }),
  };
}

function keyLine(key: ExportedKey) {
  return {
    credentialId: base64Url(key.credentialId),
    publicKey: base64Url(key.publicKey),
    algorithm: key.algorithm,
    signCount: key.signCount,
    enabled: key.enabled,
    deviceName: key.deviceName,
    keypair: key.deviceMetadata === null ? null : (JSON.parse(key.deviceMetadata) as unknown),
    transports: transportsOf(key),
    aaguid: aaguidText(key.aaguid),
    attestation: attestationOf(key),
    registration: {
      flags: key.registrationFlags,
      attestationAsked: key.attestationAsked,
      residentKey: key.residentKey,
    },
    userVerified: key.userVerified,
    uvInitialized: key.uvInitialized,
    madeUnderAuthority: key.madeUnderAuthority,
    backupEligible: key.backupEligible,
    backedUp: key.backedUp,
    createdAt: new Date(key.registeredAt).toISOString(),
    lastUsedAt: isoOrNull(key.lastUsedAt),
    importedFrom: key.importedFrom,
  };
}

const base64Url = (bytes: Buffer): string => bytes.toString('base64url');
