const FIRST = [
  ...['Anna', 'Björn', 'Søren', 'Łukasz', 'Zoë', 'José', 'François', 'Jürgen', 'Þóra', 'Đorđe'],
  ...['Will', 'Li', '太郎', 'Amélie', 'Ingrid', 'Mehmet', 'Olga', 'Pierre', 'Carmen', 'Yusuf'],
];
const LAST = [
  ...[
    'Andersson',
    "O'Brien",
    'Müller',
    'Straßer',
    'Nowak',
    'García',
    'Sørensen',
    'İnan',
    'Kowalski',
  ],
  ...['山田', 'van der Berg', 'Dupont', 'Rossi', 'Novák', 'Çelik', 'Åkerström', 'Wang', 'Ivanov'],
];
const SYLLABLES = ['ba', 'den', 'fir', 'go', 'hul', 'kem', 'lo', 'mar', 'nis', 'pet', 'rus', 'tov'];

/** A surname of some hundred among a million users: its number in syllables. */
const rareSurname = (n) => {
  const parts = [n % 12, Math.floor(n / 12) % 12, Math.floor(n / 144) % 12];
  const name = parts.map((part) => SYLLABLES[part]).join('');
  return name[0].toUpperCase() + name.slice(1);
};

/** Half of all users have one of few surnames, as in any town; the others one of 1,728. */
export const displayNameOf = (n) => {
  const first = FIRST[n % FIRST.length];
  const m = Math.floor(n / FIRST.length);
  return `${first} ${m % 2 === 0 ? LAST[Math.floor(m / 2) % LAST.length] : rareSurname(m >> 1)}`;
};

export const usernameOf = (n) => `k${String(n).padStart(7, '0')}@load.example`;

/** Users with these names, each with the given number of keys, for `fillStore`. */
export const peopleWith = (keys) => (n) => ({
  username: usernameOf(n),
  displayName: displayNameOf(n),
  keys,
});

/** Search texts: typed letter by letter, and pasted. */
export function* searches(users) {
  for (let k = 0; ; k += 1) {
    const n = (k * 7919 * 104_729) % users;
    const name = displayNameOf(n);
    const [first, ...rest] = name.split(' ');
    for (const end of [2, 3, 4]) yield rest.join(' ').slice(0, end);
    yield name.toLowerCase();
    yield `${rest.join(' ')} ${first}`.normalize('NFKD').replaceAll(/\p{Mn}/gu, '');
    yield `${first} ${rest.join(' ').slice(0, 3)}`;
    yield usernameOf(n);
    yield usernameOf(n).slice(0, 6);
    yield `nobody ${first}`;
  }
}
