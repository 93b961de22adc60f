const FIRST =
  'Anna Björn Søren Łukasz Zoë José François Jürgen Þóra Đorđe ' +
  'Will Li 太郎 Amélie Ingrid Mehmet Olga Pierre Carmen Yusuf';
const FIRST_NAMES = FIRST.split(' ');
const LAST =
  "Andersson, O'Brien, Müller, Straßer, Nowak, García, Sørensen, İnan, Kowalski, 山田, van der Berg, " +
  'Dupont, Rossi, Novák, Çelik, Åkerström, Wang, Ivanov';
const LAST_NAMES = LAST.split(', ');
const SYLLABLES = ['ba', 'den', 'fir', 'go', 'hul', 'kem', 'lo', 'mar', 'nis', 'pet', 'rus', 'tov'];

/** A surname of some hundred among a million users: its number in syllables. */
const rareSurname = (n) => {
  const parts = [n % 12, Math.floor(n / 12) % 12, Math.floor(n / 144) % 12];
  const name = parts.map((part) => SYLLABLES[part]).join('');
  return name[0].toUpperCase() + name.slice(1);
};

/** Half of all users have one of few surnames, as in any town; the others one of 1,728. */
export const displayNameOf = (n) => {
  const first = FIRST_NAMES[n % FIRST_NAMES.length];
  const m = Math.floor(n / FIRST_NAMES.length);
  return `${first} ${m % 2 === 0 ? LAST_NAMES[(m >> 1) % LAST_NAMES.length] : rareSurname(m >> 1)}`;
};

export const usernameOf = (n) => `k${String(n).padStart(7, '0')}@load.example`;

/** The kth of some search texts: typed letter by letter, and pasted. */
export function searchText(k, users) {
  const n = (Math.floor(k / 9) * 7919 * 104_729) % users;
  const name = displayNameOf(n);
  const [first, ...rest] = name.split(' ');
  const last = rest.join(' ');
  return [
    ...[2, 3, 4].map((end) => last.slice(0, end)),
    name.toLowerCase(),
    `${last} ${first}`.normalize('NFKD').replaceAll(/\p{Mn}/gu, ''),
    `${first} ${last.slice(0, 3)}`,
    usernameOf(n),
    usernameOf(n).slice(0, 6),
    `nobody ${first}`,
  ][k % 9];
}
