/**
 * A time (ISO 8601) as a page has it before its script writes it in the reader's own time zone and language:
 * `2026-11-21 08:48 UTC`.
 */
export const utc = (iso: unknown): string =>
  `${String(iso ?? '')
    .slice(0, 16)
    .replace('T', ' ')} UTC`;
