import { phrase, type Phrase } from '../../platform/pages/languages/phrase.js';

/** `activeUsers per 100 (1 to 500)`: the charged quantity, the number of units per price, and the range of units. */
const ITEM = /^(\w+)(?: per (\d+))?(?: \((?:from (\d+)|(\d+) to (\d+))\))?$/;

/** The item of a line, as stored in documents, in words. */
export function itemPhrase(item: string): Phrase {
  const [, name = '', per, from, first, last] = ITEM.exec(item) ?? [];
  const named = phrase(`invoices:items.${name}`);
  const each = per ? phrase('invoices:line.per', { item: named, per: Number(per) }) : named;
  if (from) return phrase('invoices:line.from', { item: each, from: Number(from) });
  if (!first) return each;
  return phrase('invoices:line.range', { item: each, from: Number(first), to: Number(last) });
}
