import type { Answer } from '../client.js';

/** The specified HTTP statuses of the codes that the four calls can answer. */
const DECIDED: Readonly<Record<number, readonly string[]>> = {
  400: ['E0001R', 'E0023R', 'E0025R', 'E0026R', 'E0036R', 'E0045R'],
  401: [
    ...['E0002R', 'E0003R', 'E0004R', 'E0005R', 'E0006R', 'E0007R', 'E0008R', 'E0009R'],
    ...['E0010R', 'E0011R', 'E0012R', 'E0013R', 'E0014R', 'E0015R', 'E0016R', 'E0017R'],
    ...['E0018R', 'E0019R', 'E0020R', 'E0021R', 'E0022R', 'E0027R', 'E0028R', 'E0029R'],
    ...['E0030R', 'E0031R', 'E0032R', 'E0035R', 'E0039R'],
    ...['E1000R', 'E1001R', 'E1002R', 'E1003R', 'E1004R', 'E1005R', 'E1006R', 'E1007R'],
    ...['E1008R', 'E1009R'],
  ],
  403: ['E0034R', 'E0037R', 'E0038R', 'E0043R'],
  404: ['E0033R', 'E0047R'],
  408: ['E0024R'],
  413: ['E0041R'],
  415: ['E0048R'],
  429: ['E0040R'],
};

/** Code of the refusal that the interface gives none: the user has no account. */
export const NO_ACCOUNT = 'none';

const STATUS: ReadonlyMap<string, number> = new Map([
  [NO_ACCOUNT, 403],
  ...Object.entries(DECIDED).flatMap(([status, codes]) =>
    codes.map((code) => [code, Number(status)] as const),
  ),
]);

/** Every code that a call of the two ceremonies can be refused with. */
export const DECIDED_CODES: readonly string[] = [...STATUS.keys()].sort();

/**
 * Expects the specified form of a refusal: status, code, members, and nothing that only a success contains.
 *
 * @param status only where the code has a second one (E0047R: 404, 405)
 */
export function expectRefusal(answer: Answer, code: string, status = STATUS.get(code)): void {
  const { body, headers } = answer;
  expect({ status: answer.status, code: body.errorCode ?? NO_ACCOUNT }).toEqual({ status, code });
  expect(body).toEqual({
    status: code === 'E0024R' ? false : 'failed',
    ...(code === NO_ACCOUNT ? {} : { errorCode: code }),
    errorMessage: expect.stringMatching(/^["A-Z].*\.$/),
    reason: expect.stringMatching(/^[a-z]\w*\.[a-z]\w*$/i),
    requestId: headers.get('x-request-id'),
    ...(code === 'E0025R' ? { domains: expect.any(Array) } : {}),
  });
  expect(body.errorMessage).not.toMatch(/ at \w+ \(|\/src\/|node_modules|SQL|Error:|Unexpected/);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.getSetCookie()).toEqual([]);
}

/** Expects that one of two changes at the same time is refused as a conflict. */
export async function expectOneRefused(
  changes: readonly [Promise<unknown>, Promise<unknown>],
): Promise<void> {
  const ends = await Promise.allSettled(changes);
  const refused = ends.filter((end) => end.status === 'rejected');
  expect(refused).toMatchObject([{ reason: { code: 'E0045R' } }]);
}
