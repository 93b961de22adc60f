import { ensure } from '../../failure.js';
import { type DerElement, readDer } from '../../certificates/der.js';

/** What a Keystore certificate says about its key. */
export interface KeyDescription {
  readonly challenge: Buffer;
  /** softwareEnforced and teeEnforced (in later versions hardwareEnforced), in this order. */
  readonly lists: readonly AuthorizationList[];
}

/** The content of each field, by its tag number. Fields that are not known stay unread. */
export type AuthorizationList = ReadonlyMap<number, readonly DerElement[]>;

const CONTEXT_CONSTRUCTED = 0xa0;
/** Form and number of the types that are read (X.690 §8). */
const TYPE = {
  integer: [0x00, 2],
  octetString: [0x00, 4],
  sequence: [0x20, 16],
  set: [0x20, 17],
} as const;
/** Number of members, attestationVersion to teeEnforced, in every version of the schema. */
const MEMBERS = 8;
const CHALLENGE_AT = 4;
const LISTS_AT = 6;

/**
 * Reads the value of the Android key attestation extension, the SEQUENCE KeyDescription of Android's
 * "Key and ID attestation", as far as WebAuthn L3 §8.4.1 needs it.
 */
export function readKeyDescription(value: Buffer): KeyDescription {
  const { elements } = typed(readDer(value), TYPE.sequence);
  demand(elements.length === MEMBERS);
  const { content } = typed(elements[CHALLENGE_AT], TYPE.octetString);
  return { challenge: content, lists: elements.slice(LISTS_AT).map(readList) };
}

/** The integers of a field that holds one integer or a SET of them. */
export function integersOf(field: readonly DerElement[]): readonly number[] {
  const [only, ...others] = field;
  demand(only !== undefined && others.length === 0);
  const isSet = only.number === TYPE.set[1];
  return isSet ? typed(only, TYPE.set).elements.map(readInteger) : [readInteger(only)];
}

/** Reads the fields of a list. None may occur twice, since other readers could take the other value. */
function readList(list: DerElement): AuthorizationList {
  const fields = new Map<number, readonly DerElement[]>();
  for (const { form, number, elements } of typed(list, TYPE.sequence).elements) {
    demand(form === CONTEXT_CONSTRUCTED && !fields.has(number));
    fields.set(number, elements);
  }
  return fields;
}

/** NaN where an integer has more than one byte: it equals none of the small numbers it is compared with. */
function readInteger(element: DerElement): number {
  const { content } = typed(element, TYPE.integer);
  return content.length === 1 ? content.readInt8() : NaN;
}

/** The element, which must be of this type. */
function typed(
  element: DerElement | undefined,
  [form, number]: readonly [form: number, number: number],
): DerElement {
  demand(element?.form === form && element.number === number);
  return element;
}

function demand(condition: boolean): asserts condition {
  ensure(condition, 'attestation-certificate', 'the key description is malformed');
}
