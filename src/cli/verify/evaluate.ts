import { REGISTRATION_CODES, AUTHENTICATION_CODES } from '../../fido/refusals/failure-codes.js';
import { CeremonyError } from '../../webauthn/failure.js';
import { evaluateAuthentication } from './evaluate-authentication.js';
import { evaluateRegistration } from './evaluate-registration.js';
import { RecordedCeremony } from './recorded-ceremony.js';
import { CeremonyRefusal, type Findings, type Trust, type Verdict } from './verdict.js';

/** Evaluates one recorded ceremony as the server would have at its time. Never throws. */
export function evaluate(value: unknown, trust: Trust): Verdict {
  const ceremony = new RecordedCeremony(value);
  const findings: Findings = { format: null, trusted: null, detail: null };
  const { id, kind } = ceremony;
  try {
    if (kind === undefined)
      throw new CeremonyRefusal('no-ceremony', null, 'neither kind of ceremony');
    if (kind === 'registration') evaluateRegistration(ceremony, trust, findings);
    else evaluateAuthentication(ceremony, findings);
    return { id, ok: true, failure: null, code: null, ...findings };
  } catch (error) {
    const { failure, code, detail } = refusalOf(error, kind);
    return { id, ok: false, failure, code, ...findings, detail };
  }
}

function refusalOf(
  error: unknown,
  kind: RecordedCeremony['kind'],
): Pick<Verdict, 'failure' | 'code' | 'detail'> {
  if (error instanceof CeremonyError) {
    const { failure, detail = null } = error;
    const codes = kind === 'registration' ? REGISTRATION_CODES : AUTHENTICATION_CODES;
    return { failure, code: codes[failure], detail };
  }
  if (error instanceof CeremonyRefusal) {
    return { failure: error.failure, code: error.code, detail: error.message };
  }
  return { failure: 'internal', code: 'E0050R', detail: String(error) };
}
