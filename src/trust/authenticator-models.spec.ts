import { findModels } from './authenticator-models.js';

const NAMES = new Map([
  ['ee882879-721c-4913-9775-3dfcce97072a', 'YubiKey 5 Series'],
  ['d8522d9f-575b-4866-88a9-ba99fa02f35b', 'YubiKey Bio Series'],
  ['42b4fb4a-2866-43b2-9bf7-6c6669c2e5d3', 'Google Titan Security Key v2'],
]);
const called = (text: string) => findModels(NAMES, text).map(([, name]) => name);

it.each([
  ['yubi', ['YubiKey 5 Series', 'YubiKey Bio Series']],
  ['SERIES 5', ['YubiKey 5 Series']],
  ['titan key', ['Google Titan Security Key v2']],
  ['ee882879-72', ['YubiKey 5 Series']],
  ['ubikey', []],
  ['  ', []],
])('finds authenticator models by the text %j', (text, names) => {
  expect(called(text)).toEqual(names);
});
