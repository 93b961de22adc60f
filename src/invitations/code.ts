import { randomBytes } from 'node:crypto';
import { sha256 } from '../platform/common/sha256.js';

const CODE_BYTES = 16;
/** 128 bits as Base64URL. A ticket of a backend has twice as many. */
const FORM = /^[\w-]{22}$/;

export const newCode = (): string => randomBytes(CODE_BYTES).toString('base64url');

export const isCode = (text: string): boolean => FORM.test(text);

/** The stored hash of a code. A plain hash is enough, because a random code cannot be guessed. */
export const codeHashOf = (code: string): Buffer => sha256(code);
