import { hash } from 'node:crypto';

/** SHA-256 of bytes, or of a text in UTF-8: 32 bytes. */
export const sha256 = (data: Buffer | string): Buffer => hash('sha256', data, 'buffer');
