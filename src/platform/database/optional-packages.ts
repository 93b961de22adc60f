import { createRequire } from 'node:module';
import type * as Ioredis from 'ioredis';
import type * as Mysql2 from 'mysql2';
import type * as RateLimiter from 'rate-limiter-flexible';

const require = createRequire(import.meta.url);

/*
 * Libraries that only some installations use, loaded when they are first needed: on SQLite with sessions in
 * memory, a start would read some 180 files for nothing.
 */

export const mysql2 = () => require('mysql2') as typeof Mysql2;

export const ioredis = () => require('ioredis') as typeof Ioredis;

export const rateLimiter = () => require('rate-limiter-flexible') as typeof RateLimiter;
