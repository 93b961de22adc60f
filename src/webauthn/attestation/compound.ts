import { type CborValue, isCborArray } from '../cbor.js';
import { ensure } from '../failure.js';
import {
  type AttestationFormat,
  type AttestationResult,
  type AttestationVerifier,
  statementMap,
} from './format.js';

type Formats = ReadonlyMap<string, Pick<AttestationFormat, 'verify'>>;

const MIN_STATEMENTS = 2;
/** More statements than any authenticator sends; each costs at least one verification. */
const MAX_STATEMENTS = 8;

/**
 * WebAuthn L3 §8.9 "Compound Attestation Statement Format", its verification procedure, for statements in the
 * given formats, which do not include `compound`. The standard lets the relying party decide how many
 * statements must be valid: here all of them, since a wrong one is a lie or a fault.
 */
export function compoundVerifier(formats: Formats): AttestationVerifier {
  return (input) => {
    const { statement } = input;
    ensure(isCborArray(statement), 'attestation-malformed', 'attStmt is not an array');
    const count = statement.length;
    ensure(count >= MIN_STATEMENTS, 'attestation-malformed', 'attStmt has too few statements');
    ensure(count <= MAX_STATEMENTS, 'attestation-malformed', 'attStmt has too many statements');
    const parts = statement.map((part) => readPart(formats, part));
    const statements = parts.map(({ name, format, statement: inner }) => ({
      format: name,
      ...format.verify({ ...input, statement: inner }),
    }));
    const { type, trustPath } = strongest(statements);
    return { type, trustPath, statements };
  };
}

interface Part {
  readonly name: string;
  readonly format: Pick<AttestationFormat, 'verify'>;
  readonly statement: CborValue;
}

function readPart(formats: Formats, part: CborValue): Part {
  const members = statementMap(part, ['fmt', 'attStmt']);
  const name = members.get('fmt');
  const statement = members.get('attStmt');
  ensure(typeof name === 'string', 'attestation-malformed', 'fmt is not text');
  ensure(statement !== undefined, 'attestation-malformed', 'attStmt is missing');
  const format = formats.get(name);
  ensure(format !== undefined, 'attestation-format-unknown');
  return { name, format, statement };
}

/** The first statement with certificates, else the first that proves anything. */
function strongest(results: readonly AttestationResult[]): AttestationResult {
  return (
    results.find(({ trustPath }) => trustPath.length > 0) ??
    results.find(({ type }) => type !== 'none') ?? { type: 'none', trustPath: [] }
  );
}
