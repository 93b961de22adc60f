import { ensure } from '../failure.js';
import { type DerElement, isWellNestedDer, readDerElements } from './der.js';

/** What a Keystore certificate says of its key. */
export interface KeyDescription {
  readonly challenge: Buffer;
  /** softwareEnforced and teeEnforced (in later versions hardwareEnforced), in this order. */
  readonly lists: readonly AuthorizationList[];
}

/** The content of each field, by its tag number. Fields that are not known stay unread. */
export type AuthorizationList = ReadonlyMap<number, readonly DerElement[]>;

const CONTEXT_CONSTRUCTED = 0xa0;
const PRIMITIVE = 0x00;
const CONSTRUCTED = 0x20;
const INTEGER = 2;
const OCTET_STRING = 4;
const SEQUENCE = 16;
const SET = 17;
/** attestationVersion up to teeEnforced, in every version of the schema. */
const MEMBERS = 8;
const CHALLENGE_AT = 4;
const LISTS_AT = 6;

/**
 * Reads the value of the Android key attestation extension, the SEQUENCE KeyDescription of Android's
 * "Key and ID attestation", as far as WebAuthn L3 §8.4.1 needs it.
 */
export function readKeyDescription(value: Buffer): KeyDescription {
  demand(isWellNestedDer(value));
  const [outer] = readDerElements(value) ?? [];
  const members = elementsIn(outer, CONSTRUCTED, SEQUENCE);
  demand(members.length === MEMBERS);
  const challenge = members[CHALLENGE_AT];
  demand(challenge?.form === PRIMITIVE && challenge.number === OCTET_STRING);
  return { challenge: challenge.content, lists: members.slice(LISTS_AT).map(readList) };
}

/** The integers of a field that holds one integer or a SET of them. */
export function integersOf(field: readonly DerElement[]): readonly number[] {
  const [first] = field;
  demand(first !== undefined && field.length === 1);
  const items = first.number === SET ? elementsIn(first, CONSTRUCTED, SET) : field;
  return items.map(readInteger);
}

/** A field that occurs twice could say one thing to us and another to the next reader. */
function readList(element: DerElement): AuthorizationList {
  const fields = new Map<number, readonly DerElement[]>();
  for (const { form, number, content } of elementsIn(element, CONSTRUCTED, SEQUENCE)) {
    demand(form === CONTEXT_CONSTRUCTED && !fields.has(number));
    const items = readDerElements(content);
    demand(items !== undefined);
    fields.set(number, items);
  }
  return fields;
}

/** Everything that is compared is a small number; a longer one equals none of them. */
function readInteger({ form, number, content }: DerElement): number {
  demand(form === PRIMITIVE && number === INTEGER && content.length > 0);
  return content.length === 1 ? content.readInt8() : NaN;
}

function elementsIn(
  element: DerElement | undefined,
  form: number,
  number: number,
): readonly DerElement[] {
  demand(element?.form === form && element.number === number);
  const elements = readDerElements(element.content);
  demand(elements !== undefined);
  return elements;
}

function demand(condition: boolean): asserts condition {
  ensure(condition, 'attestation-certificate', 'the key description is malformed');
}
