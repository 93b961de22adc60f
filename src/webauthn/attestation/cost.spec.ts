import type { CborValue } from '../cbor.js';
import { certificateCount } from './cost.js';

const chain = (length: number) => Array.from({ length }, () => Buffer.of(0));
const packed = (length: number) => new Map<string, CborValue>([['x5c', chain(length)]]);
const part = (attStmt: CborValue) => new Map<string, CborValue>([['attStmt', attStmt]]);

describe('the certificates of an attestation statement', () => {
  it.each<[string, CborValue, number]>([
    ['none', new Map(), 0],
    ['self attestation', new Map<string, CborValue>([['sig', Buffer.of(0)]]), 0],
    ['packed with two', packed(2), 2],
    ['SafetyNet', new Map<string, CborValue>([['response', Buffer.of(0)]]), 8],
    ['compound', [part(packed(2)), part(new Map()), part(packed(3)), 7], 5],
    ['a compound within a compound', [part([part(packed(2))])], 0],
    ['more than may be', [part(packed(8)), part(packed(8)), part(packed(8))], 16],
    ['no statement at all', 'x', 0],
    ['an x5c that is no list', new Map<string, CborValue>([['x5c', 7]]), 0],
  ])('of %s are counted', (_, statement, count) => {
    expect(certificateCount(statement)).toBe(count);
  });
});
