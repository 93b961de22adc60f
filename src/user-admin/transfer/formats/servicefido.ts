import { ApiError } from '../../../platform/errors/api-error.js';
import { isObject } from '../../../platform/validation/field-validator.js';
import { decodeBase64Url } from '../../../webauthn/base64url.js';
import { EXPORT_FORMAT, FORMAT_VERSION } from '../exporter.js';
import { jsonLines } from './json-lines.js';
import type { SourceKey, SourceRecord, SourceRow, SourceUser } from './source.js';

export async function* servicefido(
  file: AsyncIterable<Buffer>,
  domain: string,
): AsyncGenerator<SourceRecord> {
  let begun = false;
  let ended = false;
  let continued = false;
  const found = { users: 0, keys: 0 };
  for await (const item of jsonLines(file)) {
    const { line } = item;
    const { type, users, keys } = 'value' in item ? item.value : {};
    if (!begun) checkHeader('value' in item ? item.value : {}, domain);
    else if (ended) {
      const fault = 'fault' in item ? item.fault : new ApiError('E0045R', 'import.afterEnd');
      yield { line, fault, isOfFile: !continued };
      continued = true;
    } else if ('fault' in item) yield item;
    else if (type === 'user') {
      const user = userOf(item.value);
      found.users += 1;
      found.keys += user.keys.length;
      yield { line, user };
    } else if (type === 'end') {
      ended = true;
      if (users !== found.users || keys !== found.keys) {
        yield { line, fault: new ApiError('E0045R', 'import.counts', found), isOfFile: true };
      }
    } else yield { line, fault: new ApiError('E0045R', 'import.recordType') };
    begun = true;
  }
  if (!begun) throw new ApiError('E0045R', 'file.empty');
  if (!ended) yield { line: 0, fault: new ApiError('E0045R', 'import.cut'), isOfFile: true };
}

function checkHeader({ format, version, relyingParty }: SourceRow, domain: string): void {
  if (format !== EXPORT_FORMAT || version !== FORMAT_VERSION) {
    throw new ApiError('E0045R', 'import.firstLine', {
      version: FORMAT_VERSION,
      format: EXPORT_FORMAT,
    });
  }
  if (relyingParty === domain) return;
  throw new ApiError('E0045R', 'import.otherRelyingParty');
}

const bytes = (value: unknown) => (typeof value === 'string' ? decodeBase64Url(value) : undefined);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const userOf = (row: SourceRow): SourceUser => ({
  username: row['username'],
  displayName: row['displayName'],
  subject: row['userId'] ?? undefined,
  handles: [row['userHandle'], ...listOf(row['furtherHandles'])].map(bytes),
  createdAt: row['createdAt'],
  suspended: row['suspended'],
  groups: row['groups'] ?? undefined,
  keys: listOf(row['keys']).map((key) => keyOf(isObject(key) ? key : {})),
});

function keyOf({
  credentialId,
  publicKey,
  attestation,
  registration,
  ...row
}: SourceRow): SourceKey {
  const { format, type, object, clientDataHash } = isObject(attestation) ? attestation : {};
  const { flags, attestationAsked, residentKey } = isObject(registration) ? registration : {};
  return {
    ...row,
    credentialId: bytes(credentialId),
    publicKey: bytes(publicKey),
    attestationFormat: format,
    attestationType: type,
    attestationObject: bytes(object),
    clientDataHash: bytes(clientDataHash),
    registrationFlags: flags,
    attestationAsked,
    residentKey,
  };
}
