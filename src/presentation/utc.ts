/**
 * A moment (ISO 8601) as it stands in a page before the page's script writes it in the reader's own
 * time zone and language: `2026-11-21 08:48 UTC`.
 */
export const utc = (iso: unknown): string =>
  `${String(iso ?? '')
    .slice(0, 16)
    .replace('T', ' ')} UTC`;
