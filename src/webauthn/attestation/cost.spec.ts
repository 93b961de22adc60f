import type { CborValue } from '../cbor.js';
import { certificateCost } from './cost.js';

const chain = (length: number) => Array.from({ length }, () => Buffer.of(0));
const packed = (length: number) => new Map<string, CborValue>([['x5c', chain(length)]]);
/** Signed with a key of this COSE algorithm. */
const signed = (alg: number, length: number) =>
  new Map<string, CborValue>([
    ['alg', alg],
    ['x5c', chain(length)],
  ]);
const part = (attStmt: CborValue) => new Map<string, CborValue>([['attStmt', attStmt]]);

describe('what the certificates of an attestation statement cost', () => {
  it.each<[string, CborValue, number]>([
    ['none', new Map(), 0],
    ['self attestation', new Map<string, CborValue>([['sig', Buffer.of(0)]]), 0],
    ['packed with two', packed(2), 2],
    ['packed with two, by a key on P-256', signed(-7, 2), 2],
    ['packed with two, by a key on P-384', signed(-35, 2), 8],
    ['packed with two, by a key on P-521', signed(-36, 2), 8],
    ['SafetyNet', new Map<string, CborValue>([['response', Buffer.of(0)]]), 8],
    ['compound', [part(packed(2)), part(new Map()), part(packed(3)), 7], 5],
    ['a compound within a compound', [part([part(packed(2))])], 0],
    ['compound, by keys on P-521', Array.from({ length: 8 }, () => part(signed(-36, 2))), 64],
    ['more than may be', Array.from({ length: 9 }, () => part(signed(-36, 8))), 64],
    ['no statement at all', 'x', 0],
    ['an x5c that is no list', new Map<string, CborValue>([['x5c', 7]]), 0],
  ])('%s', (_, statement, cost) => {
    expect(certificateCost(statement)).toBe(cost);
  });
});
