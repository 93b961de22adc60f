import { projectPath } from '../../src/platform/project.js';
import { languages, scriptTextsOf } from '../../src/platform/pages/languages/languages.js';

type Advice = readonly [title: string, advice: string, language?: string];
interface Module {
  adviceOf(error: object, asked?: object, sentence?: string): Advice;
}

/** A stand-in for the page, whose texts the module reads when it is loaded. */
function pageIn(language: (typeof languages)[number]): object {
  const texts = JSON.stringify(scriptTextsOf(language, 'demo'));
  return { body: { dataset: { texts } }, documentElement: { lang: language } };
}

const ENGLISH = { languages: ['en'] };
const { navigator } = globalThis;

const cancelled = { kind: 'cancelled' };
const SERVER = { kind: 'server', message: 'This is not permitted.' };

describe('the advice of the demo', () => {
  let adviceOf: Module['adviceOf'];
  beforeAll(async () => {
    for (const [name, value] of Object.entries({ document: pageIn('en'), navigator: ENGLISH })) {
      Object.defineProperty(globalThis, name, { value, configurable: true });
    }
    const path = projectPath('views/public/js/demo/advice.js');
    ({ adviceOf } = (await import(path)) as Module);
  });
  afterAll(() => {
    Reflect.deleteProperty(globalThis, 'document');
    Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true });
  });

  it.each<[string, object, object | undefined, RegExp, RegExp]>([
    ['a prompt that was closed', cancelled, { elapsed: 5000 }, /closed/i, /^Nothing was changed/],
    [
      'a missing PIN where one is required',
      cancelled,
      { elapsed: 5, userVerification: 'required' },
      /./,
      /PIN|finger|face/i,
    ],
    ['a sign-in without a key at hand', cancelled, { elapsed: 5, isSignIn: true }, /./, /key/i],
    ['a name that may not register', { ...SERVER, errorCode: 'E0043R' }, undefined, /./, /./],
    ['too many calls', { ...SERVER, errorCode: 'E0040R' }, undefined, /E0040R/, /./],
    ['an unavailable network', { kind: 'network' }, undefined, /./, /./],
    ['a registered key', { kind: 'already_registered' }, undefined, /./, /./],
  ])('the demo gives advice on %s', (_, error, asked, title, advice) => {
    const [said, told] = adviceOf(error, asked);
    expect([said, told]).toEqual([expect.stringMatching(title), expect.stringMatching(advice)]);
    expect(`${said} ${told}`).not.toMatch(/undefined|\{\{/);
  });

  it('the demo shows the sentence of the server as the title of a refusal', () => {
    expect(adviceOf({ ...SERVER, status: 403, errorCode: 'E0043R' })).toEqual([
      'This is not permitted. (E0043R)',
      expect.any(String),
      'en',
    ]);
    expect(adviceOf({ kind: 'timeout' })[2]).toBeUndefined();
    const refusal = { ...SERVER, status: 429, errorCode: 'E0040R' };
    expect(adviceOf(refusal, undefined, 'Zu viele Anfragen.')).toEqual([
      'Zu viele Anfragen. (E0040R)',
      expect.any(String),
      undefined,
    ]);
  });

  it.each(languages)('the demo has all texts of its advice in %s', (language) => {
    const { advice } = scriptTextsOf(language, 'demo') as { advice: Record<string, string> };
    const used = ['limited', 'helpDesk', 'party', 'tooMany', 'first', 'closed', 'again', 'network'];
    for (const name of used) expect([name, advice[name]]).toEqual([name, expect.any(String)]);
  });
});
