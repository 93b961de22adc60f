/** A key in the answer of a begin call, without the bytes of its ID. */
export interface KeyShape {
  readonly idBytes: number;
  /** Stored transports, separated by commas. */
  readonly transports: string;
}

/** The enabled keys of one user, oldest first, and the number of users with keys of these shapes. */
export interface KeyShapes {
  readonly users: number;
  readonly keys: readonly KeyShape[];
}

/** Below this number of users with keys, the usual keys are mixed in: the next users may have others. */
const ENOUGH_USERS = 100;
/** The maximum number of keys in all stored shapes: the rarest shapes are omitted. */
const MAX_KEYS = 500;

const SYNCED = 'hybrid,internal';
const APPLE = { idBytes: 20, transports: SYNCED };
const GOOGLE = { idBytes: 16, transports: SYNCED };
const WINDOWS = { idBytes: 32, transports: 'internal' };
const SECURITY_KEY = { idBytes: 48, transports: 'nfc,usb' };

/** The keys of the usual authenticators, for a hundred users. */
const USUAL: readonly KeyShapes[] = [
  { users: 34, keys: [APPLE] },
  { users: 28, keys: [GOOGLE] },
  { users: 18, keys: [WINDOWS] },
  { users: 6, keys: [SECURITY_KEY] },
  { users: 6, keys: [APPLE, GOOGLE] },
  { users: 4, keys: [WINDOWS, APPLE] },
  { users: 4, keys: [SECURITY_KEY, SECURITY_KEY] },
];

/**
 * Returns the shapes for made-up keys: the most frequent of the found ones, mixed with the usual ones if few
 * users were found.
 *
 * @param found the keys of each user
 */
export function shapesOf(found: readonly (readonly KeyShape[])[]): KeyShapes[] {
  const counted = new Map<string, { users: number; keys: readonly KeyShape[] }>();
  const add = (users: number, keys: readonly KeyShape[]) => {
    const name = keys.map(({ idBytes, transports }) => `${idBytes} ${transports}`).join(';');
    const known = counted.get(name);
    if (known) known.users += users;
    else counted.set(name, { users, keys });
  };
  for (const keys of found) add(ENOUGH_USERS, keys);
  const missing = Math.max(0, ENOUGH_USERS - found.length);
  if (missing > 0) for (const { users, keys } of USUAL) add(users * missing, keys);
  return firstOf([...counted.values()].sort((one, other) => other.users - one.users));
}

function firstOf(shapes: readonly KeyShapes[]): KeyShapes[] {
  let keys = 0;
  return shapes.filter((shape) => {
    keys += shape.keys.length;
    return keys <= MAX_KEYS;
  });
}

/**
 * Returns the shapes of the keys of one user.
 *
 * @param at the user's position among all users: from 0 to less than 1
 */
export function shapesAt(shapes: readonly KeyShapes[], at: number): readonly KeyShape[] {
  let left = at * shapes.reduce((sum, { users }) => sum + users, 0);
  for (const { users, keys } of shapes) {
    left -= users;
    if (left < 0) return keys;
  }
  return [];
}
